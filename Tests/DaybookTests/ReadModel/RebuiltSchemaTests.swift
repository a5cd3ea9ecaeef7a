import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// The schema of rebuilt read models. A rebuild makes its tables in another way than a store in
/// use.
@Suite struct RebuiltSchemaTests {
  private static let definitions = [
    StoreTests.notes, UniqueFieldTests.people,
    Definition(
      collection: "links", attributes: ["relationship": .boolean(true)],
      fields: [.text("kind").searchable()]),
    Definition(
      "folders",
      [
        .init(
          "parent",
          ["type": .text("text"), "references": .text("folders"), "tree": .boolean(true)]),
        .text("name").searchable(),
      ]),
  ]

  private func schema(_ store: Store) async throws -> [[String?]] {
    try await store.read { db in
      let sound = try String.fetchAll(db, sql: "PRAGMA integrity_check")
      #expect(sound == ["ok"])
      let names = try Self.names(db)
      return try Row.fetchAll(db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_schema")
        .map { row in
          (0..<4).map { index in (row[index] as String?).map { Self.named($0, names) } }
        }.sorted { ($0[0] ?? "", $0[1] ?? "") < ($1[0] ?? "", $1[1] ?? "") }
    }
  }

  /// Returns the names for the numbers of collections and fields, which differ from one read model
  /// to the next.
  private static func names(_ db: Database) throws -> [String: String] {
    var names: [String: String] = [:]
    for row in try Row.fetchAll(db, sql: "SELECT number, name FROM _daybook_collections") {
      names["\(row[0] as Int)"] = row[1]
    }
    for row in try Row.fetchAll(db, sql: "SELECT collection, number, name FROM _daybook_fields") {
      names["\(row[0] as Int)_\(row[1] as Int)"] = row[2]
    }
    return names
  }

  private static func named(_ text: String, _ names: [String: String]) -> String {
    text.replacing(#/(_daybook_(?:search|searched|index)_)(\d+)(?:_(\d+))?/#) { match in
      let field = match.output.3.map { "_" + (names["\(match.output.2)_\($0)"] ?? "?") } ?? ""
      return "\(match.output.1)\(names[String(match.output.2)] ?? "?")\(field)"
    }
  }

  @Test("a rebuilt read model has the tables, keys and indexes of a store in use")
  func schema() async throws {
    let folder = try TemporaryStore()
    var store = try await Store.create(at: folder.url)
    try await store.write { tx in
      for definition in Self.definitions { try tx.define(definition) }
      for number in 0..<300 {
        try tx.insert("notes", "n\(number)", ["title": .text("note \(number)")])
        try tx.insert("folders", "f\(number)", ["name": .text("folder \(number)")])
        try tx.insert(
          "links", "l\(number)",
          ["source": .text("n\(number)"), "target": .text("f0"), "kind": .text("in")])
      }
      try tx.insert("people", "ann", ["mail": .text("a@x"), "name": .text("Ann")])
    }
    // Some rows are changed after they were inserted.
    try await store.write { tx in
      for number in 0..<50 {
        try tx.update("links", "l\(number)", ["target": .text("f\(50 - number)")])
        try tx.update("notes", "n\(number * 3)", ["title": .text("note \(number * 3) again")])
      }
      try tx.delete("links", "l77")
    }
    let used = try await schema(store)
    // The rebuild writes page by page into the file that readers have open.
    try await store.rebuild()
    #expect(try await schema(store) == used)
    try await store.close()
    // The rebuild while opening renames the file.
    store = try await Store.open(at: folder.url, options: .init(rebuildsReadModel: true))
    #expect(try await schema(store) == used)
    let linked = try await store.read { db in
      try (0..<52).map { number in
        try String.fetchAll(
          db, sql: "SELECT id FROM links WHERE target = ? AND id < 'l4' ORDER BY id",
          arguments: ["f\(number)"])
      }
    }
    #expect(linked[50] == ["l0"] && linked[13] == ["l37"] && linked[51] == [])
    let keys = try await store.read { db in
      try ["notes", "people", "links", "folders"].map { try db.primaryKey($0).columns }
    }
    #expect(keys == Array(repeating: ["id"], count: 4))
    #expect(try await store.search("note 299", in: "notes").map(\.id) == ["n299"])
    #expect(try await store.search("folder 299", in: "folders").map(\.id) == ["f299"])
    try await store.write { tx in
      try tx.update("notes", "n299", ["title": .text("another")])
      try tx.delete("folders", "f299")
    }
    #expect(try await store.search("note 299", in: "notes").isEmpty)
    #expect(try await store.search("folder 299", in: "folders").isEmpty)
    try await store.close()
    #expect(try await Store.verify(at: folder.url).isSound)
  }
}
