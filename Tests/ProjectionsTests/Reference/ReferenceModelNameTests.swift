import DaybookEventCore
import Testing

@testable import DaybookReferenceModel

@Suite("ReferenceModel: names of fields")
struct ReferenceModelNameTests {
  private func define(_ fields: (String, String?)...) -> Operation {
    .define(
      Definition(
        "notes",
        fields.map { identity, name in
          var attributes: [String: Value] = ["type": "text"]
          if let name { attributes["name"] = .text(name) }
          return .init(identity, attributes)
        }))
  }

  private func columns(_ operations: Operation...) -> [String] {
    var history = TestHistory()
    for (index, operation) in operations.enumerated() {
      history.write("a", at: Int64(index + 1), operation)
    }
    return Array(history.folded().tables["notes"]?.columns.dropFirst() ?? [])
  }

  @Test("a renamed field is shown with its values, in the place of its first name")
  func renamed() {
    var history = TestHistory()
    history.write("a", at: 1, define(("body", nil), ("title", nil)))
    history.write("a", at: 2, .insert("n1", ["title": "t", "body": "b", "headline": "h"]))
    history.write("b", at: 3, define(("body", "text")))
    let table = history.folded().tables["notes"]
    #expect(table?.columns == ["id", "text", "title"])
    #expect(table?.rows == [[.text("n1"), .text("b"), .text("t")]])
  }

  @Test("a first name is never lent, even if its field is shown under another name")
  func firstNames() {
    #expect(columns(define(("body", "title"), ("title", nil))) == ["body", "title"])
    #expect(columns(define(("body", "title"), ("title", "headline"))) == ["body", "headline"])
    #expect(columns(define(("body", "TITLE"), ("title", "body"))) == ["body", "title"])
  }

  @Test("a name that two fields want goes to the field with the smaller first name")
  func contested() {
    #expect(columns(define(("b", "x"), ("a", "X"))) == ["X", "b"])
  }

  @Test("a name may change its case, and a name that no column can have is ignored")
  func spelling() {
    #expect(columns(define(("title", "Title"))) == ["Title"])
    #expect(columns(define(("title", "Id"), ("body", "a b"))) == ["body", "title"])
  }

  @Test("a renaming separates two fields that differ in case only")
  func caseClash() {
    #expect(columns(define(("Title", nil), ("title", nil))) == ["Title"])
    #expect(columns(define(("Title", "heading"), ("title", nil))) == ["heading", "title"])
    #expect(columns(define(("Title", nil), ("title", "heading"))) == ["Title", "heading"])
  }

  @Test("a dropped field's first name is free for another field")
  func dropped() {
    #expect(
      columns(
        define(("title", nil), ("body", "title")), .drop(collection: "notes", field: "title"))
        == ["title"])
  }
}
