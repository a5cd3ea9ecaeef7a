import DaybookEventCore
import Foundation
import Testing

@testable import DaybookProjections
@testable import DaybookReferenceModel

/// The work for one field, or one text, that many authors have written who do not know each other.
/// Whoever has a write token can make up authors.
@Suite struct ManyAuthorsTests {
  private struct Work {
    /// How often it was looked up what an author had seen.
    var lookups: Int
    /// The bytes of entities' states that were written.
    var stateBytes: Int

    init(_ probe: ReadModelProbe) {
      lookups = probe.projector.index.sightLookups
      stateBytes = probe.projector.entities.stateBytesWritten
    }

    static func - (a: Work, b: Work) -> Work {
      var work = a
      work.lookups -= b.lookups
      work.stateBytes -= b.stateBytes
      return work
    }
  }

  private static let ann = TestHistory.origin("ann")

  /// Returns a read model of a note that `count` strangers have changed, who had all seen the
  /// note, and none of the others; and the work for those changes.
  private func crowd(
    _ count: Int, _ folder: URL, change: (Int) -> DaybookEventCore.Operation
  ) throws -> (probe: ReadModelProbe, history: TestHistory, work: Work) {
    var history = TestHistory()
    history.write(
      "ann", at: 1, .define(Definition("notes", [.text("title"), .text("body").merging()])))
    history.write("ann", at: 2, .insert("n1", ["title": .text("0"), "body": .text("abc")]))
    for number in 0..<count {
      history.write("s\(number)", at: 10 + Int64(number), seen: ["ann": 3], change(number))
    }
    let source = ArrayEventSource(history)
    let probe = try ReadModelProbe(source, folder: folder)
    source.deliver(Self.ann, 1...3)
    try probe.catchUp()
    let before = Work(probe)
    source.deliverAll()
    try probe.catchUp()
    return (probe, history, Work(probe) - before)
  }

  private func assignment(_ number: Int) -> DaybookEventCore.Operation {
    .update("n1", ["title": .text("title \(number)")])
  }

  private func edit(_ number: Int) -> DaybookEventCore.Operation {
    let script = ReferenceText.script(of: [.insert(Array("\(number) ".unicodeScalars))])
    return .edit(
      TextEdit(
        collection: "notes", id: "n1", field: "body", base: EventID(Self.ann, 3), baseOperation: 0,
        script: script))
  }

  @Test("the work for a field, and for a text, is in proportion to its authors")
  func proportion() throws {
    let folder = try ProjectionFolder()
    for change in [assignment, edit] {
      let (small, large) = (
        try crowd(200, folder.url, change: change).work,
        try crowd(800, folder.url, change: change).work
      )
      #expect(large.lookups < 5 * small.lookups + 100, "\(small) \(large)")
      #expect(large.stateBytes < 6 * small.stateBytes, "\(small) \(large)")
      #expect(large.lookups < 10 * 800, "\(large)")
    }
  }

  @Test("a write by an author who has seen all others costs what it has seen, and the next little")
  func writeAfterMany() throws {
    let folder = try ProjectionFolder()
    let count = 300
    var (probe, history, _) = try crowd(count, folder.url, change: assignment)
    var seen = Dictionary(uniqueKeysWithValues: (0..<count).map { ("s\($0)", UInt64(2)) })
    seen["ann"] = 3
    func writes(_ title: String) throws -> Work {
      let before = Work(probe)
      history.write("zoe", at: 5000, seen: seen, .update("n1", ["title": .text(title)]))
      probe.source.follow(history)
      try probe.catchUp()
      return Work(probe) - before
    }
    #expect(try writes("first").lookups <= 2 * count)
    let open = try probe.view { view, _ in try view.conflicts().count }
    #expect(open == 0)
    #expect(try writes("second").lookups <= 2 * count)
    let difference = ProjectedState.firstDifference(
      expected: history.folded().state, actual: try probe.state())
    #expect(difference == nil, "\(difference ?? "")")
    #expect(try probe.differenceFromRebuilt(folder: folder.url) == nil)
  }

  @Test("a crowded entity is what its writes say, whatever comes between them")
  func crowdedEntities() throws {
    let folder = try ProjectionFolder()
    var history = TestHistory()
    history.write(
      "ann", at: 1, .define(Definition("notes", [.text("title"), .text("body").merging()])))
    let notes = (0..<20).map { "n\($0)" }
    history.write("ann", at: 2, notes.map { .insert($0, ["title": .text("0")]) })
    // Every stranger writes to all, some of which then are crowded: more than are held at once.
    for number in 0..<80 {
      history.write(
        "s\(number)", at: 10 + Int64(number), seen: ["ann": 3],
        notes.flatMap { note -> [DaybookEventCore.Operation] in
          switch (number, note) {
          case (75, "n3"): [.delete(collection: "notes", id: note)]
          case (76, "n4"): [.erase(collection: "notes", id: note)]
          case (77, "n5"): [.define(Definition("notes", [.integer("rank")]))]
          default: [.update(note, ["title": .text("\(number)"), "rank": .integer(Int64(number))])]
          }
        })
    }
    history.stamp("hub", "s79", 1...2, at: 100)
    history.stamp("hub", "s3", 1...2, at: 200)
    let source = ArrayEventSource(history)
    let probe = try ReadModelProbe(source, folder: folder.url)
    source.deliver(Self.ann, 1...3)
    try probe.catchUp()
    source.deliverAll()
    try probe.catchUp()
    let difference = ProjectedState.firstDifference(
      expected: history.folded().state, actual: try probe.state())
    #expect(difference == nil, "\(difference ?? "")")
    #expect(try probe.differenceFromRebuilt(folder: folder.url) == nil)
  }
}
