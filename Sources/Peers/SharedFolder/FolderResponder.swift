package import DaybookEngine
package import DaybookEventCore
package import DaybookReplication

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
  /// The zones with files that the asker of the latest request does not belong to.
  private var otherZones: [FolderPeer.Zone] = []

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
    let zone = try zone(for: request.zone, judge)
    let now = wallMilliseconds()
    let index =
      index.flatMap { $0.zone == zone ? $0 : nil } ?? FolderIndex(storage, zone: zone)
    self.index = index
    try index.scan(try folders(of: zone), now: now, judge: judge)
    defer {
      selfPublishing = index.writers(since: now &- options.patience.wholeMilliseconds, now: now)
      findings = index.findings + zoneFindings
      index.judge = nil
    }
    let writer = FolderWriter(
      writer: request.replica, now: now, grace: options.grace.wholeMilliseconds)
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

  /// Returns the zone to use: the asker's, the folder's, or a new one.
  /// - Throws: ``EmptyZone`` if the asker should move to the folder's zone; ``SyncError``
  ///   `wrongZone`.
  private func zone(for asker: ZoneID, _ judge: HistoryJudge?) throws -> ZoneID {
    if let zone = try knownZone(asker, judge) { return zone }
    return try storage.alone {
      if let zone = try knownZone(asker, judge) { return zone }
      let zone = asker == .none ? ZoneID(bytes: randomBytes(16)) : asker
      try storage.makeFolder(FolderLayout.name(of: zone))
      return zone
    }
  }

  /// Returns the zone of the folder that an asker uses; nil if it has none yet.
  ///
  /// A zone without files gives way to one with files: a new device may have made it before the
  /// sync program has brought the others' files.
  private func knownZone(_ asker: ZoneID, _ judge: HistoryJudge?) throws -> ZoneID? {
    otherZones = []
    let ids = try zones()
    guard let only = ids.first else { return nil }
    if ids.count == 1, asker == .none || asker == only { return only }
    let all = try FolderPeer.Zone.all(in: storage)
    let used = all.filter { !$0.isEmpty }
    if asker == .none {
      guard used.count < 2 else { throw severalZones(used) }
      // Of several empty ones, all new devices choose the same.
      return used.first?.id ?? all.first?.id
    }
    if used.contains(where: { $0.id == asker }) {
      otherZones = used.filter { $0.id != asker }
      return asker
    }
    let isHere = ids.contains(asker)
    let mayLeave = judge?.mayLeaveZone() ?? false
    if let zone = used.first {
      if used.count == 1, mayLeave, isHere || judge?.vector.shared.isEmpty ?? false {
        throw EmptyZone(better: zone.id)
      }
      throw used.count == 1 ? otherZone(zone, asker) : severalZones(used)
    }
    if isHere, mayLeave, let first = all.first, first.id != asker {
      throw EmptyZone(better: first.id)
    }
    return isHere ? asker : nil
  }

  private func otherZone(_ zone: FolderPeer.Zone, _ asker: ZoneID) -> SyncError {
    SyncError(
      .wrongZone, "the shared folder is of zone \(zone.id), and the store's is \(asker)",
      hint:
        "Sync with the shared folder of the store's zone, or with an empty one; or let the store "
        + "join this zone with `evtool zones join`",
      cause: zone.words)
  }

  private func severalZones(_ zones: [FolderPeer.Zone]) -> SyncError {
    SyncError(
      .wrongZone,
      "\(zones.count == 2 ? "two" : "\(zones.count)") groups of stores use the shared folder "
        + "“\(storage.root)”: \(zones.map(\.words).joined(separator: " and "))",
      hint:
        "Join one of them with `evtool zones join`, or move one out of the way with "
        + "`evtool zones remove`")
  }

  private var zoneFindings: [SyncFinding] {
    otherZones.map { zone in
      SyncFinding(
        .otherZone, FolderLayout.name(of: zone.id),
        "is another group's zone: \(zone.words), and nothing is exchanged with it; join the two "
          + "with `evtool zones join`, or move one out of the way with `evtool zones remove`")
    }
  }
}
