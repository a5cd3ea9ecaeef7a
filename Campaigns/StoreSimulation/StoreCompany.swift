import Daybook
import DaybookEventCore
import DaybookHubZone
import DaybookReplication
import Foundation

/// A hub and another store that writes there, from which a store can receive. Their disks work.
final class StoreCompany: Sendable {
  private let other: Store
  private let zone: Zone

  init(in folder: URL) async throws {
    other = try await Store.create(at: folder.appending(path: "other"), options: StoreRun.options)
    var options = Zone.Options()
    options.logger = StoreRun.options.logger
    zone = try Zone.open(
      at: folder.appending(path: "hub"),
      authority: try Identity(seed: Array(repeating: 1, count: 32)), options: options)
  }

  /// Writes in the other store, and syncs it with the hub.
  func write(_ writes: [StoreWrite]) async throws {
    for write in writes { try await write.run(in: other) }
    try await other.syncOnce(with: ZonePeer(zone))
  }

  /// Syncs `store` with the hub, which may send stamps of the store's own events.
  func meet(_ store: Store) async throws { try await store.syncOnce(with: ZonePeer(zone)) }

  func close() async throws {
    try await other.close()
    try zone.close()
  }
}
