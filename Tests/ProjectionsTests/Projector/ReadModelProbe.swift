import EventCore
import Foundation
import GRDB

@testable import Projections
@testable import ReferenceModel

/// A read model in a file, driven by hand, and what it shows in the reference model's terms.
final class ReadModelProbe {
  let path: String
  let source: ArrayEventSource
  private var queue: DatabaseQueue
  private(set) var projector: Projector

  init(_ source: ArrayEventSource, folder: URL) throws {
    path = folder.appending(path: "\(UUID()).sqlite").path
    self.source = source
    queue = try DatabaseQueue(path: path)
    projector = try queue.writeWithoutTransaction { db in
      let cache = StatementCache(db.sqliteConnection!)
      try cache.execute("PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY")
      try ReadModelFormat.create(cache)
      return try Projector(connection: db.sqliteConnection!, source: source)
    }
  }

  func catchUp() throws {
    try queue.writeWithoutTransaction { db in
      try projector.sql.execute("BEGIN IMMEDIATE")
      do { try projector.catchUp() } catch {
        try projector.sql.execute("ROLLBACK")
        try projector.reload()
        throw error
      }
      try projector.sql.execute("COMMIT")
    }
  }

  /// Makes one collection again, as one transaction.
  @discardableResult
  func rebuild(collection: String) throws -> Int {
    try queue.writeWithoutTransaction { db in
      try projector.sql.execute("BEGIN IMMEDIATE")
      do {
        let count = try projector.rebuild(collection: collection)
        try projector.sql.execute("COMMIT")
        return count
      } catch {
        try projector.sql.execute("ROLLBACK")
        try projector.reload()
        throw error
      }
    }
  }

  func reopen() throws {
    projector.close()
    try queue.close()
    queue = try DatabaseQueue(path: path)
    projector = try queue.writeWithoutTransaction {
      try Projector(connection: $0.sqliteConnection!, source: source)
    }
  }

  /// What readers use, on a snapshot.
  func view<T>(_ body: (ReadModelView, Database) throws -> T) throws -> T {
    try queue.writeWithoutTransaction { db in
      let view = try ReadModelView(db, source: source)
      defer { view.close() }
      return try body(view, db)
    }
  }

  /// Changes the read model behind the projector's back.
  func damage(_ sql: String) throws {
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  /// The first thing in which this read model differs from one that is made now.
  func differenceFromRebuilt(folder: URL) throws -> ReadModelDifference? {
    let path = folder.appending(path: "\(UUID()).sqlite").path
    _ = try BulkRebuild(source: source).run(into: path)
    let fresh = try DatabaseQueue(path: path)
    return try fresh.writeWithoutTransaction { db in
      try queue.writeWithoutTransaction { live in
        let projector = try Projector(connection: db.sqliteConnection!, source: source)
        defer { projector.close() }
        let comparison = ReadModelComparison(
          live: live.sqliteConnection!, fresh: db.sqliteConnection!, schema: projector.schema)
        defer { comparison.close() }
        if let shown = try comparison.firstDifference() { return shown }
        let (a, b) = (
          try ReadModelView(live, source: source), try ReadModelView(db, source: source)
        )
        defer {
          a.close()
          b.close()
        }
        return try a.firstInternalDifference(from: b)
      }
    }
  }

  func state() throws -> ProjectedState {
    try queue.writeWithoutTransaction { try ProjectedState(shownBy: $0, projector) }
  }

  /// What a rebuild makes of the same events.
  static func rebuilt(
    _ source: ArrayEventSource, folder: URL, selection: Selection = .all, partitionBytes: Int
  ) throws -> ProjectedState {
    let path = folder.appending(path: "\(UUID()).sqlite").path
    var options = BulkRebuild.Options()
    options.partitionBytes = partitionBytes
    options.memoryBytes = partitionBytes
    // Both ways of making primary keys are tried.
    options.makesKeysLate = partitionBytes > 1000
    // Small collections are sorted in memory, others through a file.
    options.sortBytes = 300
    let rebuild = BulkRebuild(source: source, options: options)
    _ = try rebuild.run(into: path, selection: selection)
    let queue = try DatabaseQueue(path: path)
    return try queue.writeWithoutTransaction { db in
      let projector = try Projector(connection: db.sqliteConnection!, source: source)
      defer { projector.close() }
      return try ProjectedState(shownBy: db, projector)
    }
  }
}
