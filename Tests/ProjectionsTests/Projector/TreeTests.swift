import DaybookEventCore
import Foundation
import GRDB
import Testing

@testable import DaybookProjections

/// Trees in the projector, step by step. `ProjectorPropertyTests` compares random sets of events
/// with the reference model.
@Suite struct TreeTests {
  private static func notes(tree: Bool? = true, unique: Bool = false) -> DaybookEventCore.Operation
  {
    var attributes: [String: Value] = ["type": "text", "references": "notes"]
    if let tree { attributes["tree"] = .boolean(tree) }
    let code: [String: Value] = ["type": "text", "unique": .boolean(unique)]
    return .define(
      Definition("notes", [.init("parent", attributes), .init("code", code)]))
  }

  private func parent(_ id: String) -> [String: Value] { ["parent": .text(id)] }

  @Test("a cycle is cut, moved, opened and closed again as its members change")
  func life() throws {
    var history = TestHistory()
    history.write("ann", at: 1, Self.notes())
    history.write("ann", at: 2, .insert("n1", parent("n2")))
    history.write("ann", at: 3, .insert("n2", parent("n3")))
    history.write("ann", at: 4, .insert("n3", parent("n1")))
    history.write("ann", at: 5, .update("n1", parent("n2")))
    history.write("ann", at: 6, .insert("n4", parent("n1")), .update("n2", parent("n4")))
    history.write("ann", at: 7, .delete("n4"))
    history.write("ann", at: 8, .restore("n4"))
    history.write("ann", at: 9, .update("n4", parent("n4")))
    history.write("ann", at: 10, .update("n4", ["parent": .integer(1)]))
    history.write("ann", at: 11, .erase("n2"))
    try history.check((1...12).map { ("ann", $0...$0) })
  }

  @Test("stamps decide which reference of a cycle is the latest")
  func stamps() throws {
    var history = TestHistory()
    history.write("ann", at: 1, Self.notes())
    history.write("ann", at: 2, .insert("n1", parent("n2")))
    history.write("bob", at: 3, .insert("n2", parent("n3")))
    history.write("cat", at: 4, .insert("n3"), .update("n3", parent("n1")))
    history.stamp("hub", "cat", 2...2, at: 5)
    history.stamp("hub", "bob", 2...2, at: 6)
    history.stamp("hub", "ann", 3...3, at: 4)
    try history.check(
      [
        ("ann", 1...3), ("bob", 1...2), ("cat", 1...2), ("hub", 1...2), ("hub", 3...3),
        ("hub", 4...4),
      ])
  }

  @Test("a parked entity is part of a cycle like any other")
  func parked() throws {
    var history = TestHistory()
    history.write("ann", at: 1, Self.notes(unique: true))
    history.write("ann", at: 2, .insert("n0", ["code": "x"]))
    history.write("ann", at: 3, .insert("n1", ["code": "x", "parent": "n2"]))
    history.write("ann", at: 4, .insert("n2", ["code": "y", "parent": "n1"]))
    history.write("ann", at: 5, .update("n1", parent("n2")))
    history.write("ann", at: 6, .update("n0", ["code": "z"]))
    try history.check((1...7).map { ("ann", $0...$0) })
  }

  @Test("cycles are cut as long as their field is a tree")
  func definitions() throws {
    var history = TestHistory()
    history.write("ann", at: 1, Self.notes(tree: nil))
    history.write("ann", at: 2, .insert("n1", parent("n2")), .insert("n2", parent("n1")))
    history.write("ann", at: 3, Self.notes(tree: true))
    history.write("ann", at: 4, Self.notes(tree: false))
    history.write("ann", at: 5, Self.notes(tree: true))
    history.write("ann", at: 6, .drop(collection: "notes", field: "parent"))
    history.write("ann", at: 7, Self.notes(tree: nil))
    history.write("ann", at: 8, .drop(collection: "notes", field: nil))
    try history.check((1...9).map { ("ann", $0...$0) })
  }

  @Test(
    "adding an entity to a long line of parents reads only its neighbours",
    arguments: [false, true])
  func longLine(unique: Bool) throws {
    var history = TestHistory()
    history.write("ann", at: 1, Self.notes(unique: unique))
    let count = 4_000
    for start in stride(from: 0, to: count, by: 500) {
      history.append(
        "ann", .transaction, Int64(start + 2), [:],
        (start..<start + 500).map { .insert("n\($0)", parent("n\($0 - 1)")) })
    }
    let source = ArrayEventSource(history)
    source.deliverAll()
    let folder = try ProjectionFolder()
    let probe = try ReadModelProbe(source, folder: folder.url)
    try probe.catchUp()
    // Following the line upwards each time would take eight million steps.
    #expect(try probe.view { view, _ in try view.entity("notes", "n3999")?["parent"] } == "n3998")
    #expect(try probe.differenceFromRebuilt(folder: folder.url) == nil)
  }

  @Test("a false list of cycles is found")
  func damage() throws {
    var history = TestHistory()
    history.write("ann", at: 1, Self.notes())
    history.write("ann", at: 2, .insert("n1", parent("n2")), .insert("n2", parent("n1")))
    let source = ArrayEventSource(history)
    source.deliverAll()
    let folder = try ProjectionFolder()
    let probe = try ReadModelProbe(source, folder: folder.url)
    try probe.catchUp()
    #expect(try probe.differenceFromRebuilt(folder: folder.url) == nil)
    try probe.damage("UPDATE _daybook_cycles SET id = 'n1'")
    #expect(try probe.differenceFromRebuilt(folder: folder.url)?.place == "cycles")
    try probe.damage("DELETE FROM _daybook_cycles")
    #expect(try probe.differenceFromRebuilt(folder: folder.url)?.place == "cycles")
  }
}
