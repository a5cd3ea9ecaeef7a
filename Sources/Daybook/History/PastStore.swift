import DaybookEngine
public import DaybookProjections
public import Foundation
public import GRDB

/// A store at a moment of its history.
public struct PastStore: Sendable {
  let store: Store
  let selection: Selection

  /// Returns an entity as it was, with all its values; nil if it was not live.
  ///
  /// The entity's own history decides. Unique values and cycles in trees, which concern other
  /// entities, are not regarded. Cost: proportional to the entity's own history.
  public func fetch(_ collection: String, _ id: String) async throws -> StoredEntity? {
    let selection = selection
    return try await store.core.reads.asynchronously {
      try $0.view.entity(collection, id, at: selection)
    }
  }

  /// Reads the past with all that GRDB offers, from a read model that is built for this call and
  /// removed afterwards.
  ///
  /// Cost: reads the log up to that moment.
  /// - Parameters:
  ///   - folder: the folder for the read model; a process that is killed leaves it there.
  ///   - progress: called on a thread of its own while the read model is built.
  ///   - body: the queries, on one connection.
  /// - Throws: what `body` and SQLite throw; ``StoreError`` `noSpace`.
  public func read<T: Sendable>(
    in folder: URL = FileManager.default.temporaryDirectory,
    progress: @escaping @Sendable (Store.RebuildProgress) -> Void = { _ in },
    _ body: @escaping @Sendable (Database, StoreSchema) throws -> T
  ) async throws -> T {
    let file = folder.appending(path: "daybook-past-\(UUID()).sqlite")
    let path = file.path(percentEncoded: false)
    defer { try? StoreFiles.removeReadModel(path) }
    _ = try await store.core.build(selection, into: file, progress)
    let feed = store.core.feed
    return try await Blocking.surfacing {
      let queue = try ReadModelFile.openPast(path)
      defer { try? queue.close() }
      return try queue.read { db in
        let view = try ReadModelView(db, source: feed)
        defer { view.close() }
        return try body(db, view.schema)
      }
    }
  }

  /// Opens the past as a read-only store, with search, graph and history.
  ///
  /// Closing that store removes its read model. Cost: reads the log up to that moment. The store
  /// that the past belongs to must stay open meanwhile.
  /// - Parameters:
  ///   - folder: the folder for the read model; a process that is killed leaves it there.
  ///   - progress: called on a thread of its own while the read model is built.
  /// - Throws: what reading the log and SQLite throw; ``StoreError`` `noSpace`.
  public func open(
    in folder: URL = FileManager.default.temporaryDirectory,
    progress: @escaping @Sendable (Store.RebuildProgress) -> Void = { _ in }
  ) async throws -> Store {
    let file = folder.appending(path: "daybook-past-\(UUID()).sqlite")
    let path = file.path(percentEncoded: false)
    do {
      _ = try await store.core.build(selection, into: file, progress)
      let reader = try await Blocking.surfacing { try ReadModelFile.openPast(path) }
      var options = store.options
      options.isReadOnly = true
      return Store(
        OpenStore(of: store.core, at: selection, reader: reader, file: path), options: options)
    } catch {
      try? StoreFiles.removeReadModel(path)
      throw StoreError.surfacing(error)
    }
  }
}

extension Store {
  /// Returns the store as it was at a position.
  /// - Throws: ``StoreError`` `invalidPosition` if the
  ///   position is an event that is not known here.
  public func at(_ position: Position) async throws -> PastStore {
    PastStore(store: self, selection: try await known(position))
  }

  /// Builds a read model of a moment of the past, in a file of its own that any SQLite tool opens.
  /// - Parameters:
  ///   - position: the position whose events are included; nil for all events.
  ///   - file: the file to make; it must not exist yet.
  ///   - progress: called on a thread of its own.
  /// - Returns: the digest of that state.
  /// - Throws: ``StoreError`` `alreadyExists`, `invalidPosition` or `noSpace`; what reading the log
  ///   throws.
  @discardableResult
  public func rebuild(
    until position: Position?, into file: URL,
    progress: @escaping @Sendable (Store.RebuildProgress) -> Void = { _ in }
  ) async throws -> Store.DigestReport {
    let path = file.path(percentEncoded: false)
    guard try await Blocking.surfacing({ try !DiskPath.exists(path) }) else {
      throw StoreError(.alreadyExists, "“\(path)” is there already", hint: "Name a new file")
    }
    var selection = core.past ?? .all
    if let position { selection = try await known(position) }
    let outcome = try await core.build(selection, into: file, progress)
    return Store.DigestReport(
      digest: outcome.digest, vector: outcome.vector, isComplete: outcome.opaqueCount == 0)
  }
}
