import DaybookEventCore
import DaybookLogEngine
import DaybookProjections
import Foundation
import GRDB

/// A read model that was built from the log and is to replace the live one.
///
/// It replaces the live one only under the commit lock, and caught up with the log. Writes that
/// were made meanwhile may have been acknowledged, and readers must not miss them.
final class RebuiltReadModel: Sendable {
  private let files: StoreFiles
  private let feed: LogFeed
  private let replica: ReplicaID
  /// The turn to rebuild, kept until the read model is in place or given up.
  private let turn: RebuildTurn

  private init(
    _ files: StoreFiles, _ feed: LogFeed, _ replica: ReplicaID, turn: RebuildTurn
  ) {
    self.files = files
    self.feed = feed
    self.replica = replica
    self.turn = turn
  }

  /// Builds a read model from the log, in the one turn that all processes share.
  /// - Parameter replica: the replica whose log it is.
  static func build(
    _ files: StoreFiles, _ feed: LogFeed, _ replica: ReplicaID, turn: RebuildTurn,
    progress: @escaping (RebuildProgress) -> Void = { _ in }
  ) throws -> RebuiltReadModel {
    let rebuilt = RebuiltReadModel(files, feed, replica, turn: turn)
    try turn.clear()
    if feed.wholeVector.isEmpty {
      try rebuilt.makeEmpty()
    } else {
      _ = try Rebuild(source: feed, options: .init(replica: replica), progress: progress)
        .run(into: turn.readModel)
    }
    return rebuilt
  }

  private func makeEmpty() throws {
    let queue = try ReadModelFile.openAlone(turn.readModel)
    try queue.writeWithoutTransaction { db in
      guard let connection = db.sqliteConnection else { return }
      let cache = StatementCache(connection)
      defer { cache.removeAll() }
      // GRDB ends the process if a transaction that was begun by hand stays open after an error.
      try db.inTransaction {
        try ReadModelFormat.create(cache)
        return .commit
      }
    }
    try queue.close()
  }

  // MARK: - Putting it in place

  /// Replaces the contents of `live`, in one transaction that readers in all processes survive.
  ///
  /// The caller holds the commit lock.
  func replace(_ live: Database) throws {
    let next = try caughtUp()
    defer { try? next.close() }
    guard let connection = live.sqliteConnection else { return }
    // The overwritten file may be damaged, which may be the reason for the rebuild.
    CheckedFile.setChecked(connection, false)
    defer { CheckedFile.setChecked(connection, true) }
    // Other processes notice the rebuild by this number; see `Projector.rebuilds()`.
    try next.write { try RebuildCount.continuing(live, in: $0) }
    try next.read { try $0.backup(to: live) }
  }

  /// Replaces the file of the live read model.
  ///
  /// The caller holds the commit lock and has the store alone.
  func putInPlace() throws {
    try caughtUp().close()
    try StoreFiles.removeReadModelDurably(files.readModel)
    try DiskPath.move(turn.readModel, to: files.readModel)
    try DiskPath.sync(folder: DiskPath.folder(of: files.readModel))
  }

  /// Opens the rebuilt read model, and applies the events that the log has got since it was built.
  private func caughtUp() throws -> DatabaseQueue {
    try turn.requireHeld()
    let next = try ReadModelFile.openAlone(turn.readModel)
    do {
      try next.writeWithoutTransaction { db in
        guard let connection = db.sqliteConnection else { return }
        let projector = try Projector(connection: connection, source: feed)
        defer { projector.close() }
        guard projector.wholeVector != feed.wholeVector else { return }
        try ReadModelFile.catchUp(projector, db)
        try Checkpoint.sign(db, as: replica)
      }
      return next
    } catch {
      try? next.close()
      throw error
    }
  }
}
