package import EventCore
package import Replication

/// Answers requests for a shared folder: looks at what is there, takes what it is sent as files of its
/// asker, and tidies those.
///
/// Time and storage are handed in: a simulation runs this as ``FolderPeer`` does. One request at a time;
/// what it remembers between them saves reading, and nothing relies on it.
package final class FolderResponder: @unchecked Sendable {
  private let storage: any FolderStorage
  private let options: FolderPeer.Options
  private let wallMilliseconds: @Sendable () -> Int64
  private let randomBytes: @Sendable (Int) -> [UInt8]
  private let responder = SyncResponder()
  private var index: FolderIndex?

  /// Origins that write here themselves, and have lately; see ``SyncPeer/selfPublishing``.
  package private(set) var selfPublishing: Set<ReplicaID> = []
  /// What the latest request has found that is not as it should be.
  package private(set) var findings: [SyncFinding] = []

  /// What the folder was seen to hold at the latest request.
  package var held: Knowledge { index?.knowledge ?? Knowledge() }

  /// The same with what is said to be on its way.
  package var expected: Knowledge {
    var expected = held
    for name in index?.promised ?? [] {
      expected.insert(.init(name.sequences, name.tag), of: name.origin)
    }
    return expected
  }

  /// - Parameter wallMilliseconds: since 1970; it may be wrong.
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

  /// - Parameter judge: of who asks. Without one, histories that the asker holds are not compared with those of files.
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
    let response = try responder.respond(to: request, replica)
    // Who may not write here has said so where something was to be written.
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

  /// The folder's zone: the one that it has, else the asker's, else a new one.
  private func zone(for asker: ZoneID) throws -> ZoneID {
    if let zone = try onlyZone(asker) { return zone }
    return try storage.alone {
      if let zone = try onlyZone(asker) { return zone }
      let zone = asker == .none ? ZoneID(bytes: randomBytes(16)) : asker
      try storage.makeFolder(FolderLayout.name(of: zone))
      return zone
    }
  }

  /// Nil where the folder has none yet.
  private func onlyZone(_ asker: ZoneID) throws -> ZoneID? {
    let zones = try zones().sorted { $0.description < $1.description }
    guard zones.count < 2 else {
      let names = zones.map { "“\(FolderLayout.name(of: $0))”" }.joined(separator: " and ")
      throw SyncError(
        .wrongZone, "two groups of stores use the shared folder “\(storage.root)”: it has \(names)",
        hint:
          "Move all but one of them to shared folders of their own, and sync each store with its own"
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
