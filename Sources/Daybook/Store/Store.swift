public import DaybookEventCore
public import DaybookFrames
import DaybookLocks
public import DaybookLogEngine
public import DaybookProjections
public import DaybookTexts
public import Foundation
public import GRDB

/// A local-first store: a log of events and the SQLite tables that are projected from it.
///
/// ```swift
/// let store = try await Store.open(at: url)
/// try await store.write { tx in
///   try tx.define(Definition("notes", [.text("title")]))
///   try tx.insert("notes", "n1", ["title": "Oat milk"])
/// }
/// let titles = try await store.read { db in
///   try String.fetchAll(db, sql: "SELECT title FROM notes")
/// }
/// ```
/// Writes are acknowledged when they are durable. Any number of tasks, threads and processes may
/// use a store at once. The methods may be called from anywhere and block no thread of the
/// cooperative pool. ``blocking`` has the main ones for code that is not asynchronous.
public final class Store: Sendable {
  enum Job: Sendable {
    case write(WriteJob)
    /// Runs alone on the commit thread. Ends a bulk load first.
    case other(@Sendable (StoreEngine) -> Void)

    /// Runs alone on the commit thread. Does not end a bulk load.
    case inspection(@Sendable (StoreEngine) -> Void)

    var isWrite: Bool { if case .write = self { true } else { false } }
  }

  /// The folder of the store.
  public let url: URL
  /// The options that the store was opened with.
  public let options: Options
  let files: StoreFiles
  let reader: any DatabaseReader
  let log: EventLog
  let feed: LogFeed
  let views: ViewCache
  /// The threads that are within a read.
  let reading = ReadingThreads()
  let asyncReads = AsyncReads()
  let readGate = ReadGate()
  let quickReads: QuickReads
  /// Whether GRDB's observers may look at the read model.
  let mayHaveObservers = Mutex(false)
  /// The repairs that opening made.
  public let recovery: Store.RecoveryReport
  private let thread: CommitThread<Job>?
  private let openedReplica: ReplicaID
  let telemetry: StoreTelemetry
  /// Wakes listeners when the log may have more events.
  let watch: LogWatch
  /// Tells listeners which rows have changed.
  let changes = ChangeFeed()
  /// The editing sessions that have not ended.
  let editing = EditingSessions()
  /// The events that the log holds, in the form that replicas compare; found out once for all
  /// peers.
  let knowledge = LogKnowledge()
  /// The events that this store consists of, if it is the past of another store; see ``PastStore``.
  let past: Selection?
  /// The store that this one is the past of, whose log it reads.
  private let present: Store?
  let shutdown: StoreShutdown

  init(_ parts: StoreOpening.Parts, url: URL, options: Options) {
    self.url = url
    self.options = options
    files = parts.files
    reader = parts.engine?.readModel ?? parts.reader
    log = parts.log
    feed = parts.feed
    views = ViewCache(source: parts.feed)
    recovery = parts.recovery
    openedReplica = parts.replica
    telemetry = parts.telemetry
    let watch = LogWatch(parts.log, parts.files, parts.telemetry)
    self.watch = watch
    let path = files.readModel
    quickReads = QuickReads { try ReadModelFile.openQuick(path, isPast: false) }
    past = nil
    present = nil
    if let engine = parts.engine {
      thread = Store.thread(for: engine, announcing: changes, watch, options)
    } else {
      thread = nil
    }
    shutdown = StoreShutdown(
      StoreShutdown.Parts(
        url: url, options: options, changes: changes, readGate: readGate, views: views,
        quickReads: quickReads, reader: reader, telemetry: telemetry),
      .store(thread: thread, log: log, watch: watch, gate: parts.gate))
  }

