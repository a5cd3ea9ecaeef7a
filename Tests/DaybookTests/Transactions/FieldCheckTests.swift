import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Checks of values before they are written.
@Suite struct FieldCheckTests {
  private static let things = Definition("things", [.json("data")])

  private func store(_ folder: TemporaryStore) async throws -> Store {
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(Self.things) }
    return store
  }

  @Test(
    "a text that is no JSON is refused as a value of a JSON field",
    arguments: ["", "{", "nope", "{\"a\":1,}", "1 2", "NaN", "{\"a\":1,\"a\":2}", "[1e999]"])
  func refused(text: String) async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let error = await #expect(throws: StoreError.self) {
      try await store.write { try $0.insert("things", "t", ["data": .json(Array(text.utf8))]) }
    }
    #expect(error?.code == .wrongType)
    #expect(error?.message.contains("things.data") == true)
    #expect(try await store.fetch("things", "t") == nil)
  }

  @Test("two spellings of one JSON value are the same value")
  func oneForm() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    try await store.write {
      try $0.insert("things", "t", ["data": .json(Array(" {\"b\": 1.50, \"a\": [ ] }".utf8))])
    }
    let before = try await store.digest()
    try await store.write {
      try $0.update("things", "t", ["data": .json(Array("{\"a\":[],\"b\":1.5}".utf8))])
    }
    #expect(try await store.digest() == before)
    let shown = try await store.read { try String.fetchOne($0, sql: "SELECT data FROM things") }
    #expect(shown == "{\"a\":[],\"b\":1.5}")
  }
}
