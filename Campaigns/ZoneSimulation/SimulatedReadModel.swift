import DaybookEngine
import DaybookEventCore
import DaybookProjections
import DaybookReferenceModel
import Foundation
import GRDB

/// A store's read model in memory.
///
/// It survives the process that has it open, as a file does; uncommitted changes are lost.
final class SimulatedReadModel {
  let queue: DatabaseQueue

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

  /// Returns what the read model says of itself to the process that opens it.
  func peek() throws -> ReadModelFile.Peek? {
    try queue.writeWithoutTransaction { try ReadModelFile.peek($0, source: NoEvents()) }
  }

  /// Rolls back what a process has left when it ended.
  func rollBack() {
    queue.writeWithoutTransaction { db in if db.isInsideTransaction { try? db.rollback() } }
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
