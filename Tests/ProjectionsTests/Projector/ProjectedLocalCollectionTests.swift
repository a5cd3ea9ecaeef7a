import DaybookEventCore
import Foundation
import Testing

@testable import DaybookProjections
@testable import DaybookReferenceModel

/// Local collections: events of private origins are in no vector and no digest, and change nothing
/// shared.
@Suite struct ProjectedLocalCollectionTests {
  private func counts(_ entries: [(ReplicaID, UInt64)]) -> VersionVector { VersionVector(entries) }

  @Test(
    "the digest of a vector does not depend on local collections",
    arguments: ProjectorPropertyTests.seeds)
  func digest(seed: UInt64) throws {
    let set = EventSetGenerator.events(seed: seed)
    let folder = try ProjectionFolder()
    let shared = EventSet(
      seed: seed, events: set.events.filter { !$0.key.isPrivate }, chains: set.chains,
      opaque: set.opaque, features: [])
    let alone = ReferenceModel(events: shared.events).state
    let (with, without) = (ArrayEventSource(set), ArrayEventSource(shared))
    with.deliverAll()
    without.deliverAll()
    let incremental = try ReadModelProbe(with, folder: folder.url)
    try incremental.catchUp()
    let rebuilt = try ReadModelProbe.rebuilt(with, folder: folder.url, partitionBytes: 100)
    for state in [try incremental.state(), rebuilt] {
      #expect(state.digest == alone.digest, "seed \(seed)")
      #expect(state.isComplete == alone.isComplete, "seed \(seed)")
    }
    let vector = try incremental.view { view, _ in view.vector }
    #expect(vector == shared.vector, "seed \(seed)")
    let other = try ReadModelProbe(without, folder: folder.url)
    try other.catchUp()
    let otherVector = try other.view { view, _ in view.vector }
    #expect(otherVector == vector, "seed \(seed)")
    let digest = try other.view { view, _ in view.digest }
    #expect(digest == alone.digest, "seed \(seed)")
  }

  private static let settings = Definition(
    collection: "notes", attributes: ["local": .boolean(true)],
    fields: [.text("title")])

  /// Returns a history, and the events of the private origin of its author “here”.
  private func history(_ local: [(Int64, VersionVector, [DaybookEventCore.Operation])]) -> (
    TestHistory, EventAuthor
  ) {
    var history = TestHistory()
    history.write("here", at: 10, .notes(["title": "text"]), .insert("n1", ["title": "shared"]))
    history.write("there", at: 20, .insert("n2", ["title": "theirs"]))
    var author = EventAuthor(TestHistory.origin("here").privateOrigin)
    for (time, seen, operations) in local {
      author.append(
        authored: HybridTime(milliseconds: time), seen: seen, Body(operations: operations))
    }
    return (history, author)
  }

  private func probe(_ history: TestHistory, _ local: EventAuthor, _ folder: ProjectionFolder)
    throws -> (ReadModelProbe, ArrayEventSource, EventSet)
  {
    var events = history.events
    events[local.origin] = local.events
    var chains = Dictionary(
      uniqueKeysWithValues: history.authors.values.map { ($0.origin, $0.chains) })
    chains[local.origin] = local.chains
    let set = EventSet(seed: 0, events: events, chains: chains, opaque: [], features: [])
    let source = ArrayEventSource(set)
    return (try ReadModelProbe(source, folder: folder.url), source, set)
  }

