import DaybookProjections
import GRDB

extension Store {
  /// The calls for code that is not asynchronous, which block their thread.
  public var blocking: BlockingStore { BlockingStore(store: self) }

  /// Writes one event, and waits for it on the calling thread, which may block.
  /// - Parameter readsLog: whether `body` reads events of the log, so that all before it must be
  ///   there.
  /// - Throws: ``StoreError`` `reentrant` within a transaction of this store.
  func writeNow<T: Sendable>(
    _ actor: String?, _ label: String, _ annotations: [String: String], readsLog: Bool,
    _ body: @escaping @Sendable (WriteTransaction) throws -> T
  ) throws -> T {
    try Self.checkKeys(annotations)
    let outcome = Awaited<any Sendable>()
    var job = WriteJob(
      actor: actor ?? options.actor, label: label, annotations: annotations, body: body,
      finish: { outcome.set($0) })
    job.readsLog = readsLog
    try perform(.write(job))
    return try Self.value(try outcome.wait())
  }

  /// Reads one snapshot on the calling thread, which may block.
  /// - Throws: ``StoreError`` `reentrant` within a transaction of this store.
  func readNow<T>(_ body: (Database) throws -> T) throws -> T {
    try buildDeferredNow()
    return try readBuilt(body)
  }

  /// Reads one snapshot together with the internal tables, on the calling thread, which may block.
  /// - Throws: ``StoreError`` `reentrant` within a transaction of this store.
  func viewNow<T>(_ body: (ReadModelView, Database) throws -> T) throws -> T {
    try buildDeferredNow()
    return try viewBuilt(body)
  }

  /// Makes sure that a deferred read model is built before it is read on the calling thread.
  /// - Throws: ``StoreError`` `reentrant` within a transaction of this store.
  func buildDeferredNow() throws {
    try refuseReentry()
    if isDeferrable, !reading.isReading { try waitOnCommitThread { _ in } }
  }

  /// Reads one snapshot on the calling thread; within a read, that of the read.
  ///
  /// A deferred read model must have been built.
  private func readBuilt<T>(_ body: (Database) throws -> T) throws -> T {
    // GRDB ends the process if a read begins within a read, unless it is asked for the open one.
    if reading.isReading {
      return try StoreError.surfacing { try reader.unsafeReentrantRead(body) }
    }
    return try snapshotNow { db in try reading.within { try body(db) } }
  }

  /// Reads one snapshot together with the internal tables, on the calling thread; within a read,
  /// that of the read.
  ///
  /// A deferred read model must have been built.
  func viewBuilt<T>(_ body: (ReadModelView, Database) throws -> T) throws -> T {
    try readBuilt { db in try views.withView(db) { try body($0, db) } }
  }

  /// Runs `body` between two groups of writes, and waits for it.
  ///
  /// Only for threads that may block.
  func waitOnCommitThread<T: Sendable>(_ body: @escaping @Sendable (StoreEngine) throws -> T)
    throws -> T
  {
    let outcome = Awaited<T>()
    try perform(
      .other { engine in outcome.set(Result { try StoreError.surfacing { try body(engine) } }) })
    return try outcome.wait()
  }
}
