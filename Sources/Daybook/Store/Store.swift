public import DaybookEngine
public import DaybookEventCore
public import DaybookLogEngine
import DaybookProjections
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
  /// The folder of the store.
  public let url: URL
  /// The options that the store was opened with.
  public let options: Options
  /// The open store, without the calls of an app.
  package let core: OpenStore
  /// The editing sessions that have not ended.
  let editing = EditingSessions()

  init(_ core: OpenStore, options: Options) {
    self.core = core
    self.options = options
    url = core.url
  }

  /// Makes a store, and opens it. Blocks the thread.
  convenience init(creatingAt url: URL, _ options: Options) throws {
    self.init(try OpenStore.create(at: url, options: options.engine), options: options)
  }

  /// Opens a store. Blocks the thread.
  convenience init(openingAt url: URL, _ options: Options) throws {
    self.init(try OpenStore.open(at: url, options: options.engine), options: options)
  }

  /// Makes a store in a new or empty folder, and opens it.
  /// - Throws: ``StoreError`` `alreadyExists` if there is something in the folder, `noSpace` or
  ///   `ioFailed`. Nothing is left there then.
  public static func create(at url: URL, options: Options = Options()) async throws -> Store {
    try await Blocking.run { try Store(creatingAt: url, options) }
  }

  /// Opens a store, recovers what a crash left, and brings its read model up to the log.
  ///
  /// Cost: milliseconds if the store was closed in order. A read model that is missing, damaged or
  /// of another format is rebuilt first.
  /// - Throws: ``StoreError`` `notAStore`, `newerFormat`, `damaged`, `readOnly` (a read-only store
  ///   whose read model would have to be brought up to date), `locked`, `noSpace` or `ioFailed`.
  public static func open(at url: URL, options: Options = Options()) async throws -> Store {
    try await Blocking.run { try Store(openingAt: url, options) }
  }

  /// The replica that this store writes as.
  public var replica: ReplicaID { core.replica }

  /// The repairs that opening made.
  public var recovery: Store.RecoveryReport { core.recovery }

  /// The damage to the log that was found while opening.
  ///
  /// If there is any, the store can be read but not written.
  public var damage: [Store.LogFinding] { core.log.damage }

  /// Finishes the running writes and closes the store, which must not be used afterwards.
  ///
  /// A store closes itself when nothing uses it any more, so that previews and tests need not call
  /// this. Whoever calls it knows when the store is closed, and whether that succeeded.
  ///
  /// What was typed in an ``EditingSession`` is written first.
  public func close() async throws {
    await editing.close()
    try await Blocking.run { [core] in try core.close() }
  }

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
    let outcome: any Sendable = try await withCheckedThrowingContinuation { continuation in
      do {
        var job = try WriteJob(
          actor: actor ?? options.actor, label: label, annotations: annotations, body: body,
          finish: { continuation.resume(with: $0) })
        job.readsLog = readsLog
        try core.write([job])
      } catch { continuation.resume(throwing: error) }
    }
    return try WriteJob.value(outcome)
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
  public var databaseReader: any DatabaseReader { core.databaseReader }
}