  @Test("a local collection keeps its name until its drop, and a shared one takes it then")
  func names() throws {
    let (history, author) = history([
      (1, .init(), [.define(Self.settings), .insert("s1", ["title": "mine"])]),
      (30, .init(), [.drop(collection: "notes", field: nil)]),
    ])
    let folder = try ProjectionFolder()
    let (probe, source, set) = try probe(history, author, folder)
    source.deliver(author.origin, 1...1)
    try probe.catchUp()
    for name in ["here", "there"] {
      let origin = TestHistory.origin(name)
      source.deliver(origin, 1...UInt64(set.events[origin]?.count ?? 0))
      try probe.catchUp()
    }
    try probe.view { view, _ throws in
      #expect(view.schema["notes"]?.isLocal == true)
      #expect(view.schema.hidden.map(\.schema.name) == ["notes"])
      #expect(try view.entity("notes", "s1")?.fields == ["title": "mine"])
      #expect(try view.entity("notes", "n1") == nil)
      #expect(try view.entity("notes", isLocal: false, "n1")?.fields == ["title": "shared"])
    }
    #expect(try probe.differenceFromRebuilt(folder: folder.url) == nil)
    source.deliver(author.origin, 2...2)
    try probe.catchUp()
    try probe.view { view, _ throws in
      #expect(view.schema["notes"]?.isLocal == false)
      #expect(view.schema.hidden.isEmpty)
      #expect(try view.entity("notes", "n1")?.fields == ["title": "shared"])
      #expect(try view.entity("notes", "n2")?.fields == ["title": "theirs"])
      #expect(try view.entity("notes", isLocal: true, "s1")?.fields == ["title": "mine"])
    }
    #expect(try probe.differenceFromRebuilt(folder: folder.url) == nil)
    let difference = ProjectedState.firstDifference(
      expected: ReferenceModel(events: set.events).state, actual: try probe.state())
    #expect(difference == nil, "\(difference ?? "")")
  }

  @Test("a vector of shared events selects the local events whose context it contains")
  func completion() throws {
    let (here, there) = (TestHistory.origin("here"), TestHistory.origin("there"))
    let (history, author) = history([
      (1, .init(), [.define(Self.settings)]),
      (12, counts([(here, 2)]), [.insert("s1")]),
      (25, counts([(here, 2), (there, 2)]), [.insert("s2")]),
      (26, counts([(here, 2), (there, 2)]), [.insert("s3")]),
    ])
    let folder = try ProjectionFolder()
    let (probe, source, _) = try probe(history, author, folder)
    source.deliverAll()
    try probe.catchUp()
    try probe.view { view, _ throws in
      for (known, count) in [
        (VersionVector(), UInt64(1)), (counts([(here, 1)]), 1),
        (counts([(here, 2)]), 2), (counts([(here, 2), (there, 1)]), 2),
        (counts([(here, 2), (there, 2)]), 4), (view.vector, 4),
      ] {
        let completed = try view.completed(known)
        #expect(completed.shared == known)
        #expect(completed[author.origin] == count, "\(known)")
      }
      let exact = counts([(here, 2), (author.origin, 1)])
      #expect(try view.completed(exact) == exact)
    }
  }

  @Test("a stamp on a private event changes nothing")
  func stamps() throws {
    var (history, author) = history([
      (1, .init(), [.define(Self.settings), .insert("s1", ["title": "first"])]),
      (2, .init(), [.update("s1", ["title": "second"])]),
    ])
    let stamp = Stamp(
      origin: author.origin, from: 1, through: 1, chain: .zero,
      time: HybridTime(milliseconds: 99))
    history.stamp("hub", "here", 1...2, at: 50)
    history.append("hub", .stamps, 60, [:], [.stamp(stamp)], certified: true)
    let folder = try ProjectionFolder()
    let (probe, source, _) = try probe(history, author, folder)
    source.deliverAll()
    try probe.catchUp()
    try probe.view { view, _ throws in
      #expect(try view.entity("notes", "s1")?.fields == ["title": "second"])
      #expect(try view.times(of: EventID(author.origin, 1))?.stamped == nil)
      #expect(
        try view.times(of: EventID(TestHistory.origin("here"), 2))?.stamped
          == HybridTime(milliseconds: 50))
    }
    #expect(try probe.differenceFromRebuilt(folder: folder.url) == nil)
  }
}
