import DaybookEventCore
import Testing

@testable import DaybookReferenceModel

@Suite("ReferenceModel: digest")
struct ReferenceModelDigestTests {
  @Test("the digest of an entity and its definition follows the documented rules")
  func spelledOut() {
    var history = TestHistory()
    history.write("a", at: 1, .drop(collection: "notes", field: nil))
    history.write("a", at: 2, .insert("n1", ["title": .text("x")]), .update("n1", ["b": .null]))
    let origin = TestHistory.origin("a").bytes

    func reference(_ sequence: UInt8, _ operation: UInt8) -> [UInt8] {
      origin + [sequence, 0, 0, 0, 0, 0, 0, 0] + [operation, 0, 0, 0]
    }
    let definition =
      Array("daybook.definition.1".utf8) + [5] + Array("notes".utf8) + [0] + [6]
      + Array("exists".utf8) + [1] + reference(2, 0)
    var entity = Array("daybook.entity.1".utf8) + [5] + Array("notes".utf8) + [4, 0x6E, 0x31]
    entity += [3] + reference(3, 0) + [1] + [2]
    entity += [1, 0x62] + [0] + reference(3, 1)
    entity += [5] + Array("title".utf8) + [5, 1, 0x78] + reference(3, 0)
    var digest = StateDigest()
    digest.add(Hash256.sha256(of: definition))
    digest.add(Hash256.sha256(of: entity))
    #expect(history.folded().digest == digest)
  }

  @Test("entities that were only updated or erased count in the digest")
  func updatedAndErased() {
    var history = TestHistory()
    let empty = history.folded().digest
    history.write("a", at: 1, .update("n1", ["title": .text("x")]))
    let updated = history.folded().digest
    history.write("a", at: 2, .erase("n1"))
    let erased = history.folded().digest
    #expect(empty == StateDigest())
    #expect(Set([empty, updated, erased]).count == 3)
  }

  @Test("a stamp that changes the winner changes the digest")
  func followsWinner() {
    var history = TestHistory()
    history.write("a", at: 1, .insert("n1", ["title": .text("same")]))
    history.write("b", at: 2, .insert("n1", ["title": .text("same")]))
    let before = history.folded().digest
    history.stamp("hub", "b", 2...2, at: 9)
    #expect(history.folded().digest != before)
  }
}
