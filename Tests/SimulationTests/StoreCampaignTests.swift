import DaybookStoreSimulation
import Foundation
import Testing

/// Lives of a whole store; more of them with `DAYBOOK_STORE_RUNS=200`.
@Suite(
  .serialized,
  .enabled(if: StoreCampaign.isPossible, "the calls of a program are seen on Linux only"))
struct StoreCampaignTests {
  private static let more =
    ProcessInfo.processInfo.environment["DAYBOOK_STORE_RUNS"].flatMap { UInt64($0) }

  private func run(_ temper: StoreRun.Temper, _ runs: UInt64) async -> StoreStatistics {
    var campaign = StoreCampaign()
    let runs = Self.more ?? runs
    if let failure = await campaign.run(seeds: 1..<runs + 1, temper) {
      let story = failure.story.joined(separator: "\n")
      Issue.record(
        """
        seed \(failure.seed): \(failure.message)
        \(story)
        again: Tools/simulate store --seed \(failure.seed) --runs 1 --temper \(temper.rawValue)
        """)
    }
    #expect(campaign.statistics.runs == Int(runs))
    return campaign.statistics
  }

  @Test("a store keeps every promise after any power failure")
  func crashes() async {
    let seen = await run(.crashes, 2)
    #expect(seen.images > 10 && seen.imagesOfRecovery > 3)
    #expect(seen.rebuilds > 0)
  }

  @Test("a store in concurrent use keeps every promise after any power failure")
  func company() async {
    let seen = await run(.company, 1)
    #expect(seen.images > 7 && seen.imagesOfRecovery > 2)
    #expect(seen.rebuilds > 0)
  }

  @Test("calls that fail, once or for good, lose nothing")
  func failures() async {
    let seen = await run(.failures, 4)
    #expect(seen.failedCalls > 15)
    #expect(seen.refusals > 5)
  }

  @Test("damaged files are found, never served, and repaired from a copy")
  func damage() async {
    let seen = await run(.damage, 4)
    #expect(seen.damages > 20)
    #expect(seen.repairs > 8)
  }
}
