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
  }

  private struct State {
    var index: FolderIndex?
    var selfPublishing: Set<ReplicaID> = []
    var findings: [SyncFinding] = []
  }

  private let disk: FolderDisk
  private let options: Options
  private let responder = SyncResponder()
  private let state = Mutex(State())
  /// One exchange at a time; the state can be asked for meanwhile.
  private let exchanging = NSLock()

  /// - Parameter folder: exists, and is the same for all who share it. It may hold other things too.
  public init(_ folder: URL, options: Options = Options()) {
    disk = FolderDisk(root: folder.standardizedFileURL.path(percentEncoded: false).withoutSlash)
    self.options = options
  }

  public var address: String { "folder:\(disk.root)" }
  public var selfPublishing: Set<ReplicaID> { state.withLock { $0.selfPublishing } }
  public var findings: [SyncFinding] { state.withLock { $0.findings } }

  /// - Throws: ``SyncError`` `unreachable` where the folder is not there, `unauthorized` where it may not
  ///   be written, `unavailable` where its disk is full, `wrongZone`.
  public func exchange(_ request: SyncRequest) async throws -> SyncResponse {
    try await Blocking.run { [self] in try exchanging.withLock { try respond(to: request) } }
  }

  private func respond(to request: SyncRequest) throws -> SyncResponse {
    try disk.requireFolder()
    let zone = try zone(for: request.zone)
    let now = StoreEnvironment.system.wallMilliseconds()
    let index = state.withLock { state in
      if let index = state.index, index.zone == zone { return Held(index) }
      return Held(FolderIndex(disk, zone: zone))
    }.index
    try index.scan(try folders(of: zone), now: now)
    let writer = FolderWriter(
      writer: request.replica, now: now, grace: options.grace.inMilliseconds)
    let replica = FolderReplica(index, writer, request, asker: responder.knowledge(of: request))
    defer {
      let held = Held(index)
      let writers = index.writers(since: now - options.patience.inMilliseconds)
      state.withLock { state in
        state.index = held.index
        state.selfPublishing = writers
        state.findings = held.index.findings
      }
    }
    let response = try responder.respond(to: request, replica)
    // Who may not write here has said so where something was to be written.
    try? writer.tidy(index)
    return response
  }

  /// The index goes from one exchange to the next, each of which has it for itself.
  private struct Held: @unchecked Sendable {
    let index: FolderIndex
    init(_ index: FolderIndex) { self.index = index }
  }

  // MARK: - The zone

  private func zones() throws -> Set<ZoneID> {
    Set(try disk.list("").compactMap(FolderLayout.zone))
  }

  private func folders(of zone: ZoneID) throws -> [String] {
    try disk.list("").filter { FolderLayout.zone(of: $0) == zone }
  }

  /// The folder's zone: the one that it has, else the asker's, else a new one.
  private func zone(for asker: ZoneID) throws -> ZoneID {
    if let zone = try onlyZone(asker) { return zone }
    return try disk.alone {
      if let zone = try onlyZone(asker) { return zone }
      let zone =
        asker == .none ? ZoneID(bytes: StoreEnvironment.system.randomBytes(16)) : asker
      try disk.makeFolder(FolderLayout.name(of: zone))
      return zone
    }
  }

  /// Nil where the folder has none yet.
  private func onlyZone(_ asker: ZoneID) throws -> ZoneID? {
    let zones = try zones().sorted { $0.description < $1.description }
    guard zones.count < 2 else {
      let names = zones.map { "“\(FolderLayout.name(of: $0))”" }.joined(separator: " and ")
      throw SyncError(
        .wrongZone, "two groups of stores use the shared folder “\(disk.root)”: it has \(names)",
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

extension Duration {
  fileprivate var inMilliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}

extension String {
  fileprivate var withoutSlash: String {
    count > 1 && hasSuffix("/") ? String(dropLast()) : self
  }
}
