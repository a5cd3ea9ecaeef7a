import DaybookEventCore
import Foundation
import Testing

@testable import DaybookProjections
@testable import DaybookReferenceModel

/// What the projector reads from the log must be in proportion to the log, however the operations
/// are spread over events.
@Suite struct ProjectorWorkTests {
  private static let rows = 300

  /// Several events by one author, each with a write to another field of every row.
  private func wideEvents(_ history: inout TestHistory, count: Int) {
    history.write(
      "ann", at: 1,
      .define(Definition("notes", (0..<count).map { .text("f\($0)") } + [.text("body").merging()])))
    for field in 0..<count {
      history.write(
        "ann", at: 2 + Int64(field),
        (0..<Self.rows).map { row in
          field == 0
            ? .insert("r\(row)", ["f0": .text("ann \(row)"), "body": .text("abc")])
            : .update("r\(row)", ["f\(field)": .text("ann \(row)")])
        })
    }
  }

  private func size(of history: TestHistory) -> Int {
    history.events.values.joined().reduce(0) { $0 + $1.size }
  }

  @Test("an event that has changed many entities is read once, and not for each of them")
  func wideEventsOfTwoAuthors() throws {
    let folder = try ProjectionFolder()
    var history = TestHistory()
    wideEvents(&history, count: 8)
    history.write(
      "bob", at: 100,
      (0..<Self.rows).map { row in
        .update(
          "r\(row)",
          Dictionary(uniqueKeysWithValues: (0..<8).map { ("f\($0)", .text("bob \(row)")) }))
      })
    let source = ArrayEventSource(history)
    let probe = try ReadModelProbe(source, folder: folder.url)
    let (ann, bob) = (TestHistory.origin("ann"), TestHistory.origin("bob"))
    source.deliver(ann, 1...UInt64(history.events[ann]?.count ?? 0))
    try probe.catchUp()
    source.deliver(bob, 1...2)
    try probe.catchUp()
    #expect(source.handedBytes < 4 * size(of: history))
    let difference = ProjectedState.firstDifference(
      expected: history.folded().state, actual: try probe.state())
    #expect(difference == nil, "\(difference ?? "")")
  }

  @Test("stamps that put many rows into another order read each event a few times")
  func wideEventsStamped() throws {
    let folder = try ProjectionFolder()
    var history = TestHistory()
    wideEvents(&history, count: 8)
    history.write(
      "bob", at: 1,
      (0..<Self.rows).map { .update("r\($0)", ["f1": .text("bob"), "f2": .text("bob")]) })
    // Bob's is stamped last, and Ann's one by one, the later ones first.
    history.stamp("hub", "bob", 1...2, at: 900)
    for number in (0..<8).reversed() {
      let event = UInt64(number) + 3
      history.stamp("hub", "ann", event...event, at: 800 - Int64(number))
    }
    let source = ArrayEventSource(history)
    let probe = try ReadModelProbe(source, folder: folder.url)
    for name in ["bob", "ann"] {
      let origin = TestHistory.origin(name)
      source.deliver(origin, 1...UInt64(history.events[origin]?.count ?? 0))
    }
    try probe.catchUp()
    let before = source.handedBytes
    source.deliverAll()
    try probe.catchUp()
    // Each stamp reads the events that it moves, and what is shown now.
    #expect(source.handedBytes - before < 6 * size(of: history))
    let difference = ProjectedState.firstDifference(
      expected: history.folded().state, actual: try probe.state())
    #expect(difference == nil, "\(difference ?? "")")
  }

  @Test("an event with edits of many texts is read once, and not for each text")
  func wideEdits() throws {
    let folder = try ProjectionFolder()
    var history = TestHistory()
    wideEvents(&history, count: 1)
    let (ann, script) = (
      TestHistory.origin("ann"), ReferenceText.script(of: [.insert(Array("!".unicodeScalars))])
    )
    func edits() -> [DaybookEventCore.Operation] {
      (0..<Self.rows).map { row in
        .edit(
          TextEdit(
            collection: "notes", id: "r\(row)", field: "body", base: EventID(ann, 3),
            baseOperation: UInt32(row), script: script))
      }
    }
    // Each of them apart, so that every text is merged.
    for name in ["bob", "cid", "dan", "eve", "fay", "ann"] {
      history.write(name, at: 50, seen: name == "ann" ? [:] : ["ann": 3], edits())
    }
    let source = ArrayEventSource(history)
    let probe = try ReadModelProbe(source, folder: folder.url)
    source.deliver(ann, 1...4)
    try probe.catchUp()
    source.deliver(TestHistory.origin("bob"), 1...2)
    try probe.catchUp()
    source.deliverAll()
    try probe.catchUp()
    #expect(source.handedBytes < 6 * size(of: history))
    let difference = ProjectedState.firstDifference(
      expected: history.folded().state, actual: try probe.state())
    #expect(difference == nil, "\(difference ?? "")")
  }

  @Test("histories and past states of many entities read each event once")
  func wideHistories() throws {
    let folder = try ProjectionFolder()
    var history = TestHistory()
    wideEvents(&history, count: 8)
    let source = ArrayEventSource(history)
    source.deliverAll()
    let probe = try ReadModelProbe(source, folder: folder.url)
    try probe.catchUp()
    let before = source.handedBytes
    try probe.view { view, _ in
      for row in 0..<Self.rows {
        #expect(try view.history(of: "r\(row)", in: "notes").count == 8)
        let past = try view.entity("notes", "r\(row)", at: .time(4))
        #expect(past?.fields["f2"] == .text("ann \(row)"))
      }
    }
    #expect(source.handedBytes - before < 3 * size(of: history))
  }
}
