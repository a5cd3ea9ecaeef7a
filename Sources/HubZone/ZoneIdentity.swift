package import DaybookEngine
package import DaybookEventCore
package import DaybookLogEngine
package import DaybookPeers
package import DaybookReplication

/// The identity of a hub in one zone. Its files are those of a store's identity, and name the zone
/// and the authority from the start.
package struct ZoneIdentity: Sendable {
  private let folder: any IdentityFolder
  private let authority: Identity
  private let randomBytes: @Sendable (Int) -> [UInt8]
  private let noteRenewal: @Sendable (_ before: ReplicaID, _ after: ReplicaID) -> Void
  private var file: IdentityFile

  package var zone: ZoneID { ZoneID(bytes: file.zone) }

  private init(
    _ file: IdentityFile, in folder: some IdentityFolder, authority: Identity,
    randomBytes: @escaping @Sendable (Int) -> [UInt8],
    noteRenewal: @escaping @Sendable (_ before: ReplicaID, _ after: ReplicaID) -> Void
  ) {
    self.folder = folder
    self.authority = authority
    self.randomBytes = randomBytes
    self.noteRenewal = noteRenewal
    self.file = file
  }

  /// Reads the identity of a zone, and makes one if there is none.
  /// - Parameters:
  ///   - folder: the folder of the zone.
  ///   - authority: the authority that certifies the zone's hubs.
  ///   - zone: the id of a new zone; nil for a random one.
  ///   - randomBytes: returns random bytes for keys and ids.
  ///   - noteRenewal: is told of each new identity.
  /// - Throws: ``StoreError`` `damaged` if the zone has another authority, and what reading and
  ///   writing the files throw.
  package static func open(
    in folder: some IdentityFolder, authority: Identity, zone: ZoneID?,
    randomBytes: @escaping @Sendable (Int) -> [UInt8],
    noteRenewal: @escaping @Sendable (_ before: ReplicaID, _ after: ReplicaID) -> Void = { _, _ in }
  ) throws -> ZoneIdentity {
    let file: IdentityFile
    if let found = try IdentityFile.find(folder) {
      guard found.authority == nil || found.authority == authority.publicKey else {
        throw StoreError(
          .damaged, "“\(folder.name)” is a zone of another hub: its authority differs",
          hint: "Put that hub's authority.key in place, or start with an empty folder")
      }
      file = found
    } else {
      let identity = try Identity(seed: randomBytes(32))
      file = try write(
        identity, zone: zone?.bytes ?? randomBytes(16), certifiedBy: authority, in: folder)
    }
    return ZoneIdentity(
      file, in: folder, authority: authority, randomBytes: randomBytes, noteRenewal: noteRenewal)
  }

  /// Returns the identity of the hub that opens a log: the one in the files, or a new one.
  ///
  /// It is a new one if the key is missing or may have been used elsewhere, and if the replica has
  /// written as an ordinary store, because then it cannot stamp.
  /// - Parameters:
  ///   - log: the zone's log.
  ///   - recovery: what the recovery of the log has found.
  package mutating func keepOrRenew(_ log: EventLog, _ recovery: RecoveryReport) throws
    -> Identity
  {
    let kept = recovery.mustRenewIdentity ? nil : try file.identity(folder)
    var identity = kept
    if let known = kept, try !mayStamp(known, log) { identity = nil }
    let current = try identity ?? Identity(seed: randomBytes(32))
    if current.id != kept?.id || file.authority == nil || zone == .none {
      let before = file.replica
      file = try Self.write(
        current, zone: zone == .none ? randomBytes(16) : file.zone, certifiedBy: authority,
        in: folder)
      if current.id != before { noteRenewal(before, current.id) }
    }
    if recovery.mustRenewIdentity { try log.identityRenewed() }
    return current
  }

  /// Creates a new identity, and stores it durably in place of the current one.
  package func renew() throws -> Identity {
    let renewed = try Identity(seed: randomBytes(32))
    let before = try IdentityFile.read(folder)
    _ = try Self.write(renewed, zone: before.zone, certifiedBy: authority, in: folder)
    noteRenewal(before.replica, renewed.id)
    return renewed
  }

  private static func write(
    _ identity: Identity, zone: [UInt8], certifiedBy authority: Identity,
    in folder: some IdentityFolder
  ) throws -> IdentityFile {
    var file = IdentityFile(identity, zone: zone)
    file.authority = authority.publicKey
    try file.write(folder, key: identity)
    return file
  }

  private func mayStamp(_ identity: Identity, _ log: EventLog) throws -> Bool {
    guard log.vector[identity.id] > 0 else { return true }
    var isCertified = false
    try log.snapshot().forEachEvent(of: identity.id, in: 1...1) { _, event in
      guard let claim = IdentityClaim.claimed(by: event) else { return }
      isCertified =
        claim.certifiesHub(identity.id) && claim.certificate?.authority == authority.publicKey
    }
    return isCertified
  }
}
