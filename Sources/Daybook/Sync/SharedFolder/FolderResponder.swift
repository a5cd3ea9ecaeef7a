package import EventCore
package import Replication

/// Answers requests for a shared folder. It scans the folder, writes received events as files of
/// the asking replica, and tidies that replica's files.
///
/// Time, randomness and storage are passed in, so that a simulation can run the same code as
/// ``FolderPeer``. It handles one request at a time. Between requests it keeps only a cache.
package final class FolderResponder: @unchecked Sendable {
  private let storage: any FolderStorage
  private let options: FolderPeer.Options
  private let wallMilliseconds: @Sendable () -> Int64
  private let randomBytes: @Sendable (Int) -> [UInt8]
  private let responder = SyncResponder()
  private var index: FolderIndex?

  /// Origins that publish their own events to the folder and have done so recently; see
  /// ``SyncPeer/selfPublishing``.
  package private(set) var selfPublishing: Set<ReplicaID> = []
  /// The problems that the latest request has found and ignored.
  package private(set) var findings: [SyncFinding] = []

  /// The knowledge of the folder at the latest request.
  package var held: Knowledge { index?.knowledge ?? Knowledge() }

  /// The knowledge of the folder at the latest request, including files that are still arriving.
  package var expected: Knowledge {
    var expected = held
    for name in index?.promised ?? [] {
      expected.insert(.init(name.sequences, name.tag), of: name.origin)
    }
    return expected
  }

  /// Creates a responder for a shared folder.
  /// - Parameters:
  ///   - storage: the shared folder.
  ///   - options: the time limits.
  ///   - wallMilliseconds: returns the time in milliseconds since 1970; it may be wrong.
  ///   - randomBytes: returns the given number of random bytes.
  package init(
    _ storage: any FolderStorage, options: FolderPeer.Options = FolderPeer.Options(),
    wallMilliseconds: @escaping @Sendable () -> Int64,
    randomBytes: @escaping @Sendable (Int) -> [UInt8]
  ) {
    self.storage = storage
    self.options = options
    self.wallMilliseconds = wallMilliseconds
    self.randomBytes = randomBytes
  }

  /// Answers a request.
  /// - Parameters:
  ///   - request: the request of one replica.
  ///   - judge: the judge of the asking replica. Without one, the asker's histories are not
  ///     compared with those of the files.
  /// - Throws: ``SyncError`` `unreachable`, `unauthorized`, `unavailable`, `wrongZone`.
  package func respond(to request: SyncRequest, judge: HistoryJudge? = nil) throws -> SyncResponse {
    try storage.requireFolder()
    let zone = try zone(for: request.zone)
    let now = wallMilliseconds()
    let index =
      index.flatMap { $0.zone == zone ? $0 : nil } ?? FolderIndex(storage, zone: zone)
    self.index = index
    try index.scan(try folders(of: zone), now: now, judge: judge)
    defer {
      selfPublishing = index.writers(since: now - options.patience.inMilliseconds, now: now)
      findings = index.findings
      index.judge = nil
    }
    let writer = FolderWriter(
      writer: request.replica, now: now, grace: options.grace.inMilliseconds)
    let replica = FolderReplica(index, writer, request, asker: responder.knowledge(of: request))
    let response = try responder.respond(
      to: request, replica, withholding: judge?.refused ?? [])
    // Errors are ignored. If the folder is not writable, an attempt to store events has thrown
    // already.
    try? writer.tidy(index)
    return response
  }

  // MARK: - The zone

  private func zones() throws -> Set<ZoneID> {
    Set(try storage.list("").compactMap(FolderLayout.zone))
  }

  private func folders(of zone: ZoneID) throws -> [String] {
    try storage.list("").filter { FolderLayout.zone(of: $0) == zone }
  }

  /// Returns the zone to use: the folder's, or else the asker's, or else a new one.
  private func zone(for asker: ZoneID) throws -> ZoneID {
    if let zone = try onlyZone(asker) { return zone }
    return try storage.alone {
      if let zone = try onlyZone(asker) { return zone }
      let zone = asker == .none ? ZoneID(bytes: randomBytes(16)) : asker
      try storage.makeFolder(FolderLayout.name(of: zone))
      return zone
    }
  }

  /// Returns the folder's zone; nil if it has none yet.
  /// - Throws: ``SyncError`` `wrongZone` if the folder holds several zones, or the asker's zone
  ///   differs.
  private func onlyZone(_ asker: ZoneID) throws -> ZoneID? {
    let zones = try zones().sorted { $0.description < $1.description }
    guard zones.count < 2 else {
      let names = zones.map { "“\(FolderLayout.name(of: $0))”" }.joined(separator: " and ")
      throw SyncError(
        .wrongZone, "two groups of stores use the shared folder “\(storage.root)”: it has \(names)",
        hint:
          "Move all but one of them to shared folders of their own, and sync each store with "
          + "its own"
      )
    }
    guard let zone = zones.first else { return nil }
    guard asker == .none || asker == zone else {
      throw SyncError(
        .wrongZone, "the shared folder is of zone \(zone), and the store's is \(asker)",
        hint: "Sync with the shared folder of the store's zone, or with an empty one")
    }
    return zone
  }
}

extension Duration {
  fileprivate var inMilliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
