import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import DaybookSimulation
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Moments of the past as stores of their own, and steps from one moment to the next.
@Suite struct PastStoreTests {
  /// Makes a store of several events.
  private func store() async throws -> (TemporaryStore, Store) {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(StoreTests.notes) }
    for number in 0..<6 {
      try await store.write {
        try $0.put("notes", "n\(number % 3)", ["title": .text("note \(number)")])
      }
    }
    return (folder, store)
  }

  @Test("a reader that leaves a transaction open does no harm")
  func transactions() async throws {
    let (folder, store) = try await store()
    let now = try await store.digest().vector
    let past = try await store.at(.vector(now)).open()
    for _ in 0..<2 {
      try await past.read { db in try db.execute(sql: "SAVEPOINT mine") }
      await #expect(throws: DatabaseError.self) {
        try await past.read { db in try db.execute(sql: "DELETE FROM notes") }
      }
      #expect(try await past.search("note").count == 3)
      #expect(try await past.fetch("notes", "n0")?["title"] == .text("note 3"))
    }
    try await past.close()
    try await store.close()
    _ = folder
  }

  @Test("a past store answers as the store did then, refuses writes, and leaves no file")
  func answers() async throws {
    let (folder, store) = try await store()
    let temporary = try TemporaryStore()
    try FileManager.default.createDirectory(at: temporary.url, withIntermediateDirectories: true)
    let then = try await store.digest()
    let history = try await store.history(of: "notes", "n0")
    try await store.write { try $0.put("notes", "n0", ["title": .text("later word")]) }
    try await store.write { try $0.delete("notes", "n1") }

    let past = try await store.at(.vector(then.vector)).open(in: temporary.url)
    #expect(try await past.digest() == then)
    #expect(try await past.fetch("notes", "n0")?["title"] == .text("note 3"))
    #expect(try await past.search("later").isEmpty)
    #expect(try await past.search("note").count == 3)
    #expect(try await past.history(of: "notes", "n0") == history)
    let count = CallCount()
    try await past.forEachEvent { _ in
      count.add()
      return true
    }
    #expect(count.value == 8)
    let own = try #require(then.vector.entries.first?.origin)
    let changes = try await past.changes(from: .event(EventID(own, 7)))
    #expect(changes.map(\.id) == ["n2"])
    await #expect(throws: StoreError.self) { try await past.write { try $0.delete("notes", "n0") } }
    await #expect(throws: StoreError.self) { try await past.rebuild() }
    await #expect(throws: (any Error).self) { try await past.at(.event(EventID(own, 9))) }
    try await past.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).isEmpty)
    // The original store still takes writes.
    try await store.write { try $0.put("notes", "n0", ["title": .text("on")]) }
    #expect(try await store.verify().isSound)
    try await store.close()
    _ = folder
  }

  @Test("steps forth and back pass each event once, with causes before effects")
  func steps() async throws {
    let (folder, store) = try await store()
    let identity = try Identity(seed: Array(repeating: 9, count: 32))
    // Another author, whose events fall between the store's own.
    let own = try #require(try await store.digest().vector.entries.first?.origin)
    let middle = try #require(try await store.times(of: EventID(own, 4))?.authored)
    var builder = FrameBuilder(
      origin: identity.id, firstSequence: 1, chainBefore: Chain(origin: identity.id))
    try builder.append(
      EncodedEvent(
        Envelope(kind: .identity, authored: middle),
        Body(operations: [.identity(IdentityClaim(identity))])))
    let frame = try builder.finish(.fast)
    try await store.core.onCommitThread { try $0.receive([frame]) }

    let all = try await store.digest().vector
    let count = all.entries.reduce(0) { $0 + Int($1.sequence) }
    let (end, events) = try await store.step(from: VersionVector(), by: .max)
    #expect(end == all)
    #expect(events.count == count && Set(events).count == count)
    for (before, after) in zip(events, events.dropFirst()) {
      let times = try await (store.times(of: before), store.times(of: after))
      #expect(try #require(times.0).authored <= (try #require(times.1)).authored)
    }
    let foreign = try #require(events.firstIndex { $0.origin == identity.id })
    #expect((3...5).contains(foreign))
    var vector = VersionVector()
    for (index, event) in events.enumerated() {
      let (next, passed) = try await store.step(from: vector, by: 1)
      #expect(passed == [event])
      #expect(try await store.step(from: next, by: -1).vector == vector)
      #expect(try await store.step(from: VersionVector(), by: index + 1).vector == next)
      vector = next
    }
    #expect(try await store.step(from: all, by: -.max).events == events.reversed())
    #expect(try await store.step(from: all, by: 5).events.isEmpty)
    let at = try await store.vector(at: .time(middle.milliseconds))
    #expect(at[own] >= 4 && at[identity.id] == 1)
    #expect(try await store.vector(at: .time(0)) == VersionVector())
    try await store.close()
    _ = folder
  }
}

final class CallCount: Sendable {
  private let lock = NSLock()
  nonisolated(unsafe) private var count = 0

  var value: Int { lock.withLock { count } }
  func add() { lock.withLock { count += 1 } }
}
