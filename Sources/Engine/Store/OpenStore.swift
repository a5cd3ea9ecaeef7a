package import DaybookEventCore
import DaybookLocks
package import DaybookLogEngine
package import DaybookProjections
package import Foundation
package import GRDB

/// An open store without the calls of an app: its log, its reads, and the thread that writes.
///
/// The sync with peers stands on it, and so does the store that an app sees.
package final class OpenStore: Sendable {
  /// The folder of the store.
  package let url: URL
  package let options: EngineOptions
  package let files: StoreFiles
  package let log: EventLog
  package let feed: LogFeed
  /// The file of the read model: of a past one, not that of the store's folder.
  package let readModelPath: String
  package let reads: Reads
  /// The repairs that opening made.
  package let recovery: RecoveryReport
  /// The replica that the store was opened as.
  package let replica: ReplicaID
  package let telemetry: StoreTelemetry
  /// Wakes listeners when the log may have more events.
  package let watch: LogWatch
  /// Tells listeners which rows have changed.
  package let changes = ChangeFeed()
  /// The events that the log holds, in the form that replicas compare; found out once for all
  /// peers.
  package let knowledge = LogKnowledge()
  /// The events that this store consists of, if it is the past of another store.
  package let past: Selection?
  /// The store that this one is the past of, whose log it reads.
  private let present: OpenStore?
  private let thread: CommitThread<StoreJob>?
  private let shutdown: StoreShutdown
  /// Whether GRDB's observers may look at the read model.
  private let mayHaveObservers = Mutex(false)

  /// Makes a store in a new or empty folder, and opens it. Blocks the thread.
  /// - Throws: ``StoreError`` `alreadyExists`, `noSpace` or `ioFailed`. Nothing is left there then.
  package static func create(at url: URL, options: EngineOptions) throws -> OpenStore {
    do {
      return OpenStore(
        try StoreOpening(url: url, options: options).create(), url: url, options: options)
    } catch {
      throw StoreError.orNoSpace(error, "no store was made", in: url.deletingLastPathComponent())
    }
  }

  /// Opens a store, recovers what a crash left, and brings its read model up to the log. Blocks the
  /// thread.
  /// - Throws: ``StoreError`` `notAStore`, `newerFormat`, `damaged`, `readOnly`, `locked`,
  ///   `noSpace` or `ioFailed`.
  package static func open(at url: URL, options: EngineOptions) throws -> OpenStore {
    do {
      return OpenStore(
        try StoreOpening(url: url, options: options).open(), url: url, options: options)
    } catch {
      throw StoreError.orNoSpace(
        error, "the store cannot be opened, and nothing of it is lost", in: url,
        FileManager.default.temporaryDirectory)
    }
  }

  init(_ parts: StoreOpening.Parts, url: URL, options: EngineOptions) {
    self.url = url
    self.options = options
    files = parts.files
    log = parts.log
    feed = parts.feed
    readModelPath = parts.files.readModel
    recovery = parts.recovery
    replica = parts.replica
    telemetry = parts.telemetry
    let watch = LogWatch(parts.log, parts.files, parts.telemetry)
    self.watch = watch
    past = nil
    present = nil
    let changes = changes
    thread = parts.engine.map { engine in
      engine.announce = { changes.announce($0) }
      return .writing(engine, watch, indexingDelay: options.indexingDelay)
    }
    reads = Reads(
      parts.engine?.readModel ?? parts.reader, at: parts.files.readModel, source: parts.feed,
      writer: thread, isDeferrable: options.defersProjection, isPast: false)
    shutdown = StoreShutdown(
      StoreShutdown.Parts(
        url: url, options: options, changes: changes, reads: reads, telemetry: telemetry),
      .store(thread: thread, log: log, watch: watch, gate: parts.gate))
  }

  /// Makes the store of a moment of another store's past, with that store's log and a read model of
  /// its own.
  /// - Parameters:
  ///   - store: the other store, which stays open as long as this one is used.
  ///   - selection: the events of the past.
  ///   - reader: the connection of the read model.
  ///   - file: the path of that read model, which is removed when this store is closed.
  package init(of store: OpenStore, at selection: Selection, reader: DatabaseQueue, file: String) {
    url = store.url
    var options = store.options
    options.isReadOnly = true
    self.options = options
    files = store.files
    log = store.log
    feed = store.feed
    readModelPath = file
    recovery = store.recovery
    replica = store.replica
    telemetry = store.telemetry
    watch = store.watch
    past = selection
    present = store
    thread = nil
    reads = Reads(
      reader, at: file, source: store.feed, writer: nil, isDeferrable: false, isPast: true)
    shutdown = StoreShutdown(
      StoreShutdown.Parts(
        url: url, options: options, changes: changes, reads: reads, telemetry: telemetry),
      .past(file: file))
  }

  // MARK: - Closing

  /// Closes the store on the calling thread, which may block.
  /// - Throws: ``StoreError`` `reentrant` within a read or a transaction of this store.
  package func close() throws {
    try thread?.refuseReentry()
    guard !reads.isReading else {
      throw StoreError(
        .reentrant, "a read closes the store that it reads",
        hint: "Close it when the read has ended")
    }
    try shutdown.close()
  }

  /// Has the store's folder go when the store is closed.
  package func makeTemporary() { shutdown.makeTemporary() }

  /// A store that is not closed closes itself when nothing uses it any more, a moment later.
  deinit { shutdown.begin() }

  // MARK: - Writing

  /// Writes the events of some transactions. They follow each other in the log.
  /// - Throws: ``StoreError`` `readOnly` or `closed`.
  package func write(_ jobs: [WriteJob]) throws(StoreError) {
    guard thread?.enqueue(jobs.map { .write($0) }) ?? false else { throw refusal }
  }

  /// Writes the event of a transaction, on the calling thread if that is free to commit.
  /// - Throws: ``StoreError`` `reentrant` within a transaction of this store; `readOnly` or
  ///   `closed`.
  package func writeNow(_ job: WriteJob) throws(StoreError) {
    guard try thread?.perform(.write(job)) ?? false else { throw refusal }
  }

  /// The error of a write that the store does not take.
  package var refusal: StoreError {
    options.isReadOnly ? .storeIsReadOnly : .storeIsClosed
  }

  /// Refuses a call within a transaction of this store, before anything that waits for one.
  /// - Throws: ``StoreError`` `reentrant`.
  package func refuseReentry() throws(StoreError) { try thread?.refuseReentry() }

  /// Checks that the store was not opened for reading only.
  package func requireWritable() throws(StoreError) {
    if options.isReadOnly { throw .storeIsReadOnly }
  }

  /// Runs `body` on the commit thread, between two groups of writes.
  /// - Throws: what `body` throws; ``StoreError`` `readOnly` or `closed`.
  package func onCommitThread<T: Sendable>(
    _ body: @escaping @Sendable (StoreEngine) throws -> T
  ) async throws -> T {
    guard let thread else { throw refusal }
    return try await thread.run(body)
  }

  /// Runs `body` between two groups of writes, and waits for it on the calling thread, which may
  /// block.
  /// - Throws: what `body` throws; ``StoreError`` `reentrant` within a transaction of this store;
  ///   `readOnly` or `closed`.
  package func waitOnCommitThread<T: Sendable>(
    _ body: @escaping @Sendable (StoreEngine) throws -> T
  ) throws -> T {
    guard let thread else { throw refusal }
    return try thread.runNow(body)
  }

  /// Runs `body` on the commit thread, without ending a bulk load.
  /// - Throws: ``StoreError`` `readOnly` or `closed`.
  package func inspect<T: Sendable>(_ body: @escaping @Sendable (StoreEngine) -> T) async throws
    -> T
  {
    try await withCheckedThrowingContinuation { continuation in
      let isTaken = thread?.enqueue(.inspection { continuation.resume(returning: body($0)) })
      if isTaken != true { continuation.resume(throwing: refusal) }
    }
  }

  // MARK: - Reading

  /// The read model as GRDB sees it.
  ///
  /// GRDB's observers are told of every change from now on.
  package var databaseReader: any DatabaseReader {
    if thread != nil,
      !mayHaveObservers.withLock({ value in
        defer { value = true }
        return value
      })
    {
      // Keeps the watch over other processes until the store is closed.
      _ = listen(to: ChangeFeed.Scope(collections: []), {}, end: {})
    }
    return reads.reader
  }

  /// Tells GRDB's observers, if there may be any, what another process has changed; nil for
  /// anything.
  func notifyObservers(of changes: RowChanges?) async throws {
    guard mayHaveObservers.withLock({ $0 }) else { return }
    try await onCommitThread { try $0.notifyObservers(of: changes) }
  }

  // MARK: - Changes

  /// Registers a listener for changes, by this process or another; see ``ChangeFeed``.
  package func listen(
    to scope: ChangeFeed.Scope, _ body: @escaping @Sendable () -> Void,
    end: @escaping @Sendable () -> Void
  ) -> Int {
    changes.listen(to: scope, body, end: end) {
      // The past does not change.
      guard past == nil else { return {} }
      return OtherProcesses.watch(self, for: changes)
    }
  }

  /// Waits until this store has announced what it has committed so far.
  package func announcedOwnCommits() async { try? await inspect { _ in } }
}

extension StoreError {
  package static var storeIsReadOnly: StoreError {
    StoreError(.readOnly, "the store was opened for reading only")
  }
}
