import SyncSimulation
import Testing

@Suite struct ReplicationCampaignTests {
  @Test("two hundred lives of a zone on failing machines keep every promise")
  func campaign() throws {
    var campaign = ReplicationCampaign()
    if let failure = try campaign.run(seeds: 1..<201) {
      let story = failure.story.joined(separator: "\n")
      Issue.record("seed \(failure.seed): \(failure.violation)\n\(story)")
    }
    #expect(campaign.runs == 200)
  }
}
