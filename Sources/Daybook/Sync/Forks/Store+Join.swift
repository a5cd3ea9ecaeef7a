import DaybookEngine
import DaybookEventCore
import DaybookLogEngine
import DaybookPeers
public import DaybookReplication
public import Foundation

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
      let vector = store.core.log.vector
      try await store.close()
      return try await Blocking.run {
        let files = StoreFiles(folder: url)
        return try StoreGate.alone(files) {
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
