import DaybookSimulation
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

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

  /// Writes random operations, in parts and parts of parts of which many are thrown.
  /// - Parameter log: gets the operations that are left.
  private static func writeParts(
    _ tx: WriteTransaction, depth: Int, _ random: inout SplitMix64
  ) throws {
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      let id = "n\(Int.random(in: 0..<8, using: &random))"
      let number = Int.random(in: 0..<1000, using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<4 where depth < 4:
        let isThrown = Bool.random(using: &random)
        // A copy of the generator, because the closure may not escape with it.
        var next = random
        do {
          try tx.nested { tx in
            try writeParts(tx, depth: depth + 1, &next)
            if isThrown { throw Refused() }
          }
        } catch is Refused {}
        random = next
      case 4:
        if try tx.fetch("notes", id) != nil { try tx.delete("notes", id) }
      case 5 where depth > 0 && number < 100:
        try tx.define(Definition("more\(number % 3)", [.text("f\(number)")]))
      case 6, 7:
        if try tx.fetch("notes", id) != nil {
          try tx.edit("notes", id, "body") { try $0.replace(0..<0, with: "\(number) ") }
        }
      case 8:
        if try tx.fetch("notes", id) != nil {
          try tx.update("notes", id, ["above": .text("n\(number % 8)")])
        }
      default:
        try tx.put(
          "notes", id,
          ["title": .text("t\(number)"), "code": .text("\(number % 50)"), "size": .integer(1)])
      }
    }
  }

  @Test(
    "a store whose random parts were taken back is one that never had them", arguments: 1...12)
  func random(seed: UInt64) async throws {
    defer { place.remove() }
    let (store, other) = (try await place.store("a"), try await place.store("b"))
    try await store.write { tx in
      try tx.define(
        Definition(
          "notes",
          [
            .text("title").searchable(), .text("code").unique(), .text("body").merging(),
            .text("above").references("notes").tree(), .integer("size"),
            .timestamp("modified").kept(.modified), .integer("version").kept(.version),
          ]))
    }
    for round in 0..<25 {
      try? await store.write { tx in
        var random = SplitMix64(seed: seed &* 7919 &+ UInt64(round))
        for _ in 0..<8 {
          do { try Self.writeParts(tx, depth: 0, &random) } catch let error as StoreError
            where [.valueTaken, .wouldLoop].contains(error.code)
          {}
        }
      }
      if round % 8 == 7 {
        try await other.syncOnce(with: StorePeer(store))
        try? await other.write { try $0.put("notes", "n\(round % 5)", ["title": "theirs"]) }
        try await store.syncOnce(with: StorePeer(other))
      }
      if round % 5 == 4 {
        let findings = try await store.verify()
        #expect(findings.isSound, "seed \(seed), round \(round): \(findings)")
      }
    }
    let digest = try await store.digest()
    try await other.syncOnce(with: StorePeer(store))
    #expect(try await other.digest() == digest)
    try await store.rebuild()
    #expect(try await store.digest() == digest)
    try await place.close([store, other])
  }

  /// Counts the rows that a transaction changes in which each tenth part is thrown.
  private func changes(_ parts: Int) async throws -> Int {
    let store = try await place.store("\(parts)")
    try await store.write { try $0.define(Definition("notes", [.text("title").searchable()])) }
    let count = try await store.write { tx in
      let before = try tx.database.totalChangesCount
      for number in 0..<parts {
        do {
          try tx.nested { tx in
            try tx.insert("notes", "n\(number)", ["title": "part"])
            try tx.update("notes", "n\(number)", ["title": "of a whole"])
            if number % 10 == 0 { throw Refused() }
          }
        } catch is Refused {}
      }
      return try tx.database.totalChangesCount - before
    }
    let left = try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM notes") }
    #expect(left == parts - parts / 10)
    try await store.close()
    return count
  }

  @Test("parts that throw cost what they have written, however much else the transaction has")
  func work() async throws {
    defer { place.remove() }
    let few = try await changes(100)
    let many = try await changes(1600)
    #expect(many < 20 * few, "\(few) for 100, \(many) for 1,600")
  }
}
