import DaybookEventCore
import DaybookSimulation
import Foundation
import GRDB
import GRDBSQLite
import Testing

@testable import DaybookProjections
@testable import DaybookReferenceModel

/// Limits of the read model and of SQLite: definitions and values of others beyond them are hidden
/// by rule, the same incrementally and in a rebuild, and never stop the projector.
@Suite struct ReadModelLimitTests {
  /// Fewer seeds than in other suites, unless the environment names some.
  static let seeds =
    ProjectorPropertyTests.seeds == ProjectorPropertyTests.few
    ? 0..<8 : ProjectorPropertyTests.seeds

  private static let small = {
    var limits = ReadModelLimits()
    limits.collections = 3
    limits.fields = 4
    limits.searchedFields = 2
    limits.rowBytes = 60
    return limits
  }()
  private static let reference = ReferenceLimits(
    collections: 3, fields: 4, searched: 2, rowBytes: 60)

  @Test(
    "a read model beyond its limits is the same for each delivery order and rebuild",
    arguments: seeds)
  func limits(seed: UInt64) throws {
    let set = EventSetGenerator.events(seed: seed)
    let folder = try ProjectionFolder()
    let expected = ReferenceModel(events: set.events, limits: Self.reference).state
    let source = ArrayEventSource(set)
    let probe = try ReadModelProbe(source, folder: folder.url, limits: Self.small)
    for step in DeliveryPlan(seed: seed, events: set.events).steps {
      switch step {
      case .deliver(let origin, let range):
        source.deliver(origin, range)
        try probe.catchUp()
      case .reopen: try probe.reopen()
      }
    }
    let difference = ProjectedState.firstDifference(expected: expected, actual: try probe.state())
    #expect(difference == nil, "seed \(seed): \(difference ?? "")")
    let rebuilt = try ReadModelProbe.rebuilt(
      source, folder: folder.url, partitionBytes: 1 << 20, limits: Self.small)
    let other = ProjectedState.firstDifference(expected: expected, actual: rebuilt)
    #expect(other == nil, "seed \(seed), rebuilt: \(other ?? "")")
    #expect(try probe.differenceFromRebuilt(folder: folder.url) == nil, "seed \(seed)")
  }

  @Test(
    "a collection that SQLite refuses is set aside alone, incrementally and in a rebuild",
    arguments: seeds)
  func refusals(seed: UInt64) throws {
    let set = EventSetGenerator.events(seed: seed)
    let folder = try ProjectionFolder()
    let source = ArrayEventSource(set)
    let prepare: @Sendable (OpaquePointer) -> Void = {
      // The limit is enough for the internal tables.
      sqlite3_limit($0, SQLITE_LIMIT_COLUMN, 9)
    }
    let probe = try ReadModelProbe(source, folder: folder.url, prepare: prepare)
    for step in DeliveryPlan(seed: seed, events: set.events).steps {
      guard case .deliver(let origin, let range) = step else { continue }
      source.deliver(origin, range)
      try probe.catchUp()
    }
    let expected = ReferenceModel(events: set.events).state
    let rebuilt = try ReadModelProbe.rebuilt(
      source, folder: folder.url, partitionBytes: 1 << 20, prepare: prepare)
    // A refused collection makes room for another whose name differs only in case.
    let refused = Set(
      probe.projector.schema.hidden.filter {
        if case .refused = $0.reason { true } else { false }
      }.map { Names.folded($0.schema.name) })
    for (way, state) in [("incrementally", try probe.state()), ("rebuilt", rebuilt)] {
      #expect(state.digest == expected.digest, "seed \(seed), \(way)")
      for (name, table) in state.tables where !refused.contains(Names.folded(name)) {
        #expect(expected.tables[name] == table, "seed \(seed), \(way): \(name)")
      }
      for name in expected.tables.keys where !refused.contains(Names.folded(name)) {
        #expect(state.tables[name] != nil, "seed \(seed), \(way): \(name)")
      }
    }
  }

