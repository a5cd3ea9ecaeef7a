import DaybookEventCore
import Testing

@testable import DaybookReferenceModel

@Suite("ReferenceModel: unique fields")
struct ReferenceModelParkedTests {
  private static let notes = Operation.define(
    Definition(
      "notes",
      [
        .text("code").unique(),
        .real("size").unique(),
      ]))

  private func code(_ text: String) -> [String: Value] { ["code": .text(text)] }

  private func shown(_ history: TestHistory) -> [ReferenceCell] {
    (history.folded().tables["notes"]?.rows ?? []).map { $0[0] }
  }

  @Test("the entity that was inserted first owns a unique value, whichever set it last")
  func firstInsert() {
    var history = TestHistory()
    history.write("a", at: 1, Self.notes, .insert("n2"))
    history.write("b", at: 2, .insert("n1", code("x")))
    #expect(shown(history) == [.text("n1"), .text("n2")])
    history.write("a", at: 3, .update("n2", code("x")))
    #expect(shown(history) == [.text("n2")])
    #expect(
      history.folded().parked == [
        ReferenceParked(collection: "notes", id: "n1", field: "code", owner: "n2")
      ])
  }

  @Test("a later insert of a live entity does not change its rank, and an erase does")
  func rank() {
    var history = TestHistory()
    history.write("a", at: 1, Self.notes, .insert("n1", code("x")))
    history.write("b", at: 2, .insert("n2", code("x")))
    history.write("b", at: 3, .insert("n1", code("x")))
    #expect(shown(history) == [.text("n1")])
    history.write("b", at: 4, .erase("n1"), .insert("n1", code("x")))
    #expect(shown(history) == [.text("n2")])
  }

  @Test("a stamp that changes the first insert changes the owner")
  func stamps() {
    var history = TestHistory()
    history.write("a", at: 1, Self.notes)
    history.write("a", at: 2, .insert("n1", code("x")))
    history.write("b", at: 3, .insert("n2", code("x")))
    #expect(shown(history) == [.text("n1")])
    history.stamp("hub", "b", 2...2, at: 9)
    #expect(shown(history) == [.text("n2")])
  }

  @Test("an entity that is parked for one field still owns its value in another")
  func notRecursive() {
    var history = TestHistory()
    history.write("a", at: 1, Self.notes)
    history.write("a", at: 2, .insert("n1", code("x")))
    history.write("a", at: 3, .insert("n2", ["code": "x", "size": .real(1)]))
    history.write("a", at: 4, .insert("n3", ["size": .integer(1)]))
    #expect(shown(history) == [.text("n1")])
    #expect(history.folded().parked.map(\.owner) == ["n1", "n2"])
  }

  @Test("NULL and values of another type clash with nothing")
  func nulls() {
    var history = TestHistory()
    history.write("a", at: 1, Self.notes, .insert("n1"), .insert("n2", ["code": .null]))
    history.write("a", at: 2, .insert("n3", ["code": .integer(1)]))
    history.write("b", at: 2, .insert("n4", ["code": .integer(1)]))
    #expect(shown(history).count == 4)
  }
}
