import EventCore
import Foundation
import HubZone
import Replication
import Testing

@testable import Daybook

/// A zone's folder is put back to an earlier state, its key included: as by a snapshot of a disk.
@Suite struct RestoredHubTests {
  private let place = SyncPlace()

  private func write(_ store: Store, _ id: String) async throws {
    try await store.write { tx in try tx.insert("notes", id, ["title": .text(id)]) }
  }

  /// A zone that has been put back, and the stores `a` and `b`, which hold more of it than it does.
  private func restored() async throws -> (zone: Zone, stores: [Store]) {
    var zone = try place.zone("team")
    let stores = [try await place.store("a"), try await place.store("b")]
    try await stores[0].write { tx in try tx.define(SyncPlace.notes) }
    try await stores[0].sync(with: ZonePeer(zone))
    try zone.close()
    let (folder, saved) = (zone.folder, place.folder.appending(path: "saved"))
    try FileManager.default.copyItem(at: folder, to: saved)
    zone = try place.zone("team")
    for store in stores {
      try await store.sync(with: ZonePeer(zone))
      if store === stores[0] { try await write(store, "1") }
      try await store.sync(with: ZonePeer(zone))
    }
    try await stores[1].sync(with: ZonePeer(zone))
    try zone.close()
    try FileManager.default.removeItem(at: folder)
    try FileManager.default.copyItem(at: saved, to: folder)
    return (try place.zone("team"), stores)
  }

  private func expectSame(_ stores: [Store], _ zone: Zone, _ titles: [String]) async throws {
    for _ in 0..<2 {
      for store in stores {
        let report = try await store.sync(with: ZonePeer(zone))
        #expect(report.refusals.isEmpty, "\(report.refusals)")
      }
    }
    #expect(zone.pendingCount == 0)
    for store in stores {
      #expect(try await place.titles(store) == titles)
      #expect(try await store.digest() == stores[0].digest())
    }
  }

  @Test func meetsItsOwnLaterEventsAndIsAnotherFromThenOn() async throws {
    defer { place.remove() }
    let (zone, stores) = try await restored()
    let before = zone.replica
    try await stores[1].sync(with: ZonePeer(zone))
    #expect(zone.replica != before)
    try await write(stores[0], "2")
    try await expectSame(stores, zone, ["1", "2"])
    try zone.close()
    // It stays what it is.
    let again = try place.zone("team")
    #expect(again.replica == zone.replica)
    try again.close()
    try await place.close(stores)
  }

  /// Which branch has the smaller chain value is chance, so it is tried a few times.
  @Test(arguments: 0..<6)
  func thatHasStampedSinceKeepsWhatItHasAndItsClientsGiveUpTheOther(_: Int) async throws {
    defer { place.remove() }
    var (zone, stores) = try await restored()
    let before = zone.replica
    stores.append(try await place.store("c"))
    try await stores[2].sync(with: ZonePeer(zone))
    try await write(stores[2], "3")
    try await stores[2].sync(with: ZonePeer(zone))
    // It does not know yet that it has said something else before.
    #expect(zone.replica == before)
    let forked = try await stores[0].sync(with: ZonePeer(zone)).refusals
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
