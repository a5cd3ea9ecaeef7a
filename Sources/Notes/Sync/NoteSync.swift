public import Daybook
import DaybookEngine
import DaybookLocks
public import Foundation

/// The sync of a notebook with its shared folder, in the background.
///
/// ```swift
/// let sync = try await notebook.share(in: folder)
/// for await state in sync.states { show(state.phase, state.fraction, state.unacknowledged) }
/// ```
/// The folder is watched. What other devices put there is taken in within moments, and what is
/// written here is put there. Files that are damaged, half written or not here yet are passed over
/// until they are whole, and stop nothing.
public final class NoteSync: Sendable {
  /// The limits of a sync.
  public struct Options: Sendable {
    /// What downloads files that are only placeholders here; nil to wait until the drive brings
    /// them. The default is that of the system: `CloudDriveDownloader` on Apple's platforms.
    public var downloader: (any NoteDownloader)? = defaultDownloader
    /// How many files are downloaded at once.
    public var downloadsMax = 4
    /// The mean delay before a download that has failed is tried again. It doubles with each
    /// further failure.
    public var firstRetry = Duration.seconds(1)
    /// The largest mean delay between the attempts of a download.
    public var lastRetry = Duration.seconds(300)
    /// The intervals of the sync itself.
    public var engine = SyncEngine.Options()
    /// The time limits of the shared folder.
    public var folder = FolderPeer.Options()

    private static var defaultDownloader: (any NoteDownloader)? {
      #if canImport(Darwin)
        CloudDriveDownloader()
      #else
        nil
      #endif
    }

    /// Makes the usual options.
    public init() {}
  }

  /// The downloads of files that are only placeholders here.
  public struct Downloads: Hashable, Sendable {
    /// The number of files that wait for their download or its repetition.
    public var waiting = 0
    /// The number of files that are being downloaded.
    public var running = 0
    /// The number of files that were downloaded since the sync began.
    public var done = 0
    /// The number of files whose last download has failed.
    public var failing = 0
    /// The latest problem; nil if none is failing.
    public var problem: String?

    /// Makes the state of a queue that has had nothing to do. Its properties are set afterwards.
    public init() {}

    /// The number of files that are not here yet.
    public var left: Int { waiting + running }
  }

  /// How far the sync is.
  public struct State: Hashable, Sendable {
    /// What the sync does; see `PeerState.Phase`.
    public var phase: PeerState.Phase
    /// The number of events that were written here and are not in the folder yet. They wait while
    /// the folder is away, and survive a restart of the app.
    public var unacknowledged: UInt64
    /// The number of events that were taken from the folder since the sync began.
    public var received: UInt64
    /// The number of events that are in the folder, or will be when its files have arrived, and are
    /// not here.
    public var missing: UInt64
    /// The downloads of the folder's files.
    public var downloads: Downloads
    /// When both last held the same since the sync began; nil if they did not yet.
    public var lastSuccess: Date?
    /// The problem; nil if there is none.
    public var problem: String?
    /// What a person can do about the problem; nil if nothing is known.
    public var cure: String?
    /// Files in the folder that were passed over, and why.
    public var findings: [SyncReport.Finding]

    /// How much of what the folder has, and was not here when the sync began, is here: from 0 to 1.
    public var fraction: Double {
      received + missing == 0 ? 1 : Double(received) / Double(received + missing)
    }

    /// Whether all that the folder has is here, and all that was written here is there.
    public var isComplete: Bool {
      phase == .idle && unacknowledged == 0 && missing == 0 && downloads.left == 0
    }
  }

  private struct Inner {
    var downloads = Downloads()
    var task: Task<Void, Never>?
  }

  /// The shared folder.
  public let folder: URL
  private let store: Store
  private let peer: GradualPeer
  private let engine: SyncEngine
  private let queue: DownloadQueue?
  private let inner = Mutex(Inner())
  private let loops = Broadcast<State>()

