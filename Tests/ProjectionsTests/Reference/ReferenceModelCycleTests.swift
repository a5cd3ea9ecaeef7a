import DaybookEventCore
import Testing

@testable import DaybookReferenceModel

@Suite("ReferenceModel: trees")
struct ReferenceModelCycleTests {
  private static func notes(_ references: Value = "notes") -> Operation {
    .define(
      Definition(
        "notes",
        [
          .init("parent", ["type": "text", "references": references, "tree": .boolean(true)])
        ]))
  }

  private func parents(_ history: TestHistory) -> [ReferenceCell] {
    (history.folded().tables["notes"]?.rows ?? []).map { $0[1] }
  }

  private func parent(_ id: String) -> [String: Value] { ["parent": .text(id)] }

  @Test("the latest reference of a cycle that a merge made reads NULL")
  func latest() {
    var history = TestHistory()
    history.write("a", at: 1, Self.notes(), .insert("n1"), .insert("n2"), .insert("n3"))
    history.write("a", at: 2, .update("n1", parent("n2")), .update("n2", parent("n3")))
    history.write("b", at: 3, .update("n3", parent("n1")))
    #expect(parents(history) == [.text("n2"), .text("n3"), .null])
    #expect(history.folded().cycles.map(\.id) == ["n3"])
    // A stamp makes the reference the earliest.
    history.stamp("hub", "b", 2...2, at: 9)
    #expect(parents(history) == [.text("n2"), .null, .text("n1")])
  }

  @Test("a reference into a cycle stays, and an entity that is its own parent is a root")
  func around() {
    var history = TestHistory()
    history.write("a", at: 1, Self.notes())
    history.write("a", at: 2, .insert("n1", parent("n1")), .insert("n2", parent("n1")))
    #expect(parents(history) == [.null, .text("n1")])
  }

  @Test("a deleted entity is in no cycle")
  func deleted() {
    var history = TestHistory()
    history.write("a", at: 1, Self.notes(), .insert("n1", parent("n2")))
    history.write("a", at: 2, .insert("n2", parent("n1")))
    #expect(parents(history) == [.text("n2"), .null])
    history.write("a", at: 3, .delete("n1"))
    #expect(parents(history) == [.text("n1")])
  }

  @Test("a reference to another collection is no tree")
  func otherCollection() {
    var history = TestHistory()
    history.write("a", at: 1, Self.notes("tasks"), .insert("n1", parent("n1")))
    #expect(parents(history) == [.text("n1")])
  }
}
