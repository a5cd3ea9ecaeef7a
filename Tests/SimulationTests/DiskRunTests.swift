import DaybookSimulation
import Testing

/// Runs follow from their seeds, and have a readable story.
@Suite struct DiskRunTests {
  private func story(_ seed: UInt64) throws -> (lines: [String], calls: Int) {
    var run = DiskRun(seed: seed, isTraced: true)
    try run.run()
    return (run.story, run.statistics.calls)
  }

  @Test("the same seed gives the same story", arguments: [1, 17, 4711] as [UInt64])
  func reproducible(seed: UInt64) throws {
    let first = try story(seed)
    #expect(first == (try story(seed)))
    #expect(first.lines.count > 10)
    #expect(first.lines != (try story(seed + 1)).lines)
  }

  @Test("a traced run makes the same calls as a silent one")
  func traceIsFree() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      var silent = DiskRun(seed: seed)
      try silent.run()
      #expect(silent.story.isEmpty)
      #expect(silent.statistics.calls == (try story(seed)).calls)
    }
  }

  @Test("a story numbers its steps and names the calls to the disk")
  func readable() throws {
    let lines = try story(5).lines
    let steps = lines.filter { !$0.hasPrefix("       ") }
    #expect(steps.first?.hasPrefix("   1  ") == true)
    #expect(lines.contains { $0.contains("sync log/mark") })
  }

  @Test("runs have crashes, failures, damage and every other planned disturbance")
  func coverage() throws {
    var campaign = DiskCampaign()
    #expect(campaign.run(seeds: 10_000..<10_200)?.seed == nil)
    let seen = campaign.statistics
    for count in [
      seen.crashes, seen.deaths, seen.crashesInRecovery, seen.failures, seen.lies, seen.damages,
      seen.acknowledged, seen.recoveries, seen.meddled,
    ] { #expect(count > 10) }
  }
}
