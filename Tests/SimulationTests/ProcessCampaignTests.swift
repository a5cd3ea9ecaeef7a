import DaybookStoreSimulation
import Foundation
import Testing

/// Real processes that write, read, rebuild and observe one store. `DAYBOOK_KILL_ROUNDS=100` sets
/// the number of kills.
@Suite struct ProcessCampaignTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["DAYBOOK_KILL_ROUNDS"].flatMap { Int($0) } ?? 12

  @Test("processes that are killed anywhere lose nothing that another process observed")
  func kills() async throws {
    let program = try BuiltProgram("simulate-store").url
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
