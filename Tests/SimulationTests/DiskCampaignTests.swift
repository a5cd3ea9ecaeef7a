import Simulation
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
}
