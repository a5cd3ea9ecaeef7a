import Foundation
import StoreSimulation
import Testing

/// Real processes that write, read, rebuild and observe one store. `DAYBOOK_KILL_ROUNDS=100` sets
/// the number of kills.
@Suite struct ProcessCampaignTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["DAYBOOK_KILL_ROUNDS"].flatMap { Int($0) } ?? 12

  /// The program, which is next to the bundle of the tests.
  static var program: URL? {
    let starts =
      Bundle.allBundles.map(\.bundleURL) + [Bundle.main.bundleURL]
      + CommandLine.arguments.map { URL(fileURLWithPath: $0) }
    for start in starts {
      var folder = start
      for _ in 0..<4 {
        let candidate = folder.appending(path: "simulate-store")
        if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        folder.deleteLastPathComponent()
      }
    }
    return nil
  }

  @Test("processes that are killed anywhere lose nothing that another process observed")
  func kills() async throws {
    let program = try #require(Self.program, "simulate-store is built with the tests")
    let folder = FileManager.default.temporaryDirectory.appending(path: "processes-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let seed = UInt64.random(in: 0...UInt64.max)
    var campaign = ProcessCampaign(seed: seed, program: program, in: folder)
    do { try await campaign.run(rounds: Self.rounds) } catch {
      Issue.record("\(error)\n\(campaign.story.joined(separator: "\n"))")
    }
    #expect(campaign.kills == Self.rounds)
    #expect(campaign.acknowledged > Self.rounds)
  }
}
