import DaybookEventCore
import Testing

@testable import DaybookReferenceModel

@Suite("ReferenceModel: tables")
struct ReferenceModelTableTests {
  private func define(
    _ collection: String, _ attributes: [String: Value] = [:],
    _ fields: KeyValuePairs<String, [String: Value]>
  ) -> Operation {
    .define(
      Definition(
        collection: collection, attributes: attributes,
        fields: fields.map { .init($0.key, $0.value) }))
  }

  private func folded(_ operations: [Operation]) -> ReferenceModel {
    var history = TestHistory()
    for (index, operation) in operations.enumerated() {
      history.write("a", at: Int64(index + 1), operation)
    }
    return history.folded()
  }

  @Test("a table has the live entities by id, typed, with NULL for missing values")
  func rows() {
    let model = folded([
      .insert("b", ["title": .text("B")]), .insert("a", ["done": .boolean(true)]),
      .insert("c"), .delete("c"), .notes(["title": "text", "done": "boolean"]),
    ])
    #expect(model.tables["notes"]?.columns == ["id", "done", "title"])
    #expect(
      model.tables["notes"]?.rows == [
        [.text("a"), .integer(1), .null], [.text("b"), .null, .text("B")],
      ])
  }

  @Test("a child that arrives before its parent and its definition is not dropped")
  func childBeforeParent() {
    let links = define("links", ["relationship": .boolean(true)], [:])
    let child = Operation.insert(
      collection: "links", id: "l", fields: ["source": .text("n1"), "target": .text("n2")])
    let model = folded([child, links, .insert("n1"), .notes([:])])
    #expect(model.tables["links"]?.rows == [[.text("l"), .text("n1"), .text("n2")]])
  }

  @Test("every type shows values that fit it, and lists others as misfits")
  func fits() throws {
    let fits: [(String, Value, ReferenceCell)] = [
      ("text", .text("x"), .text("x")), ("integer", .integer(-1), .integer(-1)),
      ("real", .real(1.5), .real(1.5)), ("real", .integer(1 << 53), .real(9_007_199_254_740_992)),
      ("boolean", .boolean(false), .integer(0)), ("blob", .blob([1]), .blob([1])),
      ("timestamp", .timestamp(0), .text("1970-01-01 00:00:00.000")),
      ("json", .json(Array("[]".utf8)), .text("[]")), ("text", .null, .null),
    ]
    for (type, value, cell) in fits { #expect(ReferenceCell(value, type: type) == cell) }
    let misfits: [(String, Value)] = [
      ("text", .json([])), ("integer", .real(1)), ("integer", .boolean(true)),
      ("real", .integer(1 << 53 + 1)), ("real", .integer(.min)), ("boolean", .integer(1)),
      ("blob", .text("x")), ("timestamp", .integer(0)), ("timestamp", .timestamp(.max)),
      ("timestamp", .timestamp(.min)), ("json", .text("[]")),
    ]
    for (type, value) in misfits { #expect(ReferenceCell(value, type: type) == nil) }

    let model = folded([.notes(["n": "integer"]), .insert("a", ["n": .text("1")])])
    #expect(model.tables["notes"]?.rows == [[.text("a"), .null]])
    #expect(model.misfits == [ReferenceMisfit(collection: "notes", id: "a", field: "n")])
  }

  @Test("a misfit that wins does not let an older value through")
  func winnerBeforeTyping() {
    let model = folded([
      .notes(["n": "integer"]), .insert("a", ["n": .integer(1)]), .update("a", ["n": .text("x")]),
    ])
    #expect(model.tables["notes"]?.rows == [[.text("a"), .null]])
  }

  @Test(
    "timestamps show the proleptic Gregorian calendar, years 1 to 9999",
    arguments: [
      (Int64(951_782_400_001), "2000-02-29 00:00:00.001"), (-1, "1969-12-31 23:59:59.999"),
      (-62_135_596_800_000, "0001-01-01 00:00:00.000"), (-62_135_596_800_001, nil),
      (253_402_300_799_999, "9999-12-31 23:59:59.999"), (253_402_300_800_000, nil),
      (-2_203_891_200_000, "1900-03-01 00:00:00.000"), (.max, nil), (.min, nil),
    ])
  func calendar(_ milliseconds: Int64, _ text: String?) {
    #expect(ReferenceCalendar.text(milliseconds: milliseconds) == text)
  }

  @Test("only the name with the smallest bytes is declared if names differ in case")
  func caseInsensitive() {
    let model = folded([
      define("notes", [:], ["title": ["type": "text"], "Title": ["type": "integer"]]),
      define("Notes", [:], [:]), define("NOTES2", [:], [:]),
    ])
    #expect(model.tables.keys.sorted() == ["NOTES2", "Notes"])
    let dropped = folded([
      define("notes", [:], ["title": ["type": "text"], "Title": ["type": "odd"]]),
      define("Notes", [:], [:]), .drop(collection: "Notes", field: nil),
    ])
    #expect(dropped.tables["notes"]?.columns == ["id", "title"])
  }

  @Test("reserved, invalid and untyped names are no columns and no tables")
  func invalidNames() {
    let model = folded([
      define(
        "n", [:],
        [
          "ID": ["type": "text"], "rank": ["type": "text"], "a-b": ["type": "text"],
          "untyped": [:], "sqlite_x": ["type": "text"], "odd": ["type": "number"],
          "_k": ["type": "text"], "ok_1": ["type": "text"],
        ]),
      define("1st", [:], [:]), define("SQLite_x", [:], [:]), define("_k", [:], [:]),
      define(String(repeating: "x", count: 63), [:], [:]),
      define(String(repeating: "y", count: 64), [:], [:]),
    ])
    #expect(model.tables["n"]?.columns == ["id", "ok_1", "rank"])
    #expect(model.tables.keys.sorted() == ["n", String(repeating: "x", count: 63)])
  }

  @Test("a relationship has source and target before its other columns")
  func relationship() {
    let model = folded([
      define(
        "links", ["relationship": .boolean(true)],
        [
          "Source": ["type": "integer"], "source": ["type": "integer", "index": .boolean(true)],
          "b": ["type": "real"], "a": ["type": "real", "position": .integer(5)],
        ]),
      .drop(collection: "links", field: "target"),
    ])
    #expect(model.tables["links"]?.columns == ["id", "source", "target", "a", "b"])
    let source = model.schema.collections["links"]?.columns.first
    #expect(source?.type == "text" && source?.isIndexed == true)
  }

  @Test("a drop ends a definition, and a later define restores its attributes")
  func dropAndRedefine() {
    let first: [Operation] = [
      .notes(["title": "text"]), .drop(collection: "notes", field: "title"),
    ]
    #expect(folded(first).tables["notes"]?.columns == ["id"])
    // The first type counts for ever.
    for type: Value in [.null, "integer"] {
      let model = folded(first + [.notes(["title": type])])
      #expect(model.tables["notes"]?.columns == ["id", "title"])
      #expect(model.schema.collections["notes"]?.columns.first?.type == "text")
    }
    #expect(
      folded(first + [define("notes", [:], ["title": [:]])]).tables["notes"]?.columns
        == ["id", "title"])
    #expect(folded(first + [.drop(collection: "notes", field: nil)]).tables["notes"] == nil)
  }

  @Test("an attribute named exists is ignored")
  func existsAttribute() {
    let lie: [String: Value] = ["exists": .boolean(false), "type": .text("text")]
    let model = folded([define("notes", ["exists": .boolean(false)], ["title": lie])])
    #expect(model.tables["notes"]?.columns == ["id", "title"])
  }

  @Test("only fields of text and JSON, with a flag or a positive weight, are searchable")
  func searchable() {
    let model = folded([
      define(
        "n", [:],
        [
          "a": ["type": "text", "search": .boolean(true)],
          "b": ["type": "json", "search": .real(2)],
          "c": ["type": "text", "search": .integer(0)],
          "d": ["type": "real", "search": .integer(1)],
          "e": ["type": "text", "search": .text("yes")],
        ])
    ])
    let searchable = model.schema.collections["n"]?.columns.filter(\.isSearchable).map(\.name)
    #expect(searchable == ["a", "b"])
  }
}
