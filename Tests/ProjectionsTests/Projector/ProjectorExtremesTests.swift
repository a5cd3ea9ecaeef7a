import DaybookEventCore
import Foundation
import Testing

@testable import DaybookProjections
@testable import DaybookReferenceModel

/// A few hand-made sets of events, each of them extreme in some way.
@Suite struct ProjectorExtremesTests {
  /// Expects the state of the reference model after single deliveries, after catch-ups, after
  /// reopening, and after rebuilds.
  private func check(
    _ history: TestHistory, partitionBytes: [Int] = [1 << 20, 100],
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let folder = try ProjectionFolder()
    let expected = history.folded().state
    let source = ArrayEventSource(history)
    let probe = try ReadModelProbe(source, folder: folder.url)
    var left = history.events.mapValues(\.count)
    var next: [ReplicaID: UInt64] = [:]
    // The origins deliver one event each in turn.
    while !left.isEmpty {
      for origin in left.keys.sorted() {
        let sequence = next[origin, default: 0] + 1
        source.deliver(origin, sequence...sequence)
        next[origin] = sequence
        if sequence == UInt64(left[origin] ?? 0) { left[origin] = nil }
        if sequence % 7 == 0 { try probe.catchUp() }
        if sequence == 100 { try probe.reopen() }
      }
    }
    try probe.catchUp()
    try probe.reopen()
    let actual = try probe.state()
    let difference = ProjectedState.firstDifference(expected: expected, actual: actual)
    #expect(difference == nil, "\(difference ?? "")", sourceLocation: location)
    try probe.view { view, _ in
      let recomputed = try view.recomputedDigest()
      #expect(recomputed == expected.digest, sourceLocation: location)
    }
    for bytes in partitionBytes {
      let rebuilt = try ReadModelProbe.rebuilt(source, folder: folder.url, partitionBytes: bytes)
      let difference = ProjectedState.firstDifference(expected: expected, actual: rebuilt)
      #expect(difference == nil, "\(bytes): \(difference ?? "")", sourceLocation: location)
    }
  }

  private static func fields(_ count: Int, _ prefix: String = "f") -> [String: Value] {
    Dictionary(uniqueKeysWithValues: (0..<count).map { ("\(prefix)\($0)", .integer(Int64($0))) })
  }

  @Test("a collection of 300 fields is projected, written whole or in part, declared or not")
  func manyFields() throws {
    var history = TestHistory()
    let declared = (0..<280).map { Definition.Field.integer("f\($0)") }
    history.write("ann", at: 1, .insert("n1", Self.fields(300)))
    history.write("ann", at: 2, .define(Definition("notes", declared)))
    history.write("ann", at: 3, .insert("n2", Self.fields(300)), .insert("n3", Self.fields(65)))
    history.write("ann", at: 4, .insert("n4", ["f63": .integer(63), "f64": .integer(64)]))
    history.write("ann", at: 5, .insert("n5", ["f255": .null, "f248": .integer(1)]))
    history.write("bob", at: 4, .update("n2", ["f64": .integer(-1), "f299": .integer(-2)]))
    history.write("ann", at: 6, .update("n2", ["f64": .integer(-3), "f127": "misfit"]))
    history.stamp("hub", "bob", 2...2, at: 1)
    try check(history)
  }

  @Test("an entity with a thousand writes of two authors is projected under late stamps")
  func manyWrites() throws {
    var history = TestHistory()
    history.write("ann", at: 1, .notes(["title": "text", "count": "integer", "body": "text"]))
    history.write("ann", at: 2, .insert("n1", ["title": "first", "body": "kept"]))
    for number in 0..<600 {
      let at = Int64(10 + number * 2)
      let value = Value.integer(Int64(number))
      history.write("ann", at: at, .update("n1", ["count": value]))
      if number % 97 == 0 { history.write("ann", at: at, .delete("n1"), .restore("n1")) }
      let seen: [String: UInt64] = number % 50 == 0 ? ["ann": UInt64(number)] : [:]
      history.write("bob", at: at + 1, seen: seen, .update("n1", ["title": .text("\(number)")]))
    }
    history.write("bob", at: 5_000, .erase("n2"), .update("n1", ["count": .integer(-1)]))
    history.stamp("hub", "bob", 300...400, at: 10_000)
    history.stamp("hub", "ann", 1...200, at: 9_000)
    history.stamp("hub", "bob", 1...299, at: 9_500)
    history.stamp("hub", "ann", 201...608, at: 20_000)
    history.stamp("hub", "bob", 350...602, at: 8_000)
    try check(history)
  }

