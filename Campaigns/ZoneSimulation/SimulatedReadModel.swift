internal import Daybook
internal import EventCore
internal import Foundation
internal import GRDB
internal import Projections
internal import ReferenceModel

/// A store's read model in memory.
///
/// It survives the process that has it open, as a file does; uncommitted changes are lost.
final class SimulatedReadModel {
  private let queue: DatabaseQueue
  private var projector: Projector?
  /// The events that it has applied; ``digest`` covers their state.
  private(set) var vector = VersionVector()
  private(set) var digest = StateDigest()

  init() throws {
    queue = try DatabaseQueue()
    try queue.writeWithoutTransaction { db in
      let sql = StatementCache(try Self.connection(db))
      defer { sql.removeAll() }
      try sql.execute("BEGIN")
      try ReadModelFormat.create(sql)
      try sql.execute("COMMIT")
    }
  }

  private static func connection(_ db: Database) throws -> OpaquePointer {
    guard let connection = db.sqliteConnection else {
      throw ProjectionError(.sqlite, "the read model is closed")
    }
    return connection
  }

  func open(_ source: any EventSource) throws {
    close()
    projector = try queue.writeWithoutTransaction { db in
      try Projector(connection: Self.connection(db), source: source)
    }
  }

  /// Closes the projector, as when the process ends.
  func close() {
    projector?.close()
    projector = nil
  }

  /// Catches up with the log and runs `body`, in one transaction.
  ///
  /// - Throws: What the projector or `body` throws; the transaction is then rolled back.
  func write(_ body: (Projector) throws -> Void = { _ in }) throws {
    guard let projector else { throw ProjectionError(.sqlite, "the read model is closed") }
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN IMMEDIATE")
      do {
        try projector.catchUp()
        try body(projector)
        try projector.catchUp()
        try db.execute(sql: "COMMIT")
      } catch {
        if db.isInsideTransaction { try db.execute(sql: "ROLLBACK") }
        try projector.reload()
        throw error
      }
    }
    vector = projector.vector
    digest = projector.digest
  }

  func state() throws -> ProjectedState {
    guard let projector else { throw ProjectionError(.sqlite, "the read model is closed") }
    return try queue.writeWithoutTransaction { try ProjectedState(shownBy: $0, projector) }
  }

  /// Runs `body` with a view of what is shown.
  func read<T>(_ body: (ReadModelView) throws -> T) throws -> T {
    guard let projector else { throw ProjectionError(.sqlite, "the read model is closed") }
    return try queue.writeWithoutTransaction { _ in try body(ReadModelView(within: projector)) }
  }

  /// Returns the state that a rebuild projects from a log.
  static func rebuilt(_ source: any EventSource) throws -> ProjectedState {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let isThere = FileManager.default.isWritableFile(atPath: memory.path())
    let folder = isThere ? memory : FileManager.default.temporaryDirectory
    let path = folder.appending(path: "daybook-replication-\(UUID()).sqlite").path()
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = try Rebuild(source: source).run(into: path)
    let queue = try DatabaseQueue(path: path)
    return try queue.writeWithoutTransaction { db in
      let projector = try Projector(connection: connection(db), source: source)
      defer { projector.close() }
      return try ProjectedState(shownBy: db, projector)
    }
  }
}
