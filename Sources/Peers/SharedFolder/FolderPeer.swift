public import DaybookEngine
public import DaybookEventCore
import DaybookLocks
import DaybookLogEngine
public import DaybookReplication
public import Foundation

/// A peer for stores that share a folder without a hub, such as a folder in iCloud Drive, Dropbox
/// or Syncthing, or on a USB stick.
///
/// ```swift
/// try await store.syncOnce(with: FolderPeer(folder))
/// ```
/// Stores write immutable files to the folder, each into a subfolder of its own, and read the files
/// of the others. A store publishes its own events, and those of origins that do not publish there
/// themselves. Files that are damaged, missing or foreign are listed in ``findings`` and do not
/// stop the sync.
///
/// Cost: each exchange lists the folder. Files are read only for events that the store lacks.
public final class FolderPeer: LiveSyncPeer {
  /// The time limits of a folder peer. Each is at least a millisecond and at most a year.
  public struct Options: Sendable {
    /// How long a file is kept after a larger one has replaced it. A sync program may deliver the
    /// removal to a reader before the new file.
    public var grace = Duration.seconds(600)
    /// How long an origin counts as active after it has written to the folder. An active origin
    /// publishes its own events; those of other origins are published by any store that holds them.
    public var patience = Duration.seconds(86_400)
    /// The polling interval. A change that the system does not report, for example on a network
    /// drive, is seen after this time.
    public var lookout = Duration.seconds(2)
    /// Whether each exchange asks the system to download files that are only placeholders here, on
    /// Apple's platforms. An app that downloads them itself turns it off.
    public var downloadsPlaceholders = true

    /// Makes options with the usual limits.
    public init() {}

    fileprivate var bounded: Options {
      var bounded = self
      bounded.grace = grace.bounded
      bounded.patience = patience.bounded
      bounded.lookout = lookout.bounded
      return bounded
    }
  }

  private struct State {
    var selfPublishing: Set<ReplicaID> = []
    var findings: [SyncFinding] = []
    var expected = Knowledge()
  }

  private let disk: FolderDisk
  private let options: Options
  private let responder: FolderResponder
  private let state = Mutex(State())
  /// Allows one exchange at a time. The state can be read meanwhile.
  private let exchanging = NSLock()

  /// Creates a peer for a shared folder.
  /// - Parameters:
  ///   - folder: an existing folder, the same for all stores that share it. It may hold other files
  ///     too.
  ///   - options: the time limits.
  public init(_ folder: URL, options: Options = Options()) {
    disk = FolderDisk(
      root: folder.standardizedFileURL.path(percentEncoded: false).withoutSlash,
      downloadsPlaceholders: options.downloadsPlaceholders)
    let options = options.bounded
    self.options = options
    responder = FolderResponder(
      disk, options: options, wallMilliseconds: { StoreEnvironment.system.wallMilliseconds() },
      randomBytes: { StoreEnvironment.system.randomBytes($0) })
  }

  public var address: String { "folder:\(disk.root)" }
  public var selfPublishing: Set<ReplicaID> { state.withLock { $0.selfPublishing } }
  public var isRemote: Bool { false }
  public var findings: [SyncFinding] { state.withLock { $0.findings } }

  /// Answers a request from the files in the folder, and writes the events that it carries as new
  /// files.
  /// - Throws: ``SyncError`` `unreachable` if the folder does not exist; `unauthorized` if it may
  ///   not be read or written, or is a file; `unavailable` if its disk is full or fails;
  ///   `wrongZone` if it belongs to another zone.
  public func exchange(_ request: SyncRequest) async throws -> SyncResponse {
    try await exchange(request, nil)
  }

  private func exchange(_ request: SyncRequest, _ judge: HistoryJudge?) async throws
    -> SyncResponse
  {
    try await Blocking.run { [self] in
      try exchanging.withLock {
        defer {
          state.withLock { state in
            state.selfPublishing = responder.selfPublishing
            state.findings = responder.findings
            state.expected = responder.expected
          }
        }
        return try responder.respond(to: request, judge: judge)
      }
    }
  }

  /// Returns how many events the folder had at the latest exchange that a store lacks now. The
  /// names of files tell that, also those of files that have not arrived yet.
  package func eventsMissing(in store: OpenStore) -> UInt64 {
    let expected = state.withLock { $0.expected }
    let held = store.log.ranges
    return expected.entries.reduce(0) { sum, entry in
      let known = held[entry.key] ?? SequenceRanges()
      return entry.value.runs.reduce(sum) { sum, run in
        known.missing(in: run.range).reduce(sum) { $0 + UInt64($1.count) }
      }
    }
  }

  // MARK: - Zones

  /// Returns the zones of the folder, and what each holds. There is one, unless two groups of
  /// stores began in the folder before they saw each other's files.
  /// - Throws: ``StoreError`` `syncFailed` if the folder does not exist or cannot be listed.
  public func zones() async throws -> [FolderPeer.Zone] {
    try await StoreError.surfacingSync {
      try await Blocking.run { [disk] in
        try disk.requireFolder()
        return try FolderPeer.Zone.all(in: disk)
      }
    }
  }

  /// Moves a zone out of the way: its folder gets another name within the shared folder, and no
  /// store reads it any more. Giving the old name back undoes this.
  ///
  /// Stores that still belong to the zone are told to join another one. Each of them holds what it
  /// has exchanged there.
  /// - Returns: the new names of the zone's folders.
  /// - Throws: ``StoreError`` `syncFailed` if the folder has no such zone, or cannot be written to.
  @discardableResult
  public func setAside(_ zone: ZoneID) async throws -> [String] {
    try await StoreError.surfacingSync {
      try await Blocking.run { [disk] in
        try disk.requireFolder()
        return try disk.alone {
          let names = try disk.list("").filter { FolderLayout.zone(of: $0) == zone }
          guard !names.isEmpty else { throw Self.unknownZone(zone, disk.root) }
          return try names.map { try disk.setAside($0) }
        }
      }
    }
  }

  private static func unknownZone(_ zone: ZoneID, _ root: String) -> SyncError {
    SyncError(
      .wrongZone, "the shared folder “\(root)” has no zone \(zone)",
      hint: "List its zones with `evtool zones`")
  }

  // MARK: - Watching

  /// Returns a stream that yields after changes in the folder, including those by this process. It
  /// yields at once if the system reports changes, otherwise within ``Options/lookout``.
  public func changes() -> AsyncThrowingStream<PeerChange, any Error> {
    let (disk, lookout) = (disk, options.lookout)
    return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let watch = FolderWatch(disk, lookout: lookout)
      continuation.onTermination = { _ in watch.stop() }
      watch.start(
        onChange: { continuation.yield(.changed(nil)) },
        onEnd: { continuation.finish(throwing: $0) })
    }
  }
}

extension FolderPeer: JudgedPeer {
  package func exchange(
    _ request: SyncRequest, judge: HistoryJudge
  ) async throws -> SyncResponse {
    try await exchange(request, .some(judge))
  }
}

extension String {
  fileprivate var withoutSlash: String {
    isSame(as: "/") ? self : rest(before: "/").map(String.init) ?? self
  }
}
