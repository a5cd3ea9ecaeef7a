import Simulation
import Testing

@Suite struct DiskCampaignTests {
  @Test("two thousand lives of a store on a failing disk keep every promise")
  func campaign() {
    var campaign = DiskCampaign()
    if let failure = campaign.run(seeds: 1..<2001) {
      let story = failure.story.joined(separator: "\n")
      Issue.record("seed \(failure.seed): \(failure.violation)\n\(story)")
    }
    #expect(campaign.runs == 2000)
  }
}
