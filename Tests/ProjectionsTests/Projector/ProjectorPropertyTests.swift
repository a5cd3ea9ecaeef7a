import DaybookEventCore
import DaybookSimulation
import Foundation
import Testing

@testable import DaybookProjections
@testable import DaybookReferenceModel

/// The projector, compared with the reference model on random sets of events.
@Suite struct ProjectorPropertyTests {
  /// The seeds without `DAYBOOK_SEEDS`.
  static let few: Range<UInt64> = 0..<12

  /// Seeds that `Tools/test` runs; `DAYBOOK_SEEDS=1000..<2000` runs others.
  static let seeds: Range<UInt64> = {
    let words = ProcessInfo.processInfo.environment["DAYBOOK_SEEDS"]?.split(separator: "..<")
    guard let words, words.count == 2, let from = UInt64(words[0]), let to = UInt64(words[1]),
      from < to
    else { return few }
    return from..<to
  }()

  @Test(
    "any order, batching and repetition of deliveries gives the state of the reference model",
    arguments: seeds)
  func deliveries(seed: UInt64) throws {
    let set = EventSetGenerator.events(seed: seed)
    let folder = try ProjectionFolder()
    let expected = ReferenceModel(events: set.events).state
    for planSeed in seed * 3..<seed * 3 + 3 {
      let source = ArrayEventSource(set)
      let probe = try ReadModelProbe(source, folder: folder.url)
      for step in DeliveryPlan(seed: planSeed, events: set.events).steps {
        switch step {
        case .deliver(let origin, let range):
          source.deliver(origin, range)
          try probe.catchUp()
        case .reopen: try probe.reopen()
        }
      }
      let actual = try probe.state()
      let difference = ProjectedState.firstDifference(expected: expected, actual: actual)
      #expect(difference == nil, "seed \(seed), plan \(planSeed): \(difference ?? "")")
      let recomputed = try probe.view { view, _ in try view.recomputedDigest() }
      #expect(recomputed == actual.digest, "seed \(seed), plan \(planSeed)")
      if planSeed == seed * 3 {
        let difference = try probe.differenceFromRebuilt(folder: folder.url)
        #expect(difference == nil, "seed \(seed): \(difference.map(\.description) ?? "")")
      }
    }
  }

  @Test("a catch-up that fails anywhere and is rolled back changes nothing", arguments: seeds)
  func interruptions(seed: UInt64) throws {
    let set = EventSetGenerator.events(seed: seed)
    let folder = try ProjectionFolder()
    let expected = ReferenceModel(events: set.events).state
    let source = ArrayEventSource(set)
    let probe = try ReadModelProbe(source, folder: folder.url)
    var random = SplitMix64(seed: seed)
    for step in DeliveryPlan(seed: seed, events: set.events).steps {
      guard case .deliver(let origin, let range) = step else { continue }
      source.deliver(origin, range)
      guard random.chance(60) else { continue }
      let before = try probe.state()
      source.readsUntilFailure = random.pick([0, 1, 2, 3, 5, 8])
      do { try probe.catchUp() } catch is ArrayEventSource.Failure {
        source.readsUntilFailure = nil
        let after = try probe.state()
        #expect(after == before, "seed \(seed)")
      }
      source.readsUntilFailure = nil
    }
    try probe.catchUp()
    let actual = try probe.state()
    let difference = ProjectedState.firstDifference(expected: expected, actual: actual)
    #expect(difference == nil, "seed \(seed): \(difference ?? "")")
  }

  @Test(
    "a rebuild gives the state of the reference model, in one partition or many",
    arguments: seeds)
  func rebuilds(seed: UInt64) throws {
    let set = EventSetGenerator.events(seed: seed)
    let folder = try ProjectionFolder()
    let expected = ReferenceModel(events: set.events).state
    let source = ArrayEventSource(set)
    source.deliverAll()
    for partitionBytes in [1 << 20, 100] {
      let actual = try ReadModelProbe.rebuilt(
        source, folder: folder.url, partitionBytes: partitionBytes)
      let difference = ProjectedState.firstDifference(expected: expected, actual: actual)
      #expect(
        difference == nil, "seed \(seed), partitions of \(partitionBytes): \(difference ?? "")")
    }
  }
}

/// A folder that is removed with its owner.
final class ProjectionFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
