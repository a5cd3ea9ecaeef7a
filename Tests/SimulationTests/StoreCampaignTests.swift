import StoreSimulation
import Testing

@Suite(.enabled(if: StoreCampaign.isPossible, "the calls of a program are seen on Linux only"))
struct StoreCampaignTests {
  @Test("lives of a whole store, and what power failures leave of it, keep every promise")
  func campaign() async {
    var campaign = StoreCampaign()
    if let failure = await campaign.run(seeds: 1..<7) {
      let story = failure.story.joined(separator: "\n")
      Issue.record("seed \(failure.seed): \(failure.message)\n\(story)")
    }
    let seen = campaign.statistics
    #expect(seen.runs == 6)
    #expect(seen.images > 40)
    #expect(seen.imagesOfRecovery > 20)
    #expect(seen.rebuilds > 1)
  }
}
