internal import Daybook
internal import EventCore
internal import Foundation
internal import Replication

/// A hub, and another store that writes there: where a store receives from. Their disks work.
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

  /// The other writes, and tells the hub.
  func write(_ writes: [StoreWrite]) async throws {
    for write in writes { try await write.run(in: other) }
    try await other.sync(with: ZonePeer(zone))
  }

  /// A store tells the hub what it has, and takes what the hub has, stamps of its own among it.
  func meet(_ store: Store) async throws { try await store.sync(with: ZonePeer(zone)) }

  func close() async throws {
    try await other.close()
    try zone.close()
  }
}
