public import Foundation
public import GRDB
public import Projections

/// A store at a moment of its history.
public struct PastStore: Sendable {
  let store: Store
  let selection: Selection

  /// An entity as it was, with all its values: by its own history, which knows nothing of unique
  /// values and cycles. Nil where it was not live. Cost: proportional to the entity's own history.
  public func fetch(_ collection: String, _ id: String) async throws -> Entity? {
    let selection = selection
    return try await store.view { view, _ in try view.entity(collection, id, at: selection) }
  }

  /// Reads all of it, with all that GRDB offers, from a read model that is made for that and removed
  /// again. Cost: reads the log up to there.
  /// - Parameter folder: where to make it; a process that is killed leaves it there.
  /// - Throws: what `body` and SQLite throw; ``StoreError`` `noSpace`.
  public func read<T: Sendable>(
    in folder: URL = FileManager.default.temporaryDirectory,
    progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in },
    _ body: @escaping @Sendable (Database, Schema) throws -> T
  ) async throws -> T {
    let file = folder.appending(path: "daybook-past-\(UUID()).sqlite")
    let path = file.path(percentEncoded: false)
    defer { try? StoreFiles.removeReadModel(path) }
    _ = try await store.build(selection, into: file, progress)
    let feed = store.feed
    return try await Blocking.run {
      let queue = try ReadModelFile.openPast(path)
      defer { try? queue.close() }
      return try queue.read { db in
        let view = try ReadModelView(db, source: feed)
        defer { view.close() }
        return try body(db, view.schema)
      }
    }
  }

  /// Makes a read-only store of it: everything that can be asked of a store can be asked of that
  /// moment, search, graph and history among it. Closing it removes its read model.
  ///
  /// Cost: reads the log up to there. The store that it comes from must stay open meanwhile.
  /// - Parameter folder: where to make its read model; a process that is killed leaves it there.
  /// - Throws: what reading the log and SQLite throw; ``StoreError`` `noSpace`.
  public func open(
    in folder: URL = FileManager.default.temporaryDirectory,
    progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws -> Store {
    let file = folder.appending(path: "daybook-past-\(UUID()).sqlite")
    let path = file.path(percentEncoded: false)
    do {
      _ = try await store.build(selection, into: file, progress)
      let reader = try await Blocking.run { try ReadModelFile.openPast(path) }
      return Store(of: store, at: selection, reader: reader, file: path)
    } catch {
      try? StoreFiles.removeReadModel(path)
      throw error
    }
  }
}