  init(_ store: Store, _ folder: URL, _ options: Options) {
    self.store = store
    self.folder = folder
    var peerOptions = options.folder
    peerOptions.downloadsPlaceholders = options.downloader == nil
    peer = GradualPeer(FolderPeer(folder, options: peerOptions), store)
    engine = SyncEngine(store, options: options.engine)
    let arrivals = AsyncStream.makeStream(
      of: (Downloads, Bool).self, bufferingPolicy: .unbounded)
    queue = options.downloader.map { downloader in
      DownloadQueue(folder, downloader, options) { arrivals.continuation.yield(($0, $1)) }
    }
    peer.onExchange { [weak self] placeholders in
      guard let self else { return }
      if let queue { Task { await queue.want(placeholders) } }
      publish()
    }
    engine.add(peer)
    let states = engine.updates()
    let task = Task { [weak self] in
      await withTaskGroup(of: Void.self) { group in
        group.addTask { for await _ in states { self?.publish() } }
        group.addTask {
          for await (downloads, hasArrived) in arrivals.stream {
            self?.took(downloads, hasArrived)
          }
        }
      }
    }
    inner.withLock { $0.task = task }
  }

  private func took(_ downloads: Downloads, _ hasArrived: Bool) {
    inner.withLock { $0.downloads = downloads }
    publish()
    // The folder's watch may be slow, so the file is looked for at once.
    if hasArrived { engine.syncNow() }
  }

  // MARK: - State

  /// How far the sync is now.
  public var state: State {
    let known = engine.states.first ?? PeerState(address: peer.address)
    let downloads = inner.withLock { $0.downloads }
    return State(
      phase: known.phase, unacknowledged: known.unacknowledged, received: peer.received,
      missing: peer.missing, downloads: downloads, lastSuccess: known.lastSuccessDate,
      problem: known.problem, cure: known.cure, findings: peer.findings)
  }

  /// How far the sync is: now, and after each change. A slow loop gets the newest state only. The
  /// states end with the sync.
  public var states: AsyncStream<State> {
    loops.values { state }
  }

  private func publish() { loops.send(state) }

  /// Returns the notes that were written to here and are not in the folder yet, each with the
  /// number of events that wait.
  ///
  /// Cost: reads the events that wait.
  /// - Throws: what reading the store throws.
  public func waitingNotes() async throws -> [NoteEntity.ID: Int] {
    let acknowledged = engine.states.first?.acknowledged ?? 0
    var waiting: [NoteEntity.ID: Int] = [:]
    let own = store.replica
    // All that the store has, without its own events that the folder does not have.
    var seen = VersionVector()
    for (origin, sequence) in try await store.digest().vector.entries {
      seen[origin] = origin == own ? min(sequence, acknowledged) : sequence
    }
    for try await event in store.events(EventQuery(after: .vector(seen)))
    where event.id.origin == own {
      for note in event.notes { waiting[note, default: 0] += 1 }
    }
    return waiting
  }

  /// Returns how far a note is on its way to the folder.
  /// - Parameter id: the id of the note.
  /// - Throws: what reading the store throws.
  public func progress(of id: NoteEntity.ID) async throws -> NoteProgress {
    let waiting = try await waitingNotes()[id] ?? 0
    let last = try await store.history(of: id).last
    return NoteProgress(
      waiting: waiting, lastChange: last?.event, lastChanged: last?.date,
      isFromHere: last?.event.origin == store.replica)
  }

  // MARK: - Hooks

  /// Looks at the folder now, and tries failed downloads again: when the app is in front again, or
  /// a person asks for it.
  public func syncNow() {
    engine.syncNow()
    if let queue { Task { await queue.hurry() } }
  }

  /// Pauses the sync, for example when the app goes to the background.
  public func pause() { engine.pause() }

  /// Goes on after a pause.
  public func resume() { engine.resume() }

  /// Stops the sync, and waits for work in progress.
  func stop() async {
    await engine.stop()
    await queue?.stop()
    inner.withLock { $0.task }?.cancel()
    loops.close()
  }
}

/// How far a note is on its way to the shared folder.
public struct NoteProgress: Hashable, Sendable {
  /// The number of events on the note that were written here and are not in the folder yet.
  public var waiting: Int
  /// The event that last wrote to the note; nil if there is no such note.
  public var lastChange: EventID?
  /// When that was; nil if there is no such note.
  public var lastChanged: Date?
  /// Whether the event that last wrote to the note was written on this device.
  public var isFromHere: Bool

  /// Whether all that was written to the note here is in the folder.
  public var isShared: Bool { waiting == 0 }
}

extension LoggedEvent {
  /// The notes that the event writes to.
  fileprivate var notes: Set<NoteEntity.ID> {
    Set(
      (event.body?.operations ?? []).compactMap { operation in
        guard let (collection, id) = operation.entity else { return nil }
        return switch collection {
        case NoteEntity.collection: NoteEntity.ID(id)
        case NoteTag.collection: NoteTag.parts(of: id)?.note
        default: nil
        }
      })
  }
}
