import DaybookEventCore
import DaybookLogEngine
public import DaybookReplication
public import Foundation

/// The rules for a store that leaves its zone for another one.
///
/// A signature names a zone. A store signs its own events again when it sends them, but what
/// others have signed for the old zone cannot be handed on in the new one. Their authors have to
/// move, too.
enum ZoneMove {
  /// Returns whether nothing binds a store to its zone: it holds only its own events, and knows no
  /// hub.
  static func isFree(_ vector: VersionVector, _ replica: ReplicaID, _ authority: [UInt8]?) -> Bool {
    authority == nil && vector.shared.entries.allSatisfy { $0.origin == replica }
  }

  /// Returns the error of a store that something binds to its zone.
  static func bound(to zone: ZoneID) -> SyncError {
    SyncError(
      .wrongZone, "the store holds events that others have signed for zone \(zone)",
      hint: "Let it join the other zone with “evtool zones join”")
  }

  /// Checks that a store may leave its zone at its owner's request.
  /// - Throws: ``SyncError`` `wrongZone` if events would be lost to others.
  static func requirePossible(_ vector: VersionVector, _ file: IdentityFile) throws(SyncError) {
    guard file.authority == nil else {
      throw SyncError(
        .wrongZone, "the store's zone has a hub, which has stamped its events",
        hint: "Let the other stores join the zone of the hub, \(ZoneID(bytes: file.zone))")
    }
    guard !file.former.contains(where: { vector[$0.replica] > 0 }) else {
      throw SyncError(
        .wrongZone,
        "the store has written events under an earlier identity, whose key is gone: nobody could "
          + "sign them for another zone",
        hint: "Let the other stores join this one's zone, \(ZoneID(bytes: file.zone))")
    }
  }
}

extension Store {
  /// Makes a store join another zone of a shared folder, if a folder has come to hold two.
  ///
  /// The store's own events are exchanged in the new zone from the next sync on. Those of other
  /// stores are handed on again once their authors have joined, too. No event is lost. No other
  /// process may have the store open.
  /// - Parameters:
  ///   - zone: the zone to join; ``FolderPeer/zones()`` lists those of a folder.
  ///   - url: the store's folder.
  ///   - options: the options for opening the store.
  /// - Returns: the zone that the store has left; nil if it had none, or was in this one already.
  /// - Throws: ``StoreError`` `locked` if the store is open elsewhere; `syncFailed` with a
  ///   `SyncError` `wrongZone` if the store's zone has a hub, or if the key of some of the store's
  ///   own events is gone.
  public static func join(
    zone: ZoneID, at url: URL, options: Options = Options()
  ) async throws -> ZoneID? {
    try await StoreError.surfacingSync {
      // Opening completes any interrupted work, and proves that the folder is a store's.
      let store = try await open(at: url, options: options)
      let vector = store.log.vector
      try await store.close()
      return try await Blocking.run {
        let files = StoreFiles(folder: url)
        return try alone(files) {
          var file = try IdentityFile.read(files)
          let before = ZoneID(bytes: file.zone)
          guard before != zone else { return nil }
          if before != .none { try ZoneMove.requirePossible(vector, file) }
          file.zone = zone.bytes
          try file.write(files)
          return before == .none ? nil : before
        }
      }
    }
  }
}
