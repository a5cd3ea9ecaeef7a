import Foundation
import GRDB
import Logging
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Writes, reads, and openings.
@Suite struct StoreTests {
  static let notes = Definition(
    "notes",
    [
      .text("title").searchable(),
      .text("body").searchable(),
      .boolean("pinned").indexed(),
      .real("weight"),
    ])

  @Test("a write is there at once, after closing, and after the read model is deleted")
  func writesLast() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write(actor: "ann", label: "first") { tx in
      try tx.define(Self.notes)
      try tx.insert("notes", "n1", ["title": .text("Oat milk"), "weight": .integer(2)])
    }
    try await store.write { try $0.update("notes", "n1", ["pinned": .boolean(true)]) }
    let note = try #require(try await store.fetch("notes", "n1"))
    #expect(note["title"] == .text("Oat milk"))
    #expect(note["pinned"] == .boolean(true))
    #expect(note["weight"] == .real(2))
    let digest = try await store.digest()
    try await store.close()

    let again = try await Store.open(at: folder.url)
    #expect(try await again.digest() == digest)
    #expect(try await again.fetch("notes", "n1") == note)
    try await again.close()

    for file in StoreFiles.readModelFiles(StoreFiles(folder: folder.url).readModel) {
      try? FileManager.default.removeItem(atPath: file)
    }
    let rebuilt = try await Store.open(at: folder.url)
    #expect(try await rebuilt.digest() == digest)
    let rows = try await rebuilt.read { db in
      try Row.fetchAll(db, sql: "SELECT * FROM notes").map(\.description)
    }
    #expect(rows == ["[id:\"n1\" title:\"Oat milk\" body:NULL pinned:1 weight:2.0]"])
    try await rebuilt.close()
  }

  @Test("an error in a transaction undoes it, and not its neighbours")
  func rollback() async throws {
    struct Stop: Error {}
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(Self.notes) }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          try? await store.write { tx in
            try tx.insert("notes", "n\(number)", ["title": .text("\(number)")])
            if number % 4 == 0 { throw Stop() }
          }
        }
      }
    }
    let ids = try await store.read { try String.fetchSet($0, sql: "SELECT id FROM notes") }
    #expect(ids == Set((0..<40).filter { $0 % 4 != 0 }.map { "n\($0)" }))
    let verification = try await store.verify()
    #expect(verification.isSound, "\(verification)")
    try await store.close()
  }

  @Test("log, digest, search index and rebuild agree after every kind of write")
  func verifies() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(Self.notes)
      for number in 0..<200 {
        try tx.insert("notes", "n\(number)", ["title": .text("note \(number)")])
      }
    }
    try await store.write { tx in
      try tx.delete("notes", "n1")
      try tx.delete("notes", "n2")
      try tx.erase("notes", "n3")
      try tx.update("notes", "n4", ["title": .text("changed"), "body": .text("much")])
    }
    try await store.write { try $0.restore("notes", "n1") }
    try await store.write { try $0.put("notes", "n2", ["body": .text("new")]) }
    let revived = try #require(try await store.fetch("notes", "n2"))
    #expect(revived.fields == ["body": .text("new")])
    let hits = try await store.search("chang*")
    #expect(hits.map(\.id) == ["n4"])
    let verification = try await store.verify()
    #expect(verification.isSound, "\(verification)")
    try await store.rebuild()
    #expect(try await store.verify().isSound)
    #expect(try await store.search("much").map(\.id) == ["n4"])
    let history = try await store.history(of: "notes", "n2")
    #expect(history.map(\.kind) == [.insert, .delete, .insert])
    try await store.close()
  }
}

/// A folder for a store, which is removed with its owner.
final class TemporaryStore: Sendable {
  let url: URL

  /// The log lines of hundreds of stores would bury the output of tests.
  private static let silence: Void = LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }

  init() throws {
    Self.silence
    url = FileManager.default.temporaryDirectory.appending(path: "daybook-store-\(UUID())")
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
