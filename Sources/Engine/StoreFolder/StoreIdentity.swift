package import DaybookEventCore
package import DaybookLogEngine

/// The identity that a store writes under: its replica id with the key, its zone, and the authority
/// of the zone's hubs.
///
/// It is in the files ``IdentityFile`` describes, which another process of the store may change.
/// The caller of a method that changes them holds the commit lock.
package final class StoreIdentity {
  package private(set) var file: IdentityFile
  /// The identity with its key; nil until it is read, and if the store must take another.
  private var key: Identity?
  /// Whether the store must take a new key, because the old one may have been used elsewhere, or
  /// for sequence numbers that the log has lost.
  private var mustRenew: Bool
  private let folder: any IdentityFolder
  private let log: EventLog
  private let randomBytes: (Int) -> [UInt8]
  private let noteRenewal: (_ before: ReplicaID, _ after: ReplicaID) -> Void

  /// - Parameters:
  ///   - file: the identity file, as it was read before the log was opened.
  ///   - folder: the folder with the files.
  ///   - log: the store's log.
  ///   - mustRenew: whether the recovery of the log asks for a new identity.
  ///   - randomBytes: returns random bytes for new keys.
  ///   - noteRenewal: is told of each new identity.
  package init(
    _ file: IdentityFile, in folder: any IdentityFolder, _ log: EventLog, mustRenew: Bool,
    randomBytes: @escaping (Int) -> [UInt8],
    noteRenewal: @escaping (_ before: ReplicaID, _ after: ReplicaID) -> Void = { _, _ in }
  ) {
    self.file = file
    self.folder = folder
    self.log = log
    self.mustRenew = mustRenew
    self.randomBytes = randomBytes
    self.noteRenewal = noteRenewal
  }

  package var replica: ReplicaID { file.replica }

  /// Returns the identity with its key; nil if the store must take another one first.
  /// - Throws: ``StoreError`` `ioFailed` if the key cannot be read, which is no reason to take
  ///   another.
  package func known() throws -> Identity? {
    if key == nil, !mustRenew { key = try file.identity(folder) }
    return key
  }

  /// Returns the identity to write with, and takes a new one if necessary.
  ///
  /// Needs the commit lock unless the identity is known.
  package func current() throws -> Identity {
    if let known = try known() { return known }
    try take()
    guard let key else { throw StoreError(.damaged, "the store has no identity") }
    return key
  }

  /// Takes the identity that another process has taken meanwhile; if there is none, a new one.
  package func take() throws {
    let found = try IdentityFile.read(folder)
    guard found.replica != replica, let other = try found.identity(folder) else {
      return try renew()
    }
    file = found
    key = other
    mustRenew = false
  }

  /// Takes a new key, and so becomes a new replica.
  ///
  /// This is necessary if the key is gone or may have been used elsewhere.
  package func renew() throws {
    try signLastEvent()
    let renewed = try Identity(seed: randomBytes(32))
    let isOwn = try file.identity(folder) != nil
    let next = file.renewed(as: renewed, through: isOwn ? log.vector[replica] : 0)
    try next.write(folder, key: renewed)
    noteRenewal(replica, next.replica)
    file = next
    key = renewed
    mustRenew = false
    try log.identityRenewed()
  }

  /// Appends a head of the store's last own event, signed with the current key.
  ///
  /// Without it, no peer could take the events from a store that has lost or changed its key.
  package func signLastEvent() throws {
    let event = EventID(replica, log.vector[replica])
    guard event.sequence > 0, let key = try file.identity(folder),
      let chain = try log.chain(after: event)
    else { return }
    try log.append(try Head(zone: file.zone, sequence: event.sequence, chain: chain, by: key))
    try log.sync()
  }

  /// Adopts a peer's zone, unless the store has a zone already.
  package func adopt(_ zone: [UInt8]) throws {
    try change { file in if file.zone == Self.noZone { file.zone = zone } }
  }

  /// Takes another zone in the place of the store's own.
  package func move(to zone: [UInt8]) throws { try change { $0.zone = zone } }

  /// Pins a hub's authority, unless another is pinned already.
  package func pin(_ authority: [UInt8]) throws {
    try change { file in file.authority = file.authority ?? authority }
  }

  private static let noZone: [UInt8] = Array(repeating: 0, count: 16)

  /// Reads the identity file again, changes it, and writes it if it differs.
  private func change(_ change: (inout IdentityFile) -> Void) throws {
    let before = try IdentityFile.read(folder)
    var next = before
    change(&next)
    if next != before { try next.write(folder) }
    file = next
  }
}
