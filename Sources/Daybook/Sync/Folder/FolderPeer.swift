public import EventCore
public import Foundation
public import Replication
import Synchronization

/// A folder that stores share without a hub: in iCloud Drive, Dropbox or Syncthing, or on a stick.
///
/// ```swift
/// try await store.sync(with: FolderPeer(folder))
/// ```
/// Stores write immutable files there, each only into a folder of its own, and read those of the others.
/// A store publishes its own events, and those of origins that do not write there themselves. Files that
/// are damaged, not here yet or somebody else's are listed in ``findings`` and stop nothing.
///
/// Each exchange lists the folder. Files are read only for events that the store lacks.
public final class FolderPeer: LiveSyncPeer {
  /// How long to wait for what, at least a millisecond and at most a year.
  public struct Options: Sendable {
    /// A file that a larger one has replaced stays for so long, for readers whom the removal reaches
    /// before the new file.
    public var grace = Duration.seconds(600)
    /// Who has written to the folder within this time is left to publish its own events; those of others
    /// are published by whoever has them.
    public var patience = Duration.seconds(86_400)
    /// A folder that cannot be watched, as on a network drive, is looked at so often.
    public var lookout = Duration.seconds(2)

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
  }

  private let disk: FolderDisk
  private let options: Options
  private let responder: FolderResponder
  private let state = Mutex(State())
  /// One exchange at a time; the state can be asked for meanwhile.
  private let exchanging = NSLock()

  /// - Parameter folder: exists, and is the same for all who share it. It may hold other things too.
  public init(_ folder: URL, options: Options = Options()) {
    disk = FolderDisk(root: folder.standardizedFileURL.path(percentEncoded: false).withoutSlash)
    let options = options.bounded
    self.options = options
    responder = FolderResponder(
      disk, options: options, wallMilliseconds: { StoreEnvironment.system.wallMilliseconds() },
      randomBytes: { StoreEnvironment.system.randomBytes($0) })
  }

  public var address: String { "folder:\(disk.root)" }
  public var selfPublishing: Set<ReplicaID> { state.withLock { $0.selfPublishing } }
  public var findings: [SyncFinding] { state.withLock { $0.findings } }

  /// - Throws: ``SyncError`` `unreachable` where the folder is not there, `unauthorized` where it may not
  ///   be written, `unavailable` where its disk is full, `wrongZone`.
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
          }
        }
        return try responder.respond(to: request, judge: judge)
      }
    }
  }

  // MARK: - Watching

  /// Yields after changes of what is in the folder, also this process's own; at once where the system
  /// tells of them, else within ``Options/lookout``.
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
  func exchange(_ request: SyncRequest, judge: HistoryJudge) async throws -> SyncResponse {
    try await exchange(request, .some(judge))
  }
}

extension String {
  fileprivate var withoutSlash: String {
    isSame(as: "/") ? self : rest(before: "/").map(String.init) ?? self
  }
}