  /// Starts the thread on which an engine writes.
  private static func thread(
    for engine: StoreEngine, announcing changes: ChangeFeed, _ watch: LogWatch, _ options: Options
  ) -> CommitThread<Job> {
    engine.announce = { changes.announce($0) }
    let thread = CommitThread<Job>(
      name: "daybook-commit",
      take: { jobs in
        jobs.prefix(while: \.isWrite).prefix(StoreEngine.groupJobsMax).count
      },
      run: { jobs in
        var writes: [WriteJob] = []
        for job in jobs {
          switch job {
          case .write(let write): writes.append(write)
          case .inspection(let body): body(engine)
          case .other(let body):
            // An error here is made good, or thrown again, when the read model is needed.
            try? engine.bulkLoad?.end()
            body(engine)
          }
        }
        if !writes.isEmpty { engine.commit(writes) }
        watch.announce(always: !writes.isEmpty)
        engine.scheduleIndexing()
      })
    engine.indexingDelay = .milliseconds(options.indexingDelay)
    engine.enqueue = { [weak thread] in _ = thread?.enqueue($0) }
    return thread
  }

  /// Makes the store of a moment of another store's past, with that store's log and a read model of
  /// its own.
  /// - Parameter file: the path of that read model.
  init(of store: Store, at selection: Selection, reader: DatabaseQueue, file: String) {
    url = store.url
    var options = store.options
    options.isReadOnly = true
    self.options = options
    files = store.files
    self.reader = reader
    log = store.log
    feed = store.feed
    views = ViewCache(source: store.feed)
    recovery = store.recovery
    openedReplica = store.openedReplica
    telemetry = store.telemetry
    watch = store.watch
    quickReads = QuickReads { try ReadModelFile.openQuick(file, isPast: true) }
    past = selection
    present = store
    thread = nil
    shutdown = StoreShutdown(
      StoreShutdown.Parts(
        url: url, options: options, changes: changes, readGate: readGate, views: views,
        quickReads: quickReads, reader: reader, telemetry: telemetry),
      .past(file: file))
  }

  /// Makes a store in a new or empty folder, and opens it.
  /// - Throws: ``StoreError`` `alreadyExists` if there is something in the folder, `noSpace` or
  ///   `ioFailed`. Nothing is left there then.
  public static func create(at url: URL, options: Options = Options()) async throws -> Store {
    try await Blocking.run { try BlockingStore.create(at: url, options: options).store }
  }

  /// Opens a store, recovers what a crash left, and brings its read model up to the log.
  ///
  /// Cost: milliseconds if the store was closed in order. A read model that is missing, damaged or
  /// of another format is rebuilt first.
  /// - Throws: ``StoreError`` `notAStore`, `newerFormat`, `damaged`, `readOnly` (a read-only store
  ///   whose read model would have to be brought up to date), `locked`, `noSpace` or `ioFailed`.
  public static func open(at url: URL, options: Options = Options()) async throws -> Store {
    try await Blocking.run { try BlockingStore.open(at: url, options: options).store }
  }

  /// The replica that this store writes as.
  public var replica: ReplicaID { openedReplica }

  /// The damage to the log that was found while opening.
  ///
  /// If there is any, the store can be read but not written.
  public var damage: [Store.LogFinding] { log.damage }

  /// Finishes the running writes and closes the store, which must not be used afterwards.
  ///
  /// A store closes itself when nothing uses it any more, so that previews and tests need not call
  /// this. Whoever calls it knows when the store is closed, and whether that succeeded.
  ///
  /// What was typed in an ``EditingSession`` is written first.
  public func close() async throws {
    await editing.close()
    try await Blocking.run { [self] in try closeNow() }
  }

  /// Closes the store on the calling thread, which may block.
  /// - Throws: ``StoreError`` `reentrant` within a read or a transaction of this store.
  func closeNow() throws {
    try refuseReentry()
    guard !reading.isReading else {
      throw StoreError(
        .reentrant, "a read closes the store that it reads",
        hint: "Close it when the read has ended")
    }
    try shutdown.close()
  }

  /// A store that is not closed closes itself when nothing uses it any more, a moment later.
  deinit { shutdown.begin() }

  // MARK: - Writing

