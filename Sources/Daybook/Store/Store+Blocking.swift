public import Foundation
public import GRDB
public import Projections

// `read` is overloaded by the number of its closure's arguments, as the asynchronous one is.
// swift-format-ignore: AmbiguousTrailingClosureOverload
/// The blocking calls, for code that is not asynchronous: each blocks its thread until it is done.
///
/// Within a transaction of the store they are refused (``StoreError`` `reentrant`). A synchronous
/// closure in an asynchronous function can call them too, but should not: use one asynchronous read
/// or write for all of it.
extension Store {
  /// Makes a store in a new or empty folder, and opens it.
  ///
  /// Blocks the thread.
  /// - Throws: ``StoreError`` `alreadyExists` if there is something in the folder, `noSpace` or
  ///   `ioFailed`. Nothing is left there then.
  @available(*, noasync)
  public static func create(at url: URL, options: Options = Options()) throws -> Store {
    do {
      return Store(
        try StoreOpening(url: url, options: options).create(), url: url, options: options)
    } catch {
      throw StoreError.orNoSpace(error, "no store was made", in: url.deletingLastPathComponent())
    }
  }

  /// Opens a store, recovers what a crash left, and brings its read model up to the log.
  ///
  /// Blocks the thread.
  ///
  /// Cost: milliseconds if the store was closed in order. A read model that is missing, damaged or
  /// of another format is rebuilt first.
  /// - Throws: ``StoreError`` `notAStore`, `newerFormat`, `damaged`, `readOnly` (a read-only store
  ///   whose read model would have to be brought up to date), `locked`, `noSpace` or `ioFailed`.
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
  /// Blocks the thread until the event is on the disk.
  ///
  /// If no other write is running or waiting, the transaction runs on the calling thread, and only
  /// the fsync on another one: a durable write cannot cost less. Otherwise the event shares an
  /// fsync with the other writes that wait.
  /// - Parameters:
  ///   - actor: who did it; ``Options/actor`` if nil.
  ///   - label: the purpose of the write, in words.
  ///   - annotations: facts about the event itself; keys are printable ASCII without spaces.
  ///   - body: the transaction; it may run on another thread. An error that it throws undoes
  ///     everything.
  /// - Throws: what `body` throws; ``StoreError``, `reentrant` if it is called within a transaction
  ///   of this store; `locked`, `damaged` or `poisoned` if the log refuses.
  @available(*, noasync)
  public func write<T: Sendable>(
    actor: String? = nil, label: String = "", annotations: [String: String] = [:],
    _ body: @escaping @Sendable (WriteTransaction) throws -> T
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

  /// Reads one snapshot of the read model, with all that GRDB offers.
  ///
  /// Blocks the thread.
  ///
  /// The snapshot has every write that was acknowledged before the call. A read within a read has
  /// the same snapshot.
  /// - Throws: what `body` and SQLite throw; an attempt to write is an error. ``StoreError``
  ///   `reentrant` within a transaction of this store.
  @available(*, noasync)
  public func read<T>(_ body: (Database) throws -> T) throws -> T {
    try refuseReentry()
    // GRDB ends the process if a read begins within a read, unless it is asked for the open one.
    if reading.isReading { return try reader.unsafeReentrantRead(body) }
    if isDeferrable { try waitOnCommitThread { _ in } }
    return try snapshotNow { db in try reading.within { try body(db) } }
  }

  /// Reads one snapshot, with the collections that are declared in it.
  ///
  /// Blocks the thread.
  /// - Throws: what `body` and SQLite throw; ``StoreError`` `reentrant` within a transaction of
  ///   this store.
  @available(*, noasync)
  public func read<T>(_ body: (Database, StoreSchema) throws -> T) throws -> T {
    try viewNow { view, db in try body(db, view.schema) }
  }

  /// Returns a live entity, also if it is parked; nil if there is none.
  ///
  /// Blocks the thread.
  /// - Throws: what SQLite throws; ``StoreError`` `reentrant` within a transaction of this store.
  @available(*, noasync)
  public func fetch(_ collection: String, _ id: String) throws -> StoredEntity? {
    try viewNow { view, _ in try view.entity(collection, id) }
  }

  /// Searches the full text and returns the best hits first.
  ///
  /// Blocks the thread.
  /// - Parameters:
  ///   - query: words that must all occur; `"a phrase"`, `swif*` for a beginning, `-word` for what
  ///     must not occur, `a OR b`, `title:word` for one field.
  ///   - collection: the collection to search; nil for every collection with searchable fields.
  ///   - match: with `any`, one of the words is enough.
  ///   - limit: the most hits to return, at least 0.
  ///   - markers: the texts before and after a found word in a snippet.
  /// - Throws: ``StoreError`` `unknownName` or `invalidQuery`;
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
