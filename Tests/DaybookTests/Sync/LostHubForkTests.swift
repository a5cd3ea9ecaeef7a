import DaybookEventCore
import DaybookHubZone
import DaybookReplication
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// A hub that was lost, and a store that was copied with its key before. The lost hub has stamped
/// one history, and the hub that takes its place is brought the other one first.
@Suite struct LostHubForkTests {
  private let place = SyncPlace()

  private func write(_ store: Store, _ id: String) async throws {
    try await store.write { tx in try tx.insert("notes", id, ["title": .text(id)]) }
  }

  /// A zone whose hub was lost and set up anew, as docs/operations.md says.
  private struct Lost {
    var zone: Zone
    var original: Store
    var reader: Store
    var clone: Store
  }

  /// Makes a store, a reader and a clone. The lost hub has stamped what the original wrote after it
  /// was copied.
  /// - Parameter fetches: Whether the stamps were fetched before the hub was lost.
  private func lost(fetches: Bool = true) async throws -> Lost {
    var zone = try place.zone("team")
    var original = try await place.store("original")
    let reader = try await place.store("reader")
    try await original.write { try $0.define(SyncPlace.notes) }
    try await write(original, "n0")
    for store in [original, reader] { try await store.syncOnce(with: ZonePeer(zone)) }
    try await original.close()
    let copy = place.folder.appending(path: "clone")
    try FileManager.default.copyItem(at: original.url, to: copy)
    original = try await Store.open(at: original.url)
    try await write(original, "a")
    if fetches {
      try await original.syncOnce(with: ZonePeer(zone))
      try await reader.syncOnce(with: ZonePeer(zone))
    }
    let id = zone.zone
    try zone.close()
    try FileManager.default.removeItem(at: zone.folder)
    zone = try place.zone("team", id: id)
    let clone = try await Store.open(at: copy)
    try await write(clone, "b")
    #expect(try await clone.syncOnce(with: ZonePeer(zone)).refusals.isEmpty)
    return Lost(zone: zone, original: original, reader: reader, clone: clone)
  }

  private func settle(_ store: Store, _ zone: Zone) async throws -> (Store, [Store.ForkReport]) {
    try await store.close()
    let reports = try await Store.settleForks(at: store.url, with: ZonePeer(zone))
    return (try await Store.open(at: store.url), reports)
  }

  private func expectSame(_ stores: [Store], _ zone: Zone, _ titles: [String]) async throws {
    for _ in 0..<2 {
      for store in stores {
        let report = try await store.syncOnce(with: ZonePeer(zone))
        #expect(report.refusals.isEmpty, "\(report.refusals)")
      }
    }
    #expect(zone.pendingCount == 0)
    for store in stores {
      #expect(try await place.titles(store) == titles)
      #expect(try await store.digest() == stores[0].digest())
    }
  }

  /// Who merely holds the branch that stands can show it like its author.
  @Test(
    "a zone gives up a branch if a lost hub has stamped the other one first",
    arguments: [true, false])
  func zoneGivesUp(isShownByAuthor: Bool) async throws {
    defer { place.remove() }
    var lost = try await lost()
    let replica = lost.original.replica
    let refused = try await lost.original.syncOnce(with: ZonePeer(lost.zone)).refusals
    #expect(refused.map(\.code) == [.fork] && refused.map(\.event.origin) == [replica])
    #expect(lost.zone.forked == [replica])
    #expect(try await lost.original.status().problems.map(\.kind) == [.refused])

    let reports: [Store.ForkReport]
    if isShownByAuthor {
      (lost.original, reports) = try await settle(lost.original, lost.zone)
    } else {
      (lost.reader, reports) = try await settle(lost.reader, lost.zone)
    }
    #expect(reports.map(\.origin) == [replica] && reports.map(\.outcome) == [.agreed])
    #expect(lost.zone.forked.isEmpty)
    // The zone keeps its log as it was.
    let kept = lost.zone.folder.appending(path: "quarantine")
    #expect(try FileManager.default.contentsOfDirectory(atPath: kept.path).count == 1)

    let removed: [Store.ForkReport]
    (lost.clone, removed) = try await settle(lost.clone, lost.zone)
    #expect(removed.map(\.reissued) == [1])
    try await write(lost.original, "c")
    let stores = [lost.original, lost.reader, lost.clone]
    try await expectSame(stores, lost.zone, ["a", "b", "c", "n0"])
    #expect(try await lost.original.status().isHealthy)
    // The log that the zone goes on with is whole.
    try lost.zone.close()
    lost.zone = try place.zone("team")
    try await write(lost.clone, "d")
    let new = try await place.store("new")
    try await expectSame(stores + [new], lost.zone, ["a", "b", "c", "d", "n0"])
    try await place.close(stores + [new])
    try lost.zone.close()
    #expect(try await Store.verify(at: lost.zone.folder).isSound)
  }

  @Test("a branch that no hub is known to have stamped gives way, and none of its events is lost")
  func stampsLost() async throws {
    defer { place.remove() }
    var lost = try await lost(fetches: false)
    let reports: [Store.ForkReport]
    (lost.original, reports) = try await settle(lost.original, lost.zone)
    #expect(reports.map(\.reissued) == [1])
    let stores = [lost.original, lost.reader, lost.clone]
    try await expectSame(stores, lost.zone, ["a", "b", "n0"])
    try await place.close(stores)
    try lost.zone.close()
  }

  /// A hub's folder was copied with its key, both copies have stamped, and one of them has said
  /// which history of the hub stands. Then a third hub is brought the other one.
  @Test("a zone gives up a hub's history that another hub has put aside")
  func hubHistory() async throws {
    defer { place.remove() }
    var zone = try place.zone("team")
    let a = try await place.store("a")
    let (b, c) = (try await place.store("b"), try await place.store("c"))
    try await a.write { try $0.define(SyncPlace.notes) }
    for store in [a, b, c] { try await store.syncOnce(with: ZonePeer(zone)) }
    let (id, hub) = (zone.zone, zone.replica)
    try zone.close()
    let copied = place.folder.appending(path: "copied")
    try FileManager.default.copyItem(at: zone.folder, to: copied)

    zone = try place.zone("team")
    try await write(a, "a")
    for store in [a, c] { try await store.syncOnce(with: ZonePeer(zone)) }
    try zone.close()
    zone = try place.zone("copied")
    try await write(b, "b")
    try await b.syncOnce(with: ZonePeer(zone))
    #expect(zone.replica == hub)
    try await a.close()
    #expect(try await Store.settleForks(at: a.url, with: ZonePeer(zone)).map(\.origin) == [hub])
    let again = try await Store.open(at: a.url)
    for store in [again, b] { try await store.syncOnce(with: ZonePeer(zone)) }
    #expect(zone.replica != hub)
    try zone.close()

    zone = try place.zone("third", id: id)
    #expect(try await c.syncOnce(with: ZonePeer(zone)).refusals.isEmpty)
    #expect(try await b.syncOnce(with: ZonePeer(zone)).refusals.map(\.event.origin) == [hub])
    let (settled, reports) = try await settle(b, zone)
    #expect(reports.map(\.origin) == [hub] && reports.map(\.outcome) == [.agreed])
    let (other, given) = try await settle(c, zone)
    #expect(given.map(\.origin) == [hub] && given.map(\.outcome) != [.kept])
    try await expectSame([again, settled, other], zone, ["a", "b"])
    try await place.close([again, settled, other])
    try zone.close()
  }
}
