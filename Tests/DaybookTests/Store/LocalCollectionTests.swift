import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine
@testable import DaybookPeers
@testable import DaybookReplication

/// The privacy of local collections, and transactions beside shared ones.
@Suite struct LocalCollectionTests {
  // MARK: - Privacy

  @Test("vector, digest and the offered log show nothing of a local collection")
  func unseen() async throws {
    let (folder, plain) = (try TemporaryStore(), try TemporaryStore())
    let store = try await LocalStore.make(folder)
    let before = try await store.digest()
    try await store.write { try $0.update("settings", "s1", ["value": .text("other")]) }
    try await store.write { try $0.insert("settings", "s2") }
    #expect(try await store.digest() == before)
    let origin = store.replica.privateOrigin
    #expect(before.vector == store.core.log.vector)
    #expect(before.vector.entries.map(\.origin) == [store.replica])
    let offered = store.core.log.snapshot()
    #expect(!offered.ranges.keys.contains(origin) && !store.core.log.ranges.keys.contains(origin))
    #expect(!offered.entries.contains { $0.origin == origin })
    #expect(offered.entries(of: origin, in: 1...9).isEmpty)
    #expect(offered.entry(containing: EventID(origin, 1)) == nil)
    let hidden = try #require(offered.whole.entries(of: origin, in: 1...9).first)
    #expect(throws: LogError.self) { try offered.frame(at: hidden) }
    #expect(offered.whole.vector[origin] == 4)

    // Another replica gets the same as from a store without local collections.
    let other = try await Store.create(at: plain.url)
    try await bring(store, into: other)
    #expect(try await other.digest() == before)
    #expect(try await other.schema()["settings"] == nil)
    for event in try await LocalStore.events(other) { #expect(event.seen.shared == event.seen) }
    try await store.close()
    try await other.close()
  }

  @Test("the context of a local event names shared events, and never the reverse")
  func contexts() async throws {
    let folder = try TemporaryStore()
    let store = try await LocalStore.make(folder)
    try await store.write { try $0.insert("notes", "n2") }
    let events = try await LocalStore.events(store)
    let local = events.filter { $0.id.origin.isPrivate }
    #expect(local.map(\.id.sequence) == [1, 2])
    #expect(local.first?.seen[store.replica] == 2)
    #expect(events.allSatisfy { $0.id.origin.isPrivate || !$0.seen.hasPrivate })
    try await store.close()
  }

  @Test("two stores that sync receive nothing of each other's local collections")
  func sync() async throws {
    let (folder, second) = (try TemporaryStore(), try TemporaryStore())
    let (here, there) = (try await LocalStore.make(folder), try await LocalStore.make(second))
    try await there.write { try $0.put("notes", "n2", ["title": .text("theirs")]) }
    try await there.write { try $0.update("settings", "s1", ["value": .text("theirs")]) }
    let report = try await here.syncOnce(with: StorePeer(there))
    #expect(report.refusals.isEmpty)
    // Each store sends its identity, a definition, and its writes to notes.
    #expect(report.eventsSent == 3 && report.eventsReceived == 4)
    #expect(try await here.digest() == there.digest())
    #expect(try await here.fetch("settings", "s1")?["value"] == .text("local words"))
    #expect(try await there.fetch("settings", "s1")?["value"] == .text("theirs"))
    for (store, other) in [(here, there), (there, here)] {
      #expect(store.core.log.wholeVector[other.replica.privateOrigin] == 0)
      let told = try LogReader(store.core.log).knowledge(signer: store.replica)
      #expect(told[store.replica.privateOrigin] == nil)
      #expect(try await store.digest().vector.entries.count == 2)
    }
    let again = try await here.syncOnce(with: StorePeer(there))
    #expect(again.eventsSent == 0 && again.eventsReceived == 0)
    // A reader that is asked for local events has none.
    let reader = RangeReader(snapshot: here.core.log.snapshot(), zone: .none, identity: nil)
    #expect(
      try reader.range(
        of: here.replica.privateOrigin, after: 0, through: 9, hasGap: false) == nil)
    try await here.close()
    try await there.close()
    #expect(try await LocalStore.isSound(folder))
    #expect(try await LocalStore.isSound(second))
  }

  @Test("events of a private origin from another replica are refused")
  func foreign() async throws {
    let (folder, other) = (try TemporaryStore(), try TemporaryStore())
    let store = try await LocalStore.make(folder)
    let target = try await Store.create(at: other.url)
    let origin = store.replica.privateOrigin
    let whole = store.core.log.snapshot().whole
    let frame = try whole.frame(at: try #require(whole.entries(of: origin, in: 1...1).first))
    let range = EventRange(
      origin: origin, first: 1, chainBefore: nil, frames: [EventRange.Packed(frame)],
      isZoneless: true, signature: Array(repeating: 0, count: 64))
    let refusal: SyncResponse.Refusal? = try await Blocking.run {
      let replica = try StoreReplica(target.core)
      var check = RangeCheck(replica, knowledge: try replica.knowledge())
      guard case .refuse(let refusal) = try check.judge(range) else { return nil }
      return refusal
    }
    #expect(refusal?.code == .badSignature && refusal?.event.origin == origin)
    // The engine does not store them either, even after a check.
    let identity = try Identity(seed: Array(repeating: 7, count: 32))
    let head = try Head(
      zone: ZoneID.none.bytes, sequence: 1, chain: frame.header.chain, by: identity)
    let error = await #expect(throws: StoreError.self) {
      try await target.core.onCommitThread {
        try $0.ingest([
          CheckedRange(frames: [frame], head: head, claim: nil, held: SequenceRanges())
        ])
      }
    }
    #expect((error?.cause as? LogError)?.code == .privateOrigin)
    #expect(target.core.log.wholeVector.isEmpty)
    try await target.close()
    try await store.close()
  }

