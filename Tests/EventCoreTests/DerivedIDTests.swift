import DaybookEventCore
import Testing

@Suite struct DerivedIDTests {
  @Test("the id of a key never changes")
  func golden() {
    #expect(
      DerivedID.id(collection: "links", key: [.text("n1"), .text("n2"), .text("cites")])
        == "68a36d2f-708e-89c6-bfde-f61c5ed2b5fd")
    #expect(
      DerivedID.id(
        collection: "readings", key: [.integer(-7), .real(0.5), .boolean(true), .null, .blob([1])])
        == "6c825753-6e56-8235-b61a-e846ef8cf3c9")
    #expect(
      DerivedID.id(collection: "days", key: [.timestamp(0), .json(Array("{}".utf8))])
        == "fca25d96-d711-833d-92bb-adaf2e423ade")
  }

  @Test("the id of a key is a UUID of version 8, which packs into 16 bytes")
  func shape() throws {
    let id = DerivedID.id(collection: "links", key: [])
    let packed = try #require(PackedUUID(id))
    #expect(packed.high >> 12 & 0xF == 8)
    #expect(packed.low >> 62 == 2)
  }

  @Test("the id depends on every value, its type, its place and the collection")
  func distinct() {
    let keys: [[Value]] = [
      [], [.null], [.null, .null], [.text("")], [.text("a"), .text("b")], [.text("b"), .text("a")],
      [.text("ab")], [.text("ab"), .null], [.integer(1)], [.real(1)], [.boolean(true)],
      [.timestamp(1)], [.text("e\u{301}")], [.text("\u{E9}")], [.blob([])],
      [.json(Array("1".utf8))],
    ]
    let ids = keys.flatMap { key in
      ["links", "link"].map { DerivedID.id(collection: $0, key: key) }
    }
    #expect(Set(ids).count == ids.count)
  }
}