  @Test("a collection that is no longer refused gets its table with all that was written")
  func triedAgain() throws {
    let folder = try ProjectionFolder()
    let room = Room()
    var history = TestHistory()
    let fields = (0..<12).map { ("f\($0)", ["type": Value.text("text")]) }
    history.write(
      "a", at: 1, .define(Definition("wide", fields.map { .init($0, $1) })))
    history.write("a", at: 2, .insert(collection: "wide", id: "w1", fields: ["f1": .text("one")]))
    let source = ArrayEventSource(history)
    source.deliverAll()
    let probe = try ReadModelProbe(source, folder: folder.url) {
      sqlite3_limit($0, SQLITE_LIMIT_COLUMN, room.columns)
    }
    try probe.catchUp()
    #expect(probe.projector.schema["wide"] == nil)
    let hidden = try #require(probe.projector.schema.hiddenDefinitions.first)
    #expect(hidden.collection == "wide")
    guard case .refused(let words) = hidden.reason else {
      Issue.record("\(hidden.reason)")
      return
    }
    #expect(words.contains("too many columns"))
    // A later program allows SQLite more columns, and a definition arrives.
    room.columns = 100
    try probe.reopen()
    #expect(probe.projector.schema["wide"] == nil)
    history.write(
      "a", at: 3,
      .define(Definition("wide", [.init("f1", ["index": .boolean(true)])])))
    source.follow(history)
    let again = try ReadModelProbe(source, folder: folder.url)
    try again.catchUp()
    try probe.catchUp()
    #expect(try probe.state() == again.state())
    #expect(probe.projector.schema["wide"] != nil)
  }

  private final class Room: @unchecked Sendable {
    var columns: Int32 = 9
  }

  @Test("each keyword and each name of SQLite can name a collection and a field")
  func names() throws {
    let folder = try ProjectionFolder()
    var history = TestHistory()
    let names =
      HazardousNames.keywords + HazardousNames.collectionGroups.flatMap(\.self)
      + HazardousNames.fieldGroups.flatMap(\.self)
    for name in names {
      let attributes: [String: Value] = [
        "type": .text("text"), "search": .boolean(true), "index": .boolean(true),
      ]
      var fields = ["title", name].map { Definition.Field($0, attributes) }
      if name == "title" { fields.removeLast() }
      history.write("a", at: 4, .define(Definition(name, fields)))
      history.write(
        "a", at: 5,
        .insert(collection: name, id: "1", fields: ["title": .text("a title"), name: .text("own")]))
    }
    let source = ArrayEventSource(history)
    source.deliverAll()
    let probe = try ReadModelProbe(source, folder: folder.url)
    try probe.catchUp()
    let expected = history.folded().state
    let difference = ProjectedState.firstDifference(expected: expected, actual: try probe.state())
    #expect(difference == nil, "\(difference ?? "")")
    #expect(try probe.differenceFromRebuilt(folder: folder.url) == nil)
    try probe.view { view, _ in
      for collection in view.schema.sorted {
        let hits = try view.search(
          SearchRequest(
            "\(collection.fields[0].name):title OR own", in: collection.name, limit: 5,
            markers: ("", "")))
        #expect(hits.map(\.id) == ["1"], "\(collection.name)")
      }
    }
  }

  @Test("values too large for a row are kept, shown in part, and read back")
  func largeValues() throws {
    let folder = try ProjectionFolder()
    var history = TestHistory()
    let big = (0..<6).map { Value.text(String(repeating: "\($0)", count: 3000)) }
    for (index, value) in big.enumerated() {
      history.write(
        "a", at: 6, .update(collection: "things", id: "t", fields: ["f\(index)": value]))
    }
    history.write(
      "a", at: 7, .insert(collection: "things", id: "t", fields: ["f0": .text("small")]))
    let source = ArrayEventSource(history)
    source.deliverAll()
    var limits = ReadModelLimits()
    limits.rowBytes = 7000
    let probe = try ReadModelProbe(source, folder: folder.url, limits: limits)
    try probe.catchUp()
    #expect(try probe.count("_daybook_values") == 5)
    #expect(try probe.differenceFromRebuilt(folder: folder.url) == nil)
    history.write(
      "a", at: 8,
      .define(
        Definition("things", (0..<6).map { .text("f\($0)") })))
    source.follow(history)
    try probe.catchUp()
    let expected = ReferenceModel(
      events: history.events,
      limits: ReferenceLimits(collections: 10, fields: 10, searched: 10, rowBytes: 7000))
    let difference = ProjectedState.firstDifference(
      expected: expected.state, actual: try probe.state())
    #expect(difference == nil, "\(difference ?? "")")
    let hidden = try probe.view { view, _ in try view.hidden() }
    #expect(hidden.map(\.field) == ["f3", "f4", "f5"])
    #expect(hidden.allSatisfy { $0.reason == .tooLarge(rowBytes: 7000) })
    #expect(hidden.map(\.value) == Array(big[3...]))
    #expect(try probe.differenceFromRebuilt(folder: folder.url) == nil)
    history.write("a", at: 9, .erase(collection: "things", id: "t"))
    source.follow(history)
    try probe.catchUp()
    #expect(try probe.count("_daybook_values") == 0)
  }
}
