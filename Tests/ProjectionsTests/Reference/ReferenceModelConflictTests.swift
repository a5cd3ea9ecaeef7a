import DaybookEventCore
import Testing

@testable import DaybookReferenceModel

@Suite("ReferenceModel: conflicts")
struct ReferenceModelConflictTests {
  private func title(_ text: String) -> [String: Value] { ["title": .text(text)] }

  private func fields(_ history: TestHistory) -> [ReferenceName] {
    history.folded().conflicts.map(\.field)
  }

  @Test("two values that neither author had seen are one conflict")
  func concurrent() {
    var history = TestHistory()
    let first = history.write("a", at: 1, .insert("n1", title("a")))
    let second = history.write("b", at: 2, .insert("n1", title("b")))
    let conflicts = history.folded().conflicts
    #expect(conflicts.map(\.field) == ["title"])
    #expect(conflicts.first?.frontier.map(\.event) == [first, second].sorted())
  }

  @Test("stamps change the winner of a conflict, and not the conflict")
  func independentOfStamps() {
    var history = TestHistory()
    history.write("a", at: 1, .insert("n1", title("a")))
    history.write("b", at: 2, .insert("n1", title("b")))
    let before = history.folded()
    history.stamp("hub", "b", 2...2, at: 5)
    let after = history.folded()
    #expect(before.conflicts == after.conflicts)
    #expect(
      before.fieldWinner("notes", "n1", "title")?.value
        != after.fieldWinner("notes", "n1", "title")?.value)
  }

  @Test("the same value twice is no conflict")
  func sameValue() {
    var history = TestHistory()
    history.write("a", at: 1, .insert("n1", title("same")))
    history.write("b", at: 2, .insert("n1", title("same")))
    #expect(fields(history) == [])
  }

  @Test("a write whose author saw both values settles a conflict, even if it repeats one")
  func settled() {
    var history = TestHistory()
    history.write("a", at: 1, .insert("n1", title("a")))
    history.write("b", at: 2, .insert("n1", title("b")))
    history.write("a", at: 3, seen: ["b": 2], .update("n1", title("b")))
    #expect(fields(history) == [])
  }

  @Test("a write whose author saw two of three values leaves the third in conflict")
  func halfSettled() {
    var history = TestHistory()
    history.write("a", at: 1, .insert("n1", title("a")))
    history.write("b", at: 2, .insert("n1", title("b")))
    history.write("c", at: 3, .insert("n1", title("c")))
    history.write("a", at: 4, seen: ["b": 2], .update("n1", title("a2")))
    let frontier = history.folded().conflicts.first?.frontier ?? []
    #expect(
      Set(frontier.map(\.event))
        == [EventID(TestHistory.origin("a"), 3), EventID(TestHistory.origin("c"), 2)])
  }

  @Test("a null and a delete agree that the value is absent")
  func nullAgainstDelete() {
    var history = TestHistory()
    history.write("a", at: 1, .insert("n1", title("a")))
    history.write("a", at: 2, .update("n1", ["title": .null]))
    history.write("b", at: 3, seen: ["a": 2], .delete("n1"))
    #expect(fields(history) == [])
  }

  @Test("an edit against a delete is a conflict on the field, and none on existence")
  func editAgainstDelete() {
    var history = TestHistory()
    history.write("a", at: 1, .insert("n1", ["title": .text("a"), "body": .text("b")]))
    history.write("a", at: 2, .update("n1", title("a2")))
    history.write("b", at: 3, seen: ["a": 2], .delete("n1"))
    #expect(fields(history) == ["title"])
  }

  @Test("a restore against an erase is a conflict on existence")
  func restoreAgainstErase() {
    var history = TestHistory()
    history.write("a", at: 1, .insert("n1"))
    history.write("a", at: 2, .delete("n1"))
    history.write("a", at: 3, .restore("n1"))
    history.write("b", at: 4, seen: ["a": 2], .erase("n1"))
    let conflicts = history.folded().conflicts
    #expect(conflicts.map(\.field) == [""])
    #expect(conflicts.first?.id == "n1")
  }

  @Test("writes below a concurrent erase stay in the frontier")
  func belowFloor() {
    var history = TestHistory()
    history.write("a", at: 1, .insert("n1", title("a")))
    history.write("b", at: 9, .erase("n1"))
    #expect(fields(history) == ["", "title"])
  }

  @Test("two contradicting definitions are a conflict until an author has seen both")
  func definitions() {
    var history = TestHistory()
    history.write("a", at: 1, .notes(["n": .text("integer")]))
    history.write("b", at: 2, .notes(["n": .text("real")]))
    let conflicts = history.folded().conflicts
    #expect(conflicts.map(\.attribute) == ["type"])
    #expect(conflicts.first?.id == nil)
    history.write("b", at: 3, seen: ["a": 2], .notes(["n": .text("real")]))
    #expect(history.folded().conflicts == [])
  }

  @Test("a write whose author saw only the latest write conflicts with no earlier one")
  func notTransitive() {
    var history = TestHistory()
    history.write("a", at: 1, .insert("n1", title("a")))
    history.write("b", at: 2, seen: ["a": 2], .update("n1", title("b")))
    history.write("c", at: 3, seen: ["b": 2], .update("n1", title("c")))
    #expect(fields(history) == [])
    history.write("c", at: 4, .delete("n2"))
    #expect(fields(history) == [])
  }
}
