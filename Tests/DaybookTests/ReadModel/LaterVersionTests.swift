import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Stores with events of a later version, and their read models after an update.
@Suite struct LaterVersionTests {
  private static let people = Definition(
    "people",
    [
      .init("mail", ["type": .text("text"), "unique": .boolean(true), "later": .text("kept")])
    ])

  private func store(_ folder: TemporaryStore) async throws -> Store {
    let store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(Self.people)
      try tx.insert("people", "ann", ["mail": .text("a@x")])
    }
    return store
  }

  /// Adds events of a replica with newer software: an unknown operation beside a known one, and an
  /// event of an unknown kind.
  private func writeAsLaterVersion(_ store: Store) async throws {
    let identity = try Identity(seed: Array(repeating: 9, count: 32))
    var builder = FrameBuilder(
      origin: identity.id, firstSequence: 1, chainBefore: Chain(origin: identity.id))
    let time = HybridTime(milliseconds: 1_900_000_000_000, counter: 0)
    try builder.append(
      EncodedEvent(
        Envelope(kind: .identity, authored: time),
        Body(operations: [.identity(IdentityClaim(identity))])))
    try builder.append(
      EncodedEvent(
        Envelope(kind: .transaction, authored: time),
        Body(operations: [
          .unknown(kind: 77, payload: [1, 2, 3]),
          .insert(collection: "people", id: "bob", fields: ["mail": .text("b@x")]),
        ])))
    let later = Envelope(kind: .unknown(99), authored: time)
    try builder.append(EncodedEvent(later, Body(operations: [])))
    let frame = try builder.finish(.fast)
    try await store.core.onCommitThread { try $0.receive([frame]) }
  }

  @Test("unknown operations and events are kept, counted and passed on")
  func kept() async throws {
    let (here, there) = (try TemporaryStore(), try TemporaryStore())
    let store = try await store(here)
    #expect(try await store.digest().isComplete)
    try await writeAsLaterVersion(store)
    let other = try await Store.create(at: there.url)
    try await bring(store, into: other)
    for one in [store, other] {
      #expect(try await one.status().opaque == 2)
      #expect(try await one.digest().isComplete == false)
      #expect(try await one.fetch("people", "bob")?["mail"] == .text("b@x"))
      #expect(try await one.verify().isSound)
      try await one.write { try $0.put("people", "cat", ["mail": .text("c@x")]) }
    }
    let found = Collected<DaybookEventCore.Operation>()
    try await other.forEachEvent { logged in
      found.append(contentsOf: logged.event.body?.operations ?? [])
      return true
    }
    #expect(found.all.contains(.unknown(kind: 77, payload: [1, 2, 3])))
  }

  @Test(
    "a read model of other rules, another format or another version of Unicode is rebuilt whole",
    arguments: [
      "rules = rules - 1", "rules = rules + 1", "format = format - 1000000000",
      // The words of search indexes: the version of their rules, and Unicode's.
      "format = format - 1", "format = format + 1000",
    ])
  func olderRules(change: String) async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    try await writeAsLaterVersion(store)
    let state = try await store.digest()
    let hidden = try await store.hidden().all()
    try await store.close()
    // Software with other rules would have left this: a row that it did not understand is missing.
    let files = StoreFiles(folder: folder.url)
    let queue = try ReadModelFile.openAlone(files.readModel)
    try await queue.write { db in
      try db.execute(sql: "DELETE FROM people WHERE id = 'bob'")
      try db.execute(sql: "DELETE FROM _daybook_unique")
      try db.execute(sql: "UPDATE _daybook_checkpoint SET opaque = 3, \(change)")
    }
    try queue.close()

    let again = try await Store.open(at: folder.url)
    #expect(try await again.digest() == state)
    #expect(try await again.hidden().all() == hidden)
    #expect(try await again.status().opaque == 2)
    let ids = try await again.read { try String.fetchAll($0, sql: "SELECT id FROM people") }
    #expect(ids.sorted() == ["ann", "bob"])
    #expect(try await again.verify().isSound)
  }
}
