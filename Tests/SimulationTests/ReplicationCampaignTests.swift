import Daybook
import DaybookEngine
import DaybookZoneSimulation
import Testing

@Suite struct ReplicationCampaignTests {
  @Test(
    "lives of a zone on failing machines keep every promise",
    arguments: [UInt64(1)..<21, 101..<121])
  func campaign(seeds: Range<UInt64>) async throws {
    // A campaign takes minutes: other tests need the threads of the cooperative pool.
    let (campaign, failure) = try await Blocking.run {
      var campaign = ReplicationCampaign()
      let failure = try campaign.run(seeds: seeds)
      return (campaign, failure)
    }
    if let failure {
      let story = failure.story.joined(separator: "\n")
      Issue.record("seed \(failure.seed): \(failure.violation)\n\(story)")
    }
    #expect(campaign.runs == seeds.count)
    // The campaign has enough of every disturbance.
    let seen = campaign.statistics
    #expect(seen.stamps > 60 && seen.crashes > 50 && seen.spoiled > 5 && seen.conflicts > 200)
    #expect(seen.hubsLost > 4 && seen.clones > 2 && seen.forks > 1, "\(seen)")
    #expect(seen.removals > 1 && seen.reissued > 1, "\(seen)")
    #expect(seen.folderExchanges > 100 && seen.carried > 40 && seen.local > 20, "\(seen)")
  }

  @Test("the same seed gives the same story, to the last call of a disk")
  func replay() async throws {
    for seed in UInt64(1)..<5 {
      let stories = try await Blocking.run {
        try (0..<2).map { _ in
          let run = try ReplicationRun(seed: seed, isTraced: true, showsCalls: true)
          try run.run()
          return run.story
        }
      }
      let difference = zip(stories[0], stories[1]).first { $0 != $1 }
      #expect(difference.map { "\($0)" } == nil, "seed \(seed)")
      #expect(stories[0].count == stories[1].count && stories[0].count > 10)
    }
  }
}
