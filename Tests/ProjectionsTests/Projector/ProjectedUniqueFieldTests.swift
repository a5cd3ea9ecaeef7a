import DaybookEventCore
import Foundation
import GRDB
import Testing

@testable import DaybookProjections

/// Unique fields in the projector, step by step. `ProjectorPropertyTests` compares random sets of
/// events with the reference model.
@Suite struct ProjectedUniqueFieldTests {
  private static func notes(unique: Bool?, search: Bool = false) -> DaybookEventCore.Operation {
    var attributes: [String: Value] = ["type": "text", "search": .boolean(search)]
    if let unique { attributes["unique"] = .boolean(unique) }
    return .define(
      Definition("notes", [.init("code", attributes), .text("name")]))
  }

  private func code(_ text: String) -> [String: Value] { ["code": .text(text)] }

  @Test("a unique value gets another owner as owners are changed, deleted, erased and restored")
  func owners() throws {
    var history = TestHistory()
    history.write("ann", at: 1, Self.notes(unique: true, search: true))
    for (index, id) in ["n1", "n2", "n3"].enumerated() {
      history.write("ann", at: Int64(index + 2), .insert(id, code("x")))
    }
    history.write("ann", at: 10, .update("n1", code("y")))
    history.write("ann", at: 11, .delete("n2"))
    history.write("ann", at: 12, .restore("n2"))
    history.write("ann", at: 13, .erase("n2"))
    history.write("ann", at: 14, .update("n1", code("x")))
    history.write("ann", at: 15, .update("n3", ["code": .null]))
    history.write("ann", at: 16, .insert("n2", code("x")))
    try history.check((1...12).map { ("ann", $0...$0) })
  }

  @Test("an entity that was erased between two inserts ranks by the later insert")
  func eraseBetween() throws {
    var history = TestHistory()
    history.write("ann", at: 1, Self.notes(unique: true))
    history.write("ann", at: 2, .insert("n1", code("x")))
    history.write("ann", at: 8, .insert("n1", code("x")))
    history.write("bob", at: 4, .insert("n2", code("x")))
    history.write("cat", at: 3, .erase("n1"))
    try history.check([("ann", 1...4), ("bob", 1...2), ("cat", 1...2)])
  }

  @Test("stamps decide which entity owns a unique value")
  func stamps() throws {
    var history = TestHistory()
    history.write("ann", at: 1, Self.notes(unique: true))
    history.write("ann", at: 2, .insert("n1", code("x")))
    history.write("bob", at: 3, .insert("n2", code("x")))
    history.write("bob", at: 4, .insert("n3", code("y")), .update("n3", code("x")))
    history.stamp("hub", "bob", 3...3, at: 5)
    history.stamp("hub", "bob", 2...2, at: 4)
    history.stamp("hub", "ann", 3...3, at: 3)
    try history.check(
      [("ann", 1...3), ("bob", 1...3), ("hub", 1...2), ("hub", 3...3), ("hub", 4...4)])
  }

  @Test("entities are parked as long as their field is unique")
  func definitions() throws {
    var history = TestHistory()
    history.write("ann", at: 1, Self.notes(unique: nil))
    history.write("ann", at: 2, .insert("n1", code("x")), .insert("n2", code("x")))
    history.write("ann", at: 3, Self.notes(unique: true))
    history.write("ann", at: 4, Self.notes(unique: nil, search: true))
    history.write("ann", at: 5, Self.notes(unique: false))
    history.write("ann", at: 6, Self.notes(unique: true))
    history.write("ann", at: 7, .drop(collection: "notes", field: "code"))
    history.write("ann", at: 8, .drop(collection: "notes", field: nil))
    history.write("ann", at: 9, Self.notes(unique: nil))
    try history.check((1...10).map { ("ann", $0...$0) })
  }

  @Test("a folded rule parks what differs in case or form, and each row keeps its spelling")
  func folded() throws {
    var history = TestHistory()
    history.write(
      "ann", at: 1, .define(Definition("notes", [.text("code").unique(.folded), .text("name")])))
    for (index, text) in ["\u{C9}cole", "e\u{301}COLE", "\u{E9}cole", "ecole"].enumerated() {
      history.write("ann", at: Int64(index + 2), .insert("n\(index)", code(text)))
    }
    history.write("ann", at: 10, .update("n0", code("stra\u{DF}e")))
    history.write("ann", at: 11, .update("n2", code("STRASSE")))
    history.write("ann", at: 12, .delete("n0"))
    history.write("ann", at: 13, Self.notes(unique: true))
    history.write("ann", at: 14, .define(Definition("notes", [.text("code").unique(.folded)])))
    try history.check((1...11).map { ("ann", $0...$0) })
  }

