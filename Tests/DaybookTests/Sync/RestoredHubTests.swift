import DaybookEventCore
import DaybookHubZone
import DaybookReplication
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// A hub whose zone's folder, with its key, is restored to an earlier state, as by a snapshot of a
/// disk.
@Suite struct RestoredHubTests {
  private let place = SyncPlace()

  private func write(_ store: Store, _ id: String) async throws {
    try await store.write { tx in try tx.insert("notes", id, ["title": .text(id)]) }
  }

  /// Makes a zone that has been restored, and the stores `a` and `b`, which hold more of its events
  /// than it does.
  private func restored() async throws -> (zone: Zone, stores: [Store]) {
    var zone = try place.zone("team")
    let stores = [try await place.store("a"), try await place.store("b")]
    try await stores[0].write { tx in try tx.define(SyncPlace.notes) }
    try await stores[0].syncOnce(with: ZonePeer(zone))
    try zone.close()
    let (folder, saved) = (zone.folder, place.folder.appending(path: "saved"))
    try FileManager.default.copyItem(at: folder, to: saved)
    zone = try place.zone("team")
    for store in stores {
      try await store.syncOnce(with: ZonePeer(zone))
      if store === stores[0] { try await write(store, "1") }
      try await store.syncOnce(with: ZonePeer(zone))
    }
    try await stores[1].syncOnce(with: ZonePeer(zone))
    try zone.close()
    try FileManager.default.removeItem(at: folder)
    try FileManager.default.copyItem(at: saved, to: folder)
    return (try place.zone("team"), stores)
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

  @Test("a restored hub that receives its own later events takes another identity")
  func ownLaterEvents() async throws {
    defer { place.remove() }
    let (zone, stores) = try await restored()
    let before = zone.replica
    try await stores[1].syncOnce(with: ZonePeer(zone))
    #expect(zone.replica != before)
    try await write(stores[0], "2")
    try await expectSame(stores, zone, ["1", "2"])
    try zone.close()
    // The zone keeps its new identity.
    let again = try place.zone("team")
    #expect(again.replica == zone.replica)
    try again.close()
    try await place.close(stores)
  }

  /// The test runs several times, because the branch with the smaller chain value is chance.
  @Test(
    "a restored hub that has stamped keeps its events, and clients give up its others",
    arguments: 0..<6)
  func stampedSince(_: Int) async throws {
    defer { place.remove() }
    var (zone, stores) = try await restored()
    let before = zone.replica
    stores.append(try await place.store("c"))
    try await stores[2].syncOnce(with: ZonePeer(zone))
    try await write(stores[2], "3")
    try await stores[2].syncOnce(with: ZonePeer(zone))
    // The hub does not know yet that it has written other events before.
    #expect(zone.replica == before)
    let forked = try await stores[0].syncOnce(with: ZonePeer(zone)).refusals
    #expect(forked.map(\.event.origin) == [before] && forked.map(\.code) == [.fork])
    for index in 0..<2 {
      let url = stores[index].url
      try await stores[index].close()
      let reports = try await Store.settleForks(at: url, with: ZonePeer(zone))
      #expect(reports.map(\.origin) == [before] && reports.map(\.outcome) != [.kept], "\(reports)")
      stores[index] = try await Store.open(at: url)
    }
    try await write(stores[1], "4")
    try await expectSame(stores, zone, ["1", "3", "4"])
    try await place.close(stores)
    try zone.close()
  }
}
