public import EventCore
public import Foundation
import LogEngine
import Replication

extension Store {
  /// Pins the authority that certifies the zone's hubs, in the place of another: a hub was set up anew without the
  /// old key, or somebody has put a hub of their own into a shared folder.
  ///
  /// What other authorities' hubs have written, their stamps, is taken out of the log; the log as it was is kept in
  /// `quarantine/`. What they had stamped is pending until a hub stamps it. Every store of the zone has to be told: one
  /// that is not refuses the hub, and is refused what it holds of the other.
  ///
  /// Cost: copies the log, and makes the read model again, for each hub that goes.
  /// - Parameters:
  ///   - authority: its public key, 32 bytes; `evtool status` of a zone's folder says it.
  ///   - url: of a store that nobody has open.
  /// - Returns: the hubs whose stamps are gone.
  /// - Throws: ``SyncError`` `wrongAuthority` for a key of another length, or a zone's own folder; ``StoreError``
  ///   `damaged`, `noSpace`, `ioFailed`; `LogError` `locked` where the store is open.
  public static func trust(
    authority: [UInt8], at url: URL, options: Options = Options()
  ) async throws -> [ReplicaID] {
    guard authority.count == 32 else {
      throw SyncError(
        .wrongAuthority, "an authority's key has 32 bytes, and this one \(authority.count)",
        hint: "`evtool status` of the zone's folder on the hub says it")
    }
    // Whatever was left unfinished is finished, and its zone is known to be a store's.
    let store = try await open(at: url, options: options)
    let own = try await store.status().replica
    let hubs = Result { try store.log.snapshot().hubs(notOf: authority) }
    try await store.close()
    let foreign = try hubs.get()
    guard !foreign.contains(own) else {
      throw SyncError(
        .wrongAuthority, "this is a hub's own zone, which is certified by another authority",
        hint: "Start the hub with the key of the authority that certified it")
    }
    for hub in foreign {
      _ = try await Blocking.run { try removeBranch(Branch(origin: hub, from: 1), at: url) }
    }
    try await Blocking.run {
      let files = StoreFiles(folder: url)
      try alone(files) {
        var file = try IdentityFile.read(files)
        file.authority = authority
        try file.write(files)
      }
    }
    // Makes the read model.
    if !foreign.isEmpty { try await open(at: url, options: options).close() }
    return foreign
  }

  /// Runs `body` while nobody has the store open.
  static func alone<T>(_ files: StoreFiles, _ body: () throws -> T) throws -> T {
    let gate = StoreGate(files)
    guard try gate.tryExclude() else {
      throw LogError(
        .locked, "another process has the store open", hint: "close it there, and try again")
    }
    defer { gate.release() }
    return try body()
  }
}

extension LogSnapshot {
  /// The hubs that other authorities have certified, ascending.
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