  @Test("large texts, empty texts, and ids and texts with NUL are projected whole")
  func oddTexts() throws {
    var history = TestHistory()
    let uuid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
    let ids = [
      "a", "a\0", "\0a", "a\0b", "\0", uuid, uuid.uppercased(), "\u{FEFF}a", "a'\"%_*", "🙂",
      String(repeating: "i", count: 1024),
    ]
    history.write(
      "ann", at: 1,
      .define(
        Definition(
          "notes",
          [
            .text("title").searchable(),
            .json("data").searchable(),
            .blob("raw"),
          ])))
    for (index, id) in ids.enumerated() {
      history.write(
        "ann", at: Int64(10 + index),
        .insert(
          id,
          [
            "title": .text("be\0fore \(id) \0"), "raw": .blob([]),
            "data": .json(Array("{\"a\":\"\(index)\"}".utf8)),
          ]))
    }
    history.write(
      "ann", at: 50, .update("a\0", ["title": .text(String(repeating: "x y ", count: 100_000))]))
    history.write("bob", at: 51, .delete("a\0b"), .update("\0", ["title": .text("")]))
    history.write("bob", at: 52, .erase(uuid), .insert(uuid, ["title": .text(uuid)]))
    try check(history)
  }

  @Test("partitions that outgrow memory lose no operation and mix up none")
  func spills() throws {
    var history = TestHistory()
    history.write("ann", at: 1, .notes(["title": "text", "count": "integer"]))
    let text = String(repeating: "spill ", count: 12_000)
    for number in 0..<90 {
      history.write(
        number % 3 == 0 ? "bob" : "ann", at: Int64(number + 2),
        .insert("big", ["title": .text("\(number)\(text)"), "count": .integer(Int64(number))]),
        .insert("n\(number)", ["title": .text("\(number)")]),
        .update("n\(number / 2)", ["count": .integer(Int64(number))]))
    }
    try check(history, partitionBytes: [100, 300])
  }

  @Test("a stamp in an event with an invalid context has no effect, at any moment")
  func stampInBadEvent() throws {
    var history = TestHistory()
    history.write("ann", at: 1, .notes(["title": "text"]))
    history.write("ann", at: 2, .insert("n1", ["title": "ann"]))
    history.write("bob", at: 3, .update("n1", ["title": "bob"]))
    history.stamp("hub", "bob", 1...1, at: 90)
    let bob = TestHistory.origin("bob")
    let stamp = Stamp(
      origin: bob, from: 2, through: 2, chain: .zero, time: HybridTime(milliseconds: 1))
    let delta = ContextDelta([.init(origin: .known(5), by: 1)])
    let envelope = Envelope(
      kind: .stamps, authored: HybridTime(milliseconds: 91), bodyCodec: .plain, context: delta)
    history.append(
      "hub",
      EncodedEvent(
        envelope: envelope.encoded(),
        body: .present(Body(operations: [.stamp(stamp)]).encoded())))
    try check(history)
    let folder = try ProjectionFolder()
    let source = ArrayEventSource(history)
    source.deliverAll()
    for moment: Int64 in [0, 1, 2, 3, 90, 91] {
      let expected = history.folded(.time(milliseconds: moment)).state
      let actual = try ReadModelProbe.rebuilt(
        source, folder: folder.url, selection: .time(moment), partitionBytes: 1 << 20)
      let difference = ProjectedState.firstDifference(expected: expected, actual: actual)
      #expect(difference == nil, "\(moment): \(difference ?? "")")
    }
  }
}
