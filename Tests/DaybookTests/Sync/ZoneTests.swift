import DaybookEventCore
import DaybookHubZone
import DaybookLogEngine
import DaybookReplication
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

@Suite struct ZoneTests {
  private let place = SyncPlace()

  @Test("the write with the later stamp wins, whatever the clocks of devices")
  func laterStamp() async throws {
    defer { place.remove() }
    let zone = try place.zone("team")
    let hub = ZonePeer(zone)
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    try await a.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": .text("milk")])
    }
    try await a.syncOnce(with: hub)
    try await b.syncOnce(with: hub)
    #expect(try await place.titles(b) == ["milk"])
    // Both stores edit offline. b syncs first, so that the hub stamps the edit of a later.
    try await a.write { tx in try tx.update("notes", "n1", ["title": .text("oat milk")]) }
    try await b.write { tx in try tx.update("notes", "n1", ["title": .text("soy milk")]) }
    try await b.syncOnce(with: hub)
    try await a.syncOnce(with: hub)
    try await b.syncOnce(with: hub)
    #expect(try await place.titles(a) == ["oat milk"])
    #expect(try await place.titles(b) == ["oat milk"])
    #expect(try await a.digest() == b.digest())
    let conflicts = try await a.core.reads.asynchronously { try $0.view.conflicts() }
    #expect(conflicts.count == 1)
    #expect(conflicts.first?.writes.map(\.value).contains(.text("soy milk")) == true)
    #expect(try await b.core.reads.asynchronously { try $0.view.conflicts() } == conflicts)
    #expect(zone.pendingCount == 0)
    try await place.close([a, b])
    try zone.close()
  }

  @Test("events are stamped after the events that their authors had seen")
  func stampOrder() async throws {
    defer { place.remove() }
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    try await a.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": .text("1")])
    }
    let first = try await b.syncOnce(with: StorePeer(a))
    // A later hub takes over the zone that the stores have made.
    let zone = try place.zone("team", id: first.zone)
    let hub = ZonePeer(zone)
    try await b.write { tx in try tx.update("notes", "n1", ["title": .text("2")]) }
    try await a.syncOnce(with: StorePeer(b))
    try await a.write { tx in try tx.update("notes", "n1", ["title": .text("3")]) }
    // One push brings both origins.
    try await a.syncOnce(with: hub)
    try await b.syncOnce(with: hub)
    let stamps = try place.stamps(zone)
    let order = stamps.sorted { $0.time < $1.time }
    #expect(order.map(\.origin) == [a.replica, b.replica, a.replica])
    #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0.time < $1.time })
    #expect(try await place.titles(b) == ["3"])
    #expect(try await a.digest() == b.digest())
    try await place.close([a, b])
    try zone.close()
  }

  @Test("a reopened zone keeps its identity and stamps, and stamps further events")
  func reopenedZone() async throws {
    defer { place.remove() }
    var zone = try place.zone("team")
    let (id, hubReplica) = (zone.zone, zone.replica)
    let a = try await place.store("a")
    try await a.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": .text("1")])
    }
    try await a.syncOnce(with: ZonePeer(zone))
    let before = try place.stamps(zone)
    try zone.close()
    zone = try place.zone("team")
    #expect(zone.zone == id && zone.replica == hubReplica)
    try await a.write { tx in try tx.update("notes", "n1", ["title": .text("2")]) }
    let report = try await a.syncOnce(with: ZonePeer(zone))
    #expect(report.eventsSent == 1 && report.eventsReceived == 1)
    let after = try place.stamps(zone)
    #expect(Array(after.prefix(before.count)) == before && after.count == before.count + 1)
    #expect(after[after.count - 1].time > after[0].time)
    let verification = try await Store.verify(at: zone.folder)
    #expect(verification.log.isSound)
    try await a.close()
    try zone.close()
  }

  @Test("a hub with a doubtful tail continues as another, even if a first attempt fails")
  func doubtfulTail() async throws {
    defer { place.remove() }
    var zone = try place.zone("team")
    let before = zone.replica
    let files = StoreFiles(folder: zone.folder)
    try zone.close()
    try StoreIdentityTests.makeTailDoubtful(zone.folder)
    let inTheWay = URL(filePath: files.key + ".new")
    try FileManager.default.createDirectory(at: inTheWay, withIntermediateDirectories: false)
    #expect(throws: StoreError.self) { try place.zone("team") }
    try FileManager.default.removeItem(at: inTheWay)

    zone = try place.zone("team")
    let renewed = zone.replica
    #expect(renewed != before)
    try zone.close()
    zone = try place.zone("team")
    #expect(zone.replica == renewed)
    try zone.close()
  }

  @Test("a lost hub is refilled by its clients, with the same stamps")
  func refilledHub() async throws {
    defer { place.remove() }
    let first = try place.zone("team")
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    try await a.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": .text("1")])
    }
    try await a.syncOnce(with: ZonePeer(first))
    try await b.syncOnce(with: ZonePeer(first))
    let stamped = try place.stamps(first)
    try first.close()
    // The disk of the hub is lost. Only its authority and the id of the zone are left.
    let second = try place.zone("again", id: first.zone)
    #expect(second.replica != first.replica)
    try await b.write { tx in try tx.update("notes", "n1", ["title": .text("2")]) }
    let refill = try await b.syncOnce(with: ZonePeer(second))
    #expect(refill.refusals.isEmpty)
    try await a.syncOnce(with: ZonePeer(second))
    #expect(try await a.digest() == b.digest())
    #expect(try await place.titles(a) == ["2"])
    // Stamped events keep their stamps.
    let later = try place.stamps(second)
    #expect(later.allSatisfy { stamp in stamped.allSatisfy { $0.time < stamp.time } })
    let again = later.filter { $0.origin == a.replica }
    #expect(again == [])
    try await place.close([a, b])
    try second.close()
  }

  @Test("a hub of another authority is refused")
  func otherAuthority() async throws {
    defer { place.remove() }
    let zone = try place.zone("team")
    let other = try place.zone(
      "other", id: zone.zone, authority: Identity(seed: Array(repeating: 7, count: 32)))
    let a = try await place.store("a")
    try await a.write { tx in try tx.define(SyncPlace.notes) }
    try await a.syncOnce(with: ZonePeer(zone))
    let before = try await a.digest()
    await #expect { try await a.syncOnce(with: ZonePeer(other)) } throws: {
      ($0 as? StoreError)?.syncError?.code == .wrongAuthority
    }
    #expect(try await a.digest() == before)
    try await a.close()
    try zone.close()
    try other.close()
  }

  /// Any writer of files can make itself a hub for stores that have met none. No command could undo
  /// that.
  @Test("a false authority that a folder brought can be replaced")
  func falseAuthority() async throws {
    defer { place.remove() }
    let zone = try place.zone("team")
    let rogue = try place.zone(
      "rogue", id: zone.zone, authority: Identity(seed: Array(repeating: 7, count: 32)))
    let folder = try SharedFolder(place.folder.appending(path: "shared"))
    let (a, stranger) = (try await place.store("a"), try await place.store("stranger"))
    try await a.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": .text("1")])
    }
    try await stranger.syncOnce(with: ZonePeer(rogue))
    try await stranger.syncOnce(with: folder.peer())
    try await a.syncOnce(with: folder.peer())
    try await stranger.syncOnce(with: folder.peer())
    try await stranger.syncOnce(with: ZonePeer(rogue))
    try await stranger.syncOnce(with: folder.peer())
    try await a.syncOnce(with: folder.peer())
    await #expect { try await a.syncOnce(with: ZonePeer(zone)) } throws: {
      ($0 as? StoreError)?.syncError?.code == .wrongAuthority
    }
    try await a.close()
    let authority = try #require(zone.authority)
    #expect(try await Store.trust(authority: authority, at: a.url) == [rogue.replica])
    let again = try await Store.open(at: a.url)
    #expect(try await again.status().authority == Hex.encode(authority))
    #expect(try await again.syncOnce(with: ZonePeer(zone)).refusals.isEmpty)
    #expect(try await again.syncOnce(with: ZonePeer(zone)).refusals.isEmpty)
    #expect(try await again.status().unstamped == 0 && zone.pendingCount == 0)
    // The folder still has the false hub, and keeps no store from syncing.
    #expect(
      try await again.syncOnce(with: folder.peer()).refusals.map(\.code) == [.foreignAuthority])
    #expect(try await place.titles(again) == ["1"])
    try await again.close()
    // A repeated call changes nothing.
    #expect(try await Store.trust(authority: authority, at: a.url).isEmpty)
    await #expect { _ = try await Store.trust(authority: [1, 2], at: a.url) } throws: {
      ($0 as? StoreError)?.syncError?.code == .wrongAuthority
    }
    try await stranger.close()
    try zone.close()
    try rogue.close()
  }

  @Test("a zone of another id is refused")
  func otherZone() async throws {
    defer { place.remove() }
    let (zone, other) = (try place.zone("team"), try place.zone("other"))
    let a = try await place.store("a")
    try await a.syncOnce(with: ZonePeer(zone))
    await #expect { try await a.syncOnce(with: ZonePeer(other)) } throws: {
      ($0 as? StoreError)?.syncError?.code == .wrongZone
    }
    try await a.close()
    try zone.close()
    try other.close()
  }
}