  @Test("a store with only local events has an empty vector")
  func localOnly() async throws {
    let folder = try TemporaryStore()
    var store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(LocalStore.settings) }
    try await store.write { try $0.insert("settings", "s1") }
    #expect(try await store.digest().vector.isEmpty)
    try await store.close()
    store = try await Store.open(at: folder.url)
    #expect(try await store.fetch("settings", "s1") != nil)
    try await store.write { try $0.define(StoreTests.notes) }
    #expect(try await store.digest().vector[store.replica] == 2)
    try await store.close()
    #expect(try await LocalStore.isSound(folder))
  }

  // MARK: - Mixing

  @Test("a transaction that writes to both kinds is an error that names both, and writes nothing")
  func mixing() async throws {
    let folder = try TemporaryStore()
    let store = try await LocalStore.make(folder)
    let writes: [(String, @Sendable (WriteTransaction) throws -> Void)] = [
      (
        "shared first",
        {
          try $0.insert("notes", "n9")
          try $0.insert("settings", "s9")
        }
      ),
      (
        "local first",
        {
          try $0.insert("settings", "s9")
          try $0.delete("notes", "n1")
        }
      ),
      (
        "an update that changes nothing",
        {
          try $0.put("settings", "s1", ["value": .text("local words")])
          try $0.insert("notes", "n9")
        }
      ),
      (
        "definitions",
        {
          try $0.define(Definition("more").local())
          try $0.define(Definition("others"))
        }
      ),
      (
        "a drop",
        {
          try $0.insert("notes", "n9")
          try $0.drop(collection: "settings")
        }
      ),
      (
        "a field",
        {
          try $0.insert("notes", "n9")
          try $0.drop(field: "value", of: "settings")
        }
      ),
    ]
    let before = store.core.log.wholeVector
    for (name, body) in writes {
      let error = await #expect(throws: StoreError.self, "\(name)") {
        try await store.write { try body($0) }
      }
      #expect(error?.code == .mixedTransaction, "\(name)")
      let named = error?.message ?? ""
      #expect(named.contains("settings") || named.contains("more"), "\(named)")
      #expect(named.contains("notes") || named.contains("others"), "\(named)")
    }
    #expect(store.core.log.wholeVector == before)
    #expect(try await store.fetch("settings", "s9") == nil)
    // A transaction may read both kinds.
    try await store.write { tx in
      let value = try tx.fetch("notes", "n1")?["title"] ?? .null
      try tx.update("settings", "s1", ["value": value, "note": .text("n1")])
    }
    #expect(try await store.fetch("settings", "s1")?["value"] == .text("shared words"))
    try await store.close()
  }

  @Test("transactions of both kinds share groups, and each event has its own origin")
  func groups() async throws {
    let folder = try TemporaryStore()
    let store = try await LocalStore.make(folder)
    let events = await withThrowingTaskGroup(of: EventID.self) { group in
      for number in 0..<40 {
        group.addTask {
          try await store.write { tx in
            let collection = number.isMultiple(of: 2) ? "notes" : "settings"
            try tx.insert(collection, "x\(number)")
            if number % 10 == 7 { throw StoreError(.other, "as planned") }
            return tx.event
          }
        }
      }
      var events: [EventID] = []
      while let result = await group.nextResult() {
        if case .success(let event) = result { events.append(event) }
      }
      return events
    }
    #expect(Set(events).count == events.count)
    #expect(events.count { $0.origin.isPrivate } == 16)
    for (collection, wanted) in [("notes", 21), ("settings", 17)] {
      let count = try await store.read { db in
        try Int.fetchOne(db, sql: "SELECT count(*) FROM \(collection)")
      }
      #expect(count == wanted, "\(collection)")
    }
    // No prefix of the log has a local event with a context beyond that prefix.
    let snapshot = store.core.log.snapshot().whole
    var reached = VersionVector()
    var context = CausalContext(author: store.replica.privateOrigin)
    for entry in snapshot.entries {
      if entry.origin.isPrivate {
        for event in try snapshot.frame(at: entry).events() {
          let id = EventID(entry.origin, 1)
          try context.apply(try Event(id: id, decoding: event).envelope.context)
        }
        #expect(reached.contains(context.vector))
      }
      reached.include(entry.origin, entry.lastSequence)
    }
    try await store.close()
    #expect(try await LocalStore.isSound(folder))
  }
}
