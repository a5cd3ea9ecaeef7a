import DaybookStoreSimulation
import Foundation
import Testing

extension StoreCampaignTests {
  /// Random lives of an app; more of them with `DAYBOOK_APP_LIVES`, from `DAYBOOK_APP_SEED` on.
  @Suite struct AppLivesTests {
    private static func number(_ name: String) -> UInt64? {
      ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test("each version reads and writes what it knows, whatever others define, also if power goes")
    func lives() async {
      let lives = Self.number("DAYBOOK_APP_LIVES") ?? 24
      let first = Self.number("DAYBOOK_APP_SEED") ?? 1
      var (powerFailures, exchanges) = (0, 0)
      for seed in first..<first + lives {
        let life = AppLife(seed: seed)
        await life.run()
        (powerFailures, exchanges) = (
          powerFailures + life.powerFailures, exchanges + life.exchanges
        )
        guard life.wrong.isEmpty else {
          let story = (life.wrong + life.story).joined(separator: "\n")
          Issue.record("\(story)\nagain: Tools/simulate store apps --seed \(seed) --runs 1")
          return
        }
      }
      #expect(powerFailures >= Int(lives / 4) && exchanges >= Int(lives))
    }
  }
}
