import Foundation
import GRDB
import Testing

@testable import Daybook

/// Parts of a transaction that are undone by themselves.
@Suite struct NestedTransactionTests {
  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  private struct Refused: Error {}

  private func store() async throws -> Store {
    let store = try await place.store("a")
    try await store.write { tx in
      try tx.define(Definition("notes", [.text("title").searchable(), .text("code").unique()]))
    }
    try await store.write { try $0.define(Definition("own", [.text("title")]).local()) }
    return store
  }

  @Test("G21: a nested part that throws is undone alone, at any depth, and reads see that")
  func depths() async throws {
    defer { place.remove() }
    let store = try await store()
    let events = try await store.events(EventQuery()).all().count
    try await store.write { tx in
      try tx.insert("notes", "outer", ["title": "outer"])
      try tx.nested { tx in
        try tx.insert("notes", "kept", ["title": "kept"])
        #expect(throws: Refused.self) {
          try tx.nested { tx in
            try tx.update("notes", "outer", ["title": "changed"])
            try tx.delete("notes", "kept")
            let count = try Int.fetchOne(tx.database, sql: "SELECT count(*) FROM notes")
            #expect(count == 1)
            throw Refused()
          }
        }
        #expect(try tx.fetch("notes", "outer")?["title"] == "outer")
      }
      let titles = try String.fetchAll(tx.database, sql: "SELECT title FROM notes ORDER BY id")
      #expect(titles == ["kept", "outer"])
      #expect(throws: StoreError.self) {
        try tx.nested { tx in
          try tx.insert("notes", "third")
          try tx.insert("notes", "outer")
        }
      }
    }
    #expect(try await store.events(EventQuery()).all().count == events + 1)
    #expect(try await store.fetch("notes", "kept") != nil)
    #expect(try await store.fetch("notes", "third") == nil)
    #expect(try await store.search("outer").count == 1)
    let findings = try await store.verify()
    #expect(findings.isSound)
    try await store.close()
  }

  @Test("a part that was all leaves an empty transaction, and another kind of collection is free")
  func emptied() async throws {
    defer { place.remove() }
    let store = try await store()
    let before = try await store.events(EventQuery()).all().count
    try await store.write { tx in
      try? tx.nested { tx in
        try tx.insert("notes", "n", ["code": "1"])
        throw Refused()
      }
      #expect(tx.isEmpty)
    }
    #expect(try await store.events(EventQuery()).all().count == before)
    let event = try await store.write { tx in
      try? tx.nested { tx in
        try tx.insert("notes", "n", ["code": "1"])
        throw Refused()
      }
      try tx.insert("own", "mine", ["title": "mine"])
      return tx.event
    }
    #expect(event.origin.isPrivate)
    // The unique value is free again.
    try await store.write { try $0.insert("notes", "m", ["code": "1"]) }
    try await store.close()
  }

  @Test(
    "the other transactions of a group are not touched, and the first event of a store is whole")
  func groups() async throws {
    defer { place.remove() }
    let store = try await place.store("a")
    try await store.write { tx in
      try tx.define(Definition("notes", [.text("title")]))
      try? tx.nested { tx in
        try tx.insert("notes", "gone")
        throw Refused()
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          try await store.write { tx in
            try tx.insert("notes", "n\(number)", ["title": "kept"])
            try? tx.nested { tx in
              try tx.update("notes", "n\(number)", ["title": "changed"])
              if number % 2 == 0 { throw Refused() }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let counts = try await store.read { db in
      try Int.fetchAll(db, sql: "SELECT count(*) FROM notes GROUP BY title ORDER BY title")
    }
    #expect(counts == [20, 20])
    let digest = try await store.digest()
    try await store.rebuild()
    #expect(try await store.digest() == digest)
    try await store.close()
  }

  @Test("an empty store that defers its read model takes parts back as well")
  func deferred() async throws {
    defer { place.remove() }
    var options = Store.Options()
    options.defersProjection = true
    let store = try await Store.create(
      at: place.folder.appending(path: "d"), options: options)
    try await store.write { tx in
      try tx.define(Definition("notes", [.text("title")]))
      try tx.insert("notes", "kept")
      try? tx.nested { tx in
        try tx.insert("notes", "gone")
        throw Refused()
      }
      try tx.insert("notes", "last")
    }
    let ids = try await store.read {
      try String.fetchAll($0, sql: "SELECT id FROM notes ORDER BY id")
    }
    #expect(ids == ["kept", "last"])
    try await store.close()
  }
}
