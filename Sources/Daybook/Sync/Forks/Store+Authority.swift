import DaybookEngine
public import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import DaybookReplication
public import Foundation

extension Store {
  /// Pins another authority as the one that certifies the zone's hubs. This is needed if a hub was
  /// set up anew without the old key, or if a foreign hub has written to a shared folder.
  ///
  /// The events of hubs that other authorities have certified, which are stamps, are removed from
  /// the log. The old log is kept in `quarantine/`. Events that only those hubs had stamped are
  /// pending until a hub stamps them again. Every store of the zone must pin the new authority. A
  /// store that does not refuses the new hub, and other stores refuse the old hub's events from it.
  ///
  /// Cost: copies the log and rebuilds the read model, for each hub that is removed.
  /// - Parameters:
  ///   - authority: the authority's public key, 32 bytes; `evtool status` of a zone's folder shows
  ///     it.
  ///   - url: the folder of a store that is not open anywhere.
  ///   - options: the options for opening the store.
  /// - Returns: the hubs whose stamps were removed.
  /// - Throws: ``StoreError`` `syncFailed` if the key has another length, or if the folder is a
  ///   hub's own zone; `damaged`, `noSpace`, `ioFailed`; `locked` if the
  ///   store is open.
  public static func trust(
    authority: [UInt8], at url: URL, options: Options = Options()
  ) async throws -> [ReplicaID] {
    try await StoreError.surfacingSync { try await adopt(authority, at: url, options) }
  }

  private static func adopt(_ authority: [UInt8], at url: URL, _ options: Options) async throws
    -> [ReplicaID]
  {
    guard authority.count == 32 else {
      throw SyncError(
        .wrongAuthority, "an authority's key has 32 bytes, and this one \(authority.count)",
        hint: "`evtool status` of the zone's folder on the hub says it")
    }
    // Opening completes any interrupted work, and proves that the folder is a store's.
    let store = try await open(at: url, options: options)
    let own = try await store.status().replica
    let hubs = Result { try store.core.log.snapshot().hubs(notOf: authority) }
    try await store.close()
    let foreign = try hubs.get()
    guard !foreign.contains(own) else {
      throw SyncError(
        .wrongAuthority, "this is a hub's own zone, which is certified by another authority",
        hint: "Start the hub with the key of the authority that certified it")
    }
    for hub in foreign {
      _ = try await Blocking.run {
        try BranchRemoval.remove(Branch(origin: hub, from: 1), of: StoreFiles(folder: url))
      }
    }
    try await Blocking.run {
      let files = StoreFiles(folder: url)
      try StoreGate.alone(files) {
        var file = try IdentityFile.read(files)
        file.authority = authority
        try file.write(files)
      }
    }
    // Opening rebuilds the read model.
    if !foreign.isEmpty { try await open(at: url, options: options).close() }
    return foreign
  }
}

extension LogSnapshot {
  /// Returns the hubs that other authorities have certified, in ascending order.
  fileprivate func hubs(notOf authority: [UInt8]) throws -> [ReplicaID] {
    var found: [ReplicaID] = []
    for (origin, _) in vector.entries {
      try forEachEvent(of: origin, in: 1...1) { _, event in
        guard let claim = IdentityClaim.claimed(by: event), claim.certifiesHub(origin),
          claim.certificate?.authority != authority
        else { return }
        found.append(origin)
      }
    }
    return found
  }
}
