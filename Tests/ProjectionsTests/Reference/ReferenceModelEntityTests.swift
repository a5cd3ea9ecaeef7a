import DaybookEventCore
import Testing

@testable import DaybookReferenceModel

@Suite("ReferenceModel: entities")
struct ReferenceModelEntityTests {
  private func entity(_ operations: [Operation]) -> ReferenceEntity? {
    var history = TestHistory()
    for (index, operation) in operations.enumerated() {
      history.write("a", at: Int64(index + 1), operation)
    }
    return history.folded().entity("notes", "n1")
  }

  @Test("a field survives a delete and a new insert that does not name it")
  func deleteThenInsert() {
    let entity = entity([
      .insert("n1", ["title": .text("old"), "body": .text("kept")]), .delete("n1"),
      .insert("n1", ["title": .text("new")]),
    ])
    #expect(entity?.isLive == true)
    #expect(entity?.fields["title"]?.value == .text("new"))
    #expect(entity?.fields["body"]?.value == .text("kept"))
  }

  @Test("an update does not undo a delete")
  func updateAfterDelete() {
    let entity = entity([.insert("n1"), .delete("n1"), .update("n1", ["title": .text("x")])])
    #expect(entity?.isLive == false)
    #expect(entity?.fields["title"]?.value == .text("x"))
  }

  @Test("a restore brings a deleted entity back with its fields")
  func restore() {
    let entity = entity([
      .insert("n1", ["title": .text("x")]), .delete("n1"), .restore("n1"),
    ])
    #expect(entity?.isLive == true)
    #expect(entity?.fields["title"]?.value == .text("x"))
  }

  @Test("a restore of an entity that was never inserted is not live")
  func restoreWithoutInsert() {
    let entity = entity([.update("n1", ["title": .text("x")]), .restore("n1")])
    #expect(entity?.isLive == false)
    #expect(entity?.existence?.kind == .restore)
  }

  @Test("a restore applies to an insert that ranks above it, unless that is deleted")
  func restoreBelowInsert() {
    #expect(entity([.restore("n1"), .insert("n1"), .delete("n1")])?.isLive == false)
    #expect(entity([.restore("n1"), .insert("n1")])?.isLive == true)
  }

  @Test("no write below an erase counts, and a restore does not bring it back")
  func eraseIsFloor() {
    let entity = entity([
      .insert("n1", ["title": .text("secret")]), .erase("n1"), .restore("n1"),
    ])
    #expect(entity?.isLive == false)
    #expect(entity?.fields.isEmpty == true)
    #expect(entity?.existence?.kind == .restore)
  }

  @Test("an entity that was erased exists as erased")
  func erased() {
    let entity = entity([.insert("n1"), .erase("n1")])
    #expect(entity?.existence?.kind == .erase)
    #expect(entity?.isLive == false)
  }

  @Test("an update above an erase shows nothing until an insert")
  func updateAboveErase() {
    let below: [Operation] = [.insert("n1", ["title": .text("1")]), .erase("n1")]
    let updated = below + [.update("n1", ["body": .text("2")])]
    #expect(entity(updated)?.isLive == false)
    #expect(entity(updated)?.existence?.kind == .erase)
    let inserted = entity(updated + [.insert("n1")])
    #expect(inserted?.isLive == true)
    #expect(inserted?.fields["body"]?.value == .text("2"))
    #expect(inserted?.fields["title"] == nil)
  }

  @Test("an update that arrives before its insert waits for it")
  func updateBeforeInsert() {
    let waiting = entity([.update("n1", ["title": .text("x")])])
    #expect(waiting?.isLive == false)
    #expect(waiting?.existence == nil)
    let entity = entity([.update("n1", ["title": .text("x")]), .insert("n1")])
    #expect(entity?.isLive == true)
    #expect(entity?.fields["title"]?.value == .text("x"))
  }

  @Test("a null is a write like others")
  func nullIsAWrite() {
    let entity = entity([.insert("n1", ["title": .text("x")]), .update("n1", ["title": .null])])
    #expect(entity?.fields["title"]?.value == .null)
  }

  @Test("ids that are equivalent in Unicode are different")
  func bytewiseNames() {
    var history = TestHistory()
    history.write("a", at: 1, .insert("caf\u{E9}", ["k": .integer(1)]))
    history.write("a", at: 2, .insert("cafe\u{301}", ["k": .integer(2)]))
    let model = history.folded()
    #expect(model.entities["notes"]?.count == 2)
    #expect(model.fieldWinner("notes", "caf\u{E9}", "k")?.value == .integer(1))
  }
}