  /// Writes one event, durably, all or nothing.
  ///
  /// Returns when the event is on the disk and the read model shows it. Transactions that wait at
  /// the same time share an fsync. An empty transaction writes nothing.
  /// - Parameters:
  ///   - actor: who did it; ``Options/actor`` if nil.
  ///   - label: the purpose of the write, in words.
  ///   - annotations: facts about the event itself; keys are printable ASCII without spaces.
  ///   - body: the transaction; it runs on the store's commit thread. An error that it
  ///     throws undoes everything.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws; ``StoreError``: `noSpace` among others; `locked`, `damaged`
  ///   or `poisoned` if the log refuses.
  @discardableResult
  public func write<T: Sendable>(
    actor: String? = nil, label: String = "", annotations: [String: String] = [:],
    _ body: @escaping @Sendable (WriteTransaction) throws -> T
  ) async throws -> T {
    try await write(actor, label, annotations, readsLog: false, body)
  }

  /// Writes one event.
  /// - Parameter readsLog: whether `body` reads events of the log, so that all before it must be
  ///   there.
  func write<T: Sendable>(
    _ actor: String?, _ label: String, _ annotations: [String: String], readsLog: Bool,
    _ body: @escaping @Sendable (WriteTransaction) throws -> T
  ) async throws -> T {
    try Self.checkKeys(annotations)
    let outcome: any Sendable = try await withCheckedThrowingContinuation { continuation in
      var job = WriteJob(
        actor: actor ?? options.actor, label: label, annotations: annotations, body: body,
        finish: { continuation.resume(with: $0) })
      job.readsLog = readsLog
      if !enqueue(.write(job)) { continuation.resume(throwing: refusal) }
    }
    return try Self.value(outcome)
  }

  static func checkKeys(_ annotations: [String: String]) throws {
    for key in annotations.keys where !Body.isName(key.utf8) {
      throw StoreError(.invalidName, "“\(key)” cannot be the key of an annotation")
    }
  }

  static func value<T>(_ outcome: any Sendable) throws -> T {
    guard let value = outcome as? T else {
      throw StoreError(.other, "the transaction's result has an unexpected type")
    }
    return value
  }

  func enqueue(_ job: Job) -> Bool { enqueue([job]) }
  func enqueue(_ jobs: [Job]) -> Bool { thread?.enqueue(jobs) ?? false }

  func refuseReentry() throws { try thread?.refuseReentry() }

  /// Runs a job on the calling thread if that is free to commit, else on the commit thread.
  func perform(_ job: Job) throws {
    guard try thread?.perform(job) ?? false else { throw refusal }
  }

  var refusal: StoreError {
    options.isReadOnly
      ? StoreError(.readOnly, "the store was opened for reading only")
      : StoreError(.closed, "the store is closed")
  }

  /// Runs `body` on the commit thread, between two groups of writes.
  func onCommitThread<T: Sendable>(_ body: @escaping @Sendable (StoreEngine) throws -> T)
    async throws -> T
  {
    try await withCheckedThrowingContinuation { continuation in
      let isTaken = enqueue(
        .other { engine in
          continuation.resume(with: Result { try StoreError.surfacing { try body(engine) } })
        })
      if !isTaken { continuation.resume(throwing: refusal) }
    }
  }

  // MARK: - Reading

  /// The read model as GRDB sees it, for `ValueObservation` and other tools of GRDB that take a
  /// reader.
  ///
  /// Observers of this store are told of every change: by a write, a sync, a rebuild, a definition
  /// or another process. Those of a read-only store are told of nothing, because GRDB tells
  /// observers only through a connection that writes; use ``observe(_:value:)`` there.
  ///
  /// Keep the store as long as you use the reader, because a store that nothing uses closes itself.
  ///
  /// Use it for reading only: nothing but an event changes a store, and a read model that something
  /// else has changed is no longer what the log says.
  public var databaseReader: any DatabaseReader {
    if thread != nil,
      !mayHaveObservers.withLock { value in
        defer { value = true }
        return value
      }
    {
      // Keeps the watch over other processes until the store is closed.
      _ = listen(to: ChangeFeed.Scope(collections: []), {}, end: {})
    }
    return reader
  }

  /// Whether the store may be filled, so that the read model is made later.
  var isDeferrable: Bool { options.defersProjection && thread != nil }
}
