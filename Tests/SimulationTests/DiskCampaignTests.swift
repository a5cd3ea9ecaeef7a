import Daybook
import DaybookEngine
import DaybookSimulation
import Testing

@Suite struct DiskCampaignTests {
  @Test("a thousand lives of a store on a failing disk keep every promise")
  func campaign() {
    var campaign = DiskCampaign()
    if let failure = campaign.run(seeds: 1..<1001) {
      let story = failure.story.joined(separator: "\n")
      Issue.record("seed \(failure.seed): \(failure.violation)\n\(story)")
    }
    #expect(campaign.runs == 1000)
  }

  @Test("a seed means the same lives in every process")
  func sameInEveryProcess() async throws {
    let program = try BuiltProgram("simulate-log")
    let outputs = try await Blocking.run {
      try (0..<2).map { _ in try program.output(["--seed", "1", "--runs", "200"]) }
    }
    // The first figure is a time.
    let figures = outputs.compactMap { $0.split(separator: ": ").last }
    #expect(figures.count == 2 && figures[0] == figures[1])
  }
}
