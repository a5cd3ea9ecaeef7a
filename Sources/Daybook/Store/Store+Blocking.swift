public import Foundation
public import GRDB
public import Projections

// How many arguments its closure has says which `read` is meant, as with the asynchronous ones.
// swift-format-ignore: AmbiguousTrailingClosureOverload
/// For code that is not asynchronous: calls that block the thread they are made on until they are done.
/// Within a transaction of the store they are refused (``StoreError`` `reentrant`). Synchronous closures in
/// asynchronous functions get these too, and should not: there, read or write all at once.
extension Store {
  /// Makes a store in a new or empty folder, and opens it.
  /// - Throws: as the asynchronous one.
  @available(*, noasync)
  public static func create(at url: URL, options: Options = Options()) throws -> Store {
    do {
      return Store(
        try StoreOpening(url: url, options: options).create(), url: url, options: options)
    } catch {
      throw StoreError.orNoSpace(error, "no store was made", in: url.deletingLastPathComponent())
    }
  }

  /// Opens a store, recovering what a crash left, and brings its read model up to the log.
  /// - Throws: as the asynchronous one.
  @available(*, noasync)
  public static func open(at url: URL, options: Options = Options()) throws -> Store {
    do {
      return Store(try StoreOpening(url: url, options: options).open(), url: url, options: options)
    } catch {
      throw StoreError.orNoSpace(
        error, "the store cannot be opened, and nothing of it is lost", in: url,
        FileManager.default.temporaryDirectory)
    }
  }

  /// Writes one event, durably, all or nothing.
  ///
  /// The least that a durable write can cost: where nobody else is writing, it is not handed to another
  /// thread, but for the fsync. Else it shares an fsync with those that wait.
  /// - Parameters: as of the asynchronous one; `body` may run on another thread.
  /// - Throws: what `body` throws; ``StoreError``, `reentrant` where it is called within a transaction of
  ///   this store; `LogError`.
  @available(*, noasync)
  public func write<T: Sendable>(
    actor: String? = nil, label: String = "", annotations: [String: String] = [:],
    _ body: @escaping @Sendable (Transaction) throws -> T
  ) throws -> T {
    try Self.checkKeys(annotations)
    let outcome = Awaited<any Sendable>()
    try perform(
      .write(
        WriteJob(
          actor: actor ?? options.actor, label: label, annotations: annotations, body: body,
          finish: { outcome.set($0) })))
    return try Self.value(try outcome.wait())
  }

  /// Reads one snapshot of the read model, with all that GRDB offers. A write that was acknowledged
  /// before is in it. A read within a read has the same snapshot.
  /// - Throws: what `body` and SQLite throw; an attempt to write is an error; ``StoreError`` `reentrant`
  ///   within a transaction of this store.
  @available(*, noasync)
  public func read<T>(_ body: (Database) throws -> T) throws -> T {
    try refuseReentry()
    // GRDB ends the process that reads within a read, unless it is asked for what is open already.
    if reading.isReading { return try reader.unsafeReentrantRead(body) }
    if isDeferrable { try waitOnCommitThread { _ in } }
    return try snapshotNow { db in try reading.within { try body(db) } }
  }

  /// Reads one snapshot, with the collections that are declared in it.
  /// - Throws: as the other.
  @available(*, noasync)
  public func read<T>(_ body: (Database, Schema) throws -> T) throws -> T {
    try viewNow { view, db in try body(db, view.schema) }
  }

  /// A live entity, also one that is parked; nil where there is none.
  /// - Throws: what SQLite throws; ``StoreError``, `reentrant` within a transaction of this store.
  @available(*, noasync)
  public func fetch(_ collection: String, _ id: String) throws -> Entity? {
    try viewNow { view, _ in try view.entity(collection, id) }
  }

  /// Full-text search, best first.
  /// - Parameters: as of the asynchronous one.
  /// - Throws: `ProjectionError` `unknownName`, `invalidQuery`; what SQLite throws; ``StoreError``,
  ///   `reentrant` within a transaction of this store.
  @available(*, noasync)
  public func search(
    _ query: String, in collection: String? = nil, match: SearchMatch = .all, limit: Int = 20,
    markers: (open: String, close: String) = ("[", "]")
  ) throws -> [SearchHit] {
    let request = SearchRequest(
      query, in: collection, match: match, limit: limit, markers: markers)
    return try viewNow { view, _ in try view.search(request) }
  }

  func viewNow<T>(_ body: (ReadModelView, Database) throws -> T) throws -> T {
    try read { db in try views.withView(db) { try body($0, db) } }
  }

  /// Runs `body` where the store writes, between groups, and waits for it; for threads that may wait.
  func waitOnCommitThread<T: Sendable>(_ body: @escaping @Sendable (StoreEngine) throws -> T)
    throws -> T
  {
    let outcome = Awaited<T>()
    try perform(.other { engine in outcome.set(Result { try body(engine) }) })
    return try outcome.wait()
  }
}
