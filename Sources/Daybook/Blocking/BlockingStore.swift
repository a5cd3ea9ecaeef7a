public import DaybookEngine
public import DaybookProjections
public import Foundation
public import GRDB

// `read` is overloaded by the number of its closure's arguments, as the asynchronous one is.
// swift-format-ignore: AmbiguousTrailingClosureOverload
/// The calls of a ``Store`` for code that is not asynchronous: each blocks its thread until it is
/// done.
///
/// ```swift
/// let store = try BlockingStore.open(at: url)
/// try store.write { tx in try tx.insert("notes", "n1", ["title": "Oat milk"]) }
/// let hits = try store.search("oat")
/// try store.close()
/// ```
/// A store that is already open has them as ``Store/blocking``. Both are the same store: each sees
/// what the other writes.
///
/// An asynchronous function cannot make these calls, because a thread of the cooperative pool must
/// not block. A synchronous closure in an asynchronous function can make them, but should not: use
/// one asynchronous read or write for all of it.
///
/// Within a transaction of the store they are refused (``StoreError`` `reentrant`).
public struct BlockingStore: Sendable {
  /// The same store, with its asynchronous calls.
  public let store: Store

  /// Makes a store in a new or empty folder, and opens it.
  ///
  /// Blocks the thread.
  /// - Throws: ``StoreError`` `alreadyExists` if there is something in the folder, `noSpace` or
  ///   `ioFailed`. Nothing is left there then.
  @available(*, noasync)
  public static func create(at url: URL, options: Store.Options = .init()) throws -> BlockingStore {
    BlockingStore(store: try Store(creatingAt: url, options))
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
  public static func open(at url: URL, options: Store.Options = .init()) throws -> BlockingStore {
    BlockingStore(store: try Store(openingAt: url, options))
  }

  /// Finishes the running writes and closes the store, which must not be used afterwards.
  ///
  /// Blocks the thread.
  /// - Throws: ``StoreError`` `reentrant` within a read or a transaction of this store.
  @available(*, noasync)
  public func close() throws { try store.core.close() }

  /// Writes one event, durably, all or nothing.
  ///
  /// Blocks the thread until the event is on the disk.
  ///
  /// If no other write is running or waiting, the transaction runs on the calling thread, and only
  /// the fsync on another one: a durable write cannot cost less. Otherwise the event shares an
  /// fsync with the other writes that wait.
  /// - Parameters:
  ///   - actor: who did it; ``Store/Options/actor`` if nil.
  ///   - label: the purpose of the write, in words.
  ///   - annotations: facts about the event itself; keys are printable ASCII without spaces.
  ///   - body: the transaction; it may run on another thread. An error that it throws undoes
  ///     everything.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws; ``StoreError``, `reentrant` if it is called within a transaction
  ///   of this store; `locked`, `damaged` or `poisoned` if the log refuses.
  @discardableResult
  @available(*, noasync)
  public func write<T: Sendable>(
    actor: String? = nil, label: String = "", annotations: [String: String] = [:],
    _ body: @escaping @Sendable (WriteTransaction) throws -> T
  ) throws -> T {
    try store.writeNow(actor, label, annotations, readsLog: false, body)
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
    try store.core.reads.blocking { try body($0.database) }
  }

  /// Reads one snapshot, with the collections that are declared in it.
  ///
  /// Blocks the thread.
  /// - Throws: what `body` and SQLite throw; ``StoreError`` `reentrant` within a transaction of
  ///   this store.
  @available(*, noasync)
  public func read<T>(_ body: (Database, StoreSchema) throws -> T) throws -> T {
    try store.core.reads.blocking { try body($0.database, $0.view.schema) }
  }

  /// Returns a live entity, also if it is parked; nil if there is none.
  ///
  /// Blocks the thread.
  /// - Throws: what SQLite throws; ``StoreError`` `reentrant` within a transaction of this store.
  @available(*, noasync)
  public func fetch(_ collection: String, _ id: String) throws -> StoredEntity? {
    try store.core.reads.blocking { try $0.view.entity(collection, id) }
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
    return try store.searchingNow(request.collections) { try $0.view.search(request) }
  }

  /// Traversals over the relationships of the store.
  public var graph: BlockingGraph { BlockingGraph(store: store) }

  /// Returns the elements of a list behind a place, as ``Listing/page(limit:after:)`` does.
  ///
  /// Blocks the thread.
  ///
  /// ```swift
  /// let first = try store.blocking.page(of: store.conflicts(), limit: 20)
  /// let second = try store.blocking.page(of: store.conflicts(), limit: 20, after: first.next)
  /// ```
  /// - Parameters:
  ///   - list: a list of this store.
  ///   - limit: the most elements, at least 1.
  ///   - cursor: `next` of the page before; nil for the first page.
  /// - Throws: ``StoreError`` `invalidQuery` if the limit is less than 1; what the method that
  ///   returned the list says; `reentrant` within a transaction of this store.
  @available(*, noasync)
  public func page<Element>(
    of list: Listing<Element>, limit: Int, after cursor: Listing<Element>.Cursor? = nil
  ) throws -> Listing<Element>.Page {
    try list.pageNow(limit: limit, after: cursor)
  }

  /// Returns all elements of a list, as ``Listing/all()`` does.
  ///
  /// Blocks the thread.
  ///
  /// Cost: memory for all of them.
  /// - Parameter list: a list of this store.
  /// - Throws: what the method that returned the list says; ``StoreError`` `reentrant` within a
  ///   transaction of this store.
  @available(*, noasync)
  public func all<Element>(of list: Listing<Element>) throws -> [Element] { try list.allNow() }
}

extension Store {
  /// The calls for code that is not asynchronous, which block their thread.
  public var blocking: BlockingStore { BlockingStore(store: self) }
}
