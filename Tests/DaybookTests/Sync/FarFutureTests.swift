import DaybookEventCore
import DaybookFrames
import DaybookHubZone
import DaybookLocks
import DaybookLogEngine
import DaybookReplication
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// A device whose clock is at the end of time, and the replicas that receive its events.
@Suite struct FarFutureTests {
  private let place = SyncPlace()

  private func store(_ name: String, wall: @escaping @Sendable () -> Int64) throws -> Store {
    try FileManager.default.createDirectory(at: place.folder, withIntermediateDirectories: true)
    let url = place.folder.appending(path: name)
    var environment = StoreEnvironment.system
    environment.wallMilliseconds = wall
    let parts = try StoreOpening(url: url, options: .init(), environment: environment).create()
    return Store(OpenStore(parts, url: url, options: .init()), options: .init())
  }

  @Test("a write after one of the far future shows on every replica")
  func laterWritesShow() async throws {
    defer { place.remove() }
    let liar = try store("liar") { Int64.max }
    try await liar.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": .text("at the end of time")])
    }
    var stores = [liar]
    // Of six stores, some have smaller ids than the liar, and some greater.
    for number in 0..<6 {
      let store = try await place.store("s\(number)")
      try await store.syncOnce(with: StorePeer(liar))
      for round in 0..<2 {
        let title = "store \(number), round \(round)"
        try await store.write { try $0.update("notes", "n1", ["title": .text(title)]) }
        #expect(try await place.titles(store) == [title])
        let time = try await store.history(of: "notes", "n1").last?.times.authored
        #expect(time.map { !$0.isFar } == true)
      }
      try await liar.syncOnce(with: StorePeer(store))
      let title = "store \(number), round 1"
      #expect(try await place.titles(liar) == [title])
      try await liar.write { try $0.update("notes", "n1", ["title": .text("again")]) }
      #expect(try await place.titles(liar) == ["again"])
      #expect(try await store.status().farFuture == [liar.replica])
      stores.append(store)
    }
    for _ in 0..<2 {
      for store in stores.dropFirst() { try await store.syncOnce(with: StorePeer(liar)) }
    }
    let digest = try await liar.digest()
    for store in stores {
      #expect(try await store.digest() == digest)
      #expect(try await Store.readModelDifference(at: store.url) == nil)
      try await store.rebuild()
      #expect(try await store.digest() == digest)
    }
    try await place.close(stores)
  }

  /// Found by a life of a zone: such a write ranked below a write that its author had seen.
  @Test("a write that follows another is shown, even if the context of that comes later")
  func contextThatComesLater() async throws {
    defer { place.remove() }
    let (a, c) = (try await place.store("a"), try await place.store("c"))
    let liar = try store("liar") { Int64.max }
    try await a.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": .text("first")])
    }
    try await liar.syncOnce(with: StorePeer(a))
    try await liar.write { try $0.update("notes", "n1", ["title": .text("far")]) }
    try await a.syncOnce(with: StorePeer(liar))
    try await a.write { try $0.update("notes", "n1", ["title": .text("a")]) }
    let folder = try SharedFolder(place.folder.appending(path: "shared"))
    try await a.syncOnce(with: folder.peer())
    for file in folder.files where file.contains("/\(liar.replica).") { folder.remove(file) }
    try await c.syncOnce(with: folder.peer())
    #expect(try await c.status().logVector[liar.replica] == 0)
    try await c.write { try $0.update("notes", "n1", ["title": .text("c")]) }
    for store in [c, a, liar, c] {
      try await store.syncOnce(with: StorePeer(store === liar ? c : liar))
      if store === c { #expect(try await place.titles(c) == ["c"]) }
    }
    for store in [a, liar] {
      try await store.syncOnce(with: StorePeer(c))
      #expect(try await place.titles(store) == ["c"])
      #expect(try await store.digest() == c.digest())
    }
    #expect(try await Store.readModelDifference(at: c.url) == nil)
    try await place.close([a, c, liar])
  }

  /// Found by a life of a zone. There are so many victims that some have greater ids than the liar,
  /// and some smaller.
  @Test("a write with a far time and a false context does not outrank later writes")
  func falseContext() async throws {
    defer { place.remove() }
    var victims: [Store] = []
    for number in 0..<4 { victims.append(try await place.store("victim\(number)")) }
    try await victims[0].write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": .text("first")])
    }
    for victim in victims.dropFirst() { try await victim.syncOnce(with: StorePeer(victims[0])) }
    let liars = try (0..<2).map { try lie(seed: UInt8($0), about: victims.map(\.replica)) }
    for victim in victims {
      try await victim.core.onCommitThread { try $0.receive(liars) }
      #expect(try await place.titles(victim) == ["lie"])
      for round in 0..<2 {
        let title = "\(victim.replica) \(round)"
        try await victim.write { try $0.update("notes", "n1", ["title": .text(title)]) }
        #expect(try await place.titles(victim) == [title])
      }
    }
    for _ in 0..<2 {
      for victim in victims.dropFirst() { try await victim.syncOnce(with: StorePeer(victims[0])) }
    }
    let digest = try await victims[0].digest()
    for victim in victims {
      #expect(try await place.titles(victim) != ["lie"])
      #expect(try await victim.digest() == digest)
      #expect(try await Store.readModelDifference(at: victim.url) == nil)
    }
    try await place.close(victims)
  }

  private static let year2199: Int64 = 7_226_582_400_000

  @Test("one write by a clock in 2199 dates no write of anybody else, and status names the replica")
  func oneWrongDate() async throws {
    defer { place.remove() }
    let wall = Wall()
    let device = try store("device") { wall.milliseconds }
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    try await a.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": .text("first")])
    }
    try await device.syncOnce(with: StorePeer(a))
    wall.set(Self.year2199)
    try await device.write { try $0.update("notes", "n1", ["title": .text("of 2199")]) }
    wall.set(nil)
    for store in [a, b] { try await store.syncOnce(with: StorePeer(device)) }
    let soon = Date.now.addingTimeInterval(86_400)
    for (store, title) in [(a, "a"), (b, "b"), (device, "device")] {
      try await store.write { try $0.update("notes", "n1", ["title": .text(title)]) }
      // It ranks above what its author had seen all the same.
      #expect(try await place.titles(store) == [title])
      let last = try #require(try await store.history(of: "notes", "n1").last)
      #expect(last.date < soon && last.times.authored.isDetached)
      let ahead = try await store.status().clocksAhead
      #expect(ahead.map(\.replica) == [device.replica])
      #expect(ahead.first.map { $0.time.milliseconds } == Self.year2199)
    }
    // All of them show the same, and a state of tomorrow is the present.
    let stores = [device, a, b]
    for _ in 0..<2 {
      for store in [a, b] { try await store.syncOnce(with: StorePeer(device)) }
    }
    let titles = try await place.titles(device)
    for store in stores {
      #expect(try await place.titles(store) == titles)
      #expect(try await store.digest() == device.digest())
      let past = try await store.at(.time(soon)).open()
      let title = try await past.fetch("notes", "n1")?["title"]
      #expect(title.map { $0 != .text("first") && $0 != .text("of 2199") } == true)
      try await past.close()
      #expect(try await Store.readModelDifference(at: store.url) == nil)
      try await store.rebuild()
      #expect(try await store.digest() == device.digest())
    }
    try await place.close(stores)
  }

  @Test(
    "a stamp in the far future counts for nothing, and status names the hub",
    arguments: [HybridTime.farFuture, HybridTime(rawValue: .max)])
  func farStamp(time: HybridTime) async throws {
    defer { place.remove() }
    let zone = try place.zone("zone")
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    try await a.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": .text("first")])
    }
    for store in [a, b] { try await store.syncOnce(with: ZonePeer(zone)) }
    try await a.write { try $0.update("notes", "n1", ["title": .text("for ever")]) }
    // Somebody who holds the authority's key stamps that write.
    let lie = try await falseHub(stamping: a, at: time)
    for store in [a, b] { try await store.core.onCommitThread { try $0.receive([lie]) } }
    for store in [a, b] { try await store.syncOnce(with: ZonePeer(zone)) }
    try await b.syncOnce(with: ZonePeer(zone))
    try await b.write { try $0.update("notes", "n1", ["title": .text("later")]) }
    for store in [b, a] { try await store.syncOnce(with: ZonePeer(zone)) }
    for store in [a, b] {
      #expect(try await place.titles(store) == ["later"])
      #expect(try await store.status().farStamps == [lie.header.origin])
      #expect(try await store.status().unstamped == 0)
      #expect(try await Store.readModelDifference(at: store.url) == nil)
    }
    #expect(try await a.digest() == b.digest())
    try await place.close([a, b])
    try zone.close()
  }

  /// Returns events of a hub that the authority has certified, with one stamp for everything that a
  /// store has written.
  private func falseHub(stamping store: Store, at time: HybridTime) async throws -> Frame {
    let hub = try Identity(seed: Array(repeating: 99, count: 32))
    let claim = try IdentityClaim(hub, certifiedBy: Identity(seed: SyncPlace.authority))
    let snapshot = store.core.log.snapshot()
    let through = snapshot.vector[store.replica]
    let stamp = Stamp(
      origin: store.replica, from: through, through: through,
      chain: try #require(try snapshot.chain(after: EventID(store.replica, through))), time: time)
    let seen = ContextDelta([.init(origin: .new(store.replica), by: through)])
    return try Frame(
      origin: hub.id, firstSequence: 1,
      events: [
        EncodedEvent(
          Envelope(kind: .identity, authored: HybridTime(milliseconds: 1)),
          Body(operations: [.identity(claim)])),
        EncodedEvent(
          Envelope(kind: .stamps, authored: HybridTime(milliseconds: 2), context: seen),
          Body(operations: [.stamp(stamp)])),
      ],
      chainBefore: Chain(origin: hub.id))
  }

  /// Returns events of an author that claims to write at the end of time, and to have seen a
  /// thousand events of each of `others`. The last event has an ordinary time.
  private func lie(seed: UInt8, about others: [ReplicaID]) throws -> Frame {
    let identity = try Identity(seed: Array(repeating: 77 + seed, count: 32))
    let seen = ContextDelta(others.map { .init(origin: .new($0), by: 1000) })
    let write = Body(operations: [
      .update(collection: "notes", id: "n1", fields: ["title": .text("lie")])
    ])
    return try Frame(
      origin: identity.id, firstSequence: 1,
      events: [
        EncodedEvent(
          Envelope(kind: .identity, authored: HybridTime(milliseconds: 1)),
          Body(operations: [.identity(IdentityClaim(identity))])),
        EncodedEvent(
          Envelope(kind: .transaction, authored: HybridTime(rawValue: .max), context: seen), write),
        // A time that others follow: they rank after it, whatever it claims to have seen.
        EncodedEvent(
          Envelope(
            kind: .transaction,
            authored: HybridTime(milliseconds: Date.now.milliseconds + 3_600_000)), write),
      ],
      chainBefore: Chain(origin: identity.id))
  }
}

/// A clock that shows the right time, or one that it was set to.
private final class Wall: Sendable {
  private let shown = Mutex<Int64?>(nil)

  var milliseconds: Int64 { shown.withLock { $0 } ?? Date.now.milliseconds }
  func set(_ milliseconds: Int64?) { shown.withLock { $0 = milliseconds } }
}