  @Test("a folded rule for several fields folds the texts among them, and nothing else")
  func foldedTogether() throws {
    var history = TestHistory()
    let definition = Definition(
      "notes", [.text("code"), .json("data"), .integer("number"), .timestamp("due")])
    history.write(
      "ann", at: 1, .define(definition.unique(.folded, "code", "data", "number", "due")))
    let json = ["\"a\"", "\"A\""].map { Value.json(Array($0.utf8)) }
    for (index, (text, data)) in [("x", 0), ("X", 0), ("x", 1), ("X", 1)].enumerated() {
      history.write(
        "ann", at: Int64(index + 2),
        .insert(
          "n\(index)",
          ["code": .text(text), "data": json[data], "number": 1, "due": .timestamp(0)]))
    }
    history.write("ann", at: 9, .define(definition.unique("code", "data", "number", "due")))
    try history.check((1...6).map { ("ann", $0...$0) })
  }

  @Test("a folded rule for a field of another type compares values as they are")
  func foldedNumber() throws {
    var history = TestHistory()
    let data = Definition.Field.json("data").unique(.folded)
    history.write("ann", at: 1, .define(Definition("notes", [data])))
    for (index, text) in ["\"a\"", "\"A\"", "\"a\""].enumerated() {
      let value = Value.json(Array(text.utf8))
      history.write("ann", at: Int64(index + 2), .insert("n\(index)", ["data": value]))
    }
    try history.check((1...4).map { ("ann", $0...$0) })
  }

  @Test("a field with both rules has the one without case")
  func exactAndFolded() throws {
    var history = TestHistory()
    history.write("ann", at: 1, Self.notes(unique: true))
    for (index, text) in ["x", "X", "x"].enumerated() {
      history.write("ann", at: Int64(index + 2), .insert("n\(index)", code(text)))
    }
    history.write("ann", at: 5, .define(Definition("notes").unique(.folded, "code")))
    history.write("ann", at: 6, .update("n1", code("y")))
    history.write("ann", at: 7, Self.notes(unique: false))
    history.write("ann", at: 8, .define(Definition("notes").unique("code")))
    try history.check((1...8).map { ("ann", $0...$0) })
  }

  @Test("a rule of a later version hides nothing here, and the schema says so")
  func ruleOfLater() throws {
    var history = TestHistory()
    let field = Definition.Field.text("code").attribute("unique", "folded-2")
    history.write("ann", at: 1, .define(Definition("notes", [field])))
    history.write("ann", at: 2, .define(Definition("notes").attribute("unique:code,id", "other")))
    history.write("ann", at: 3, .insert("n1", code("x")), .insert("n2", code("x")))
    try history.check((1...4).map { ("ann", $0...$0) })
    let source = ArrayEventSource(history)
    source.deliverAll()
    let folder = try ProjectionFolder()
    let probe = try ReadModelProbe(source, folder: folder.url)
    try probe.catchUp()
    let hidden = try probe.view { view, _ in view.schema.hiddenDefinitions }
    #expect(hidden.map(\.field) == ["code", "code,id"])
    #expect(hidden.map(\.reason) == [.unknownRule("folded-2"), .unknownRule("other")])
    #expect(try probe.view { view, _ in try view.hidden() }.isEmpty)
  }

  /// Seed 810252 of the lives of a zone.
  @Test("a field that is unique by itself and as a set of one field has one rule")
  func uniqueTwice() throws {
    var history = TestHistory()
    let set = Definition(collection: "notes", attributes: ["unique:code": true])
    history.write("ann", at: 1, Self.notes(unique: true))
    history.write("ann", at: 2, .insert("n1", code("x")), .insert("n2", code("x")))
    history.write("ann", at: 3, .define(set))
    history.write("ann", at: 4, .insert("n3", code("x")), .insert("n4", code("y")))
    history.write("ann", at: 5, .update("n1", code("y")))
    history.write("ann", at: 6, Self.notes(unique: false))
    history.write("ann", at: 7, .delete("n2"))
    try history.check((1...8).map { ("ann", $0...$0) })
  }

  @Test("a change among many entities with one value touches the owners only")
  func manyWithOneValue() throws {
    let count = 3_000
    var history = TestHistory()
    history.write("ann", at: 1, Self.notes(unique: true))
    for number in 0..<count {
      // Each insert ranks before all earlier ones.
      history.write("ann", at: Int64(10_000 - number), .insert("n\(number)", code("x")))
    }
    let source = ArrayEventSource(history)
    source.deliverAll()
    let folder = try ProjectionFolder()
    let probe = try ReadModelProbe(source, folder: folder.url)
    try probe.catchUp()
    let parked = try probe.view { view, _ in try view.hidden() }
    #expect(parked.count == count - 1)
    #expect(parked.allSatisfy { $0.reason == .parked(owner: "n\(count - 1)") })
    // Each insert changes some ten rows, and not a row of each other entity.
    let total = try probe.view { _, db in db.totalChangesCount }
    #expect(total < count * 30)
    #expect(try probe.differenceFromRebuilt(folder: folder.url) == nil)
  }
}
