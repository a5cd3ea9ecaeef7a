import EventCore
import Foundation
import GRDB
import LogEngine
import Projections

/// A read model that was made aside from the log, on its way to the place of the live one.
///
/// It gets there under the commit lock and caught up with the log, and in no other way: what was written
/// while it was made may have been acknowledged, and readers must not miss it.
final class RebuiltReadModel: Sendable {
  private let files: StoreFiles
  private let feed: LogFeed
  private let replica: ReplicaID
  /// Kept until it is in place or given up.
  private let turn: RebuildTurn

  /// Makes it, in the one turn that all processes share.
  /// - Parameter replica: whose log it is.
  init(
    _ files: StoreFiles, _ feed: LogFeed, _ replica: ReplicaID, turn: RebuildTurn,
    progress: @escaping (RebuildProgress) -> Void = { _ in }
  ) throws {
    self.files = files
    self.feed = feed
    self.replica = replica
    self.turn = turn
    try turn.clear()
    if feed.wholeVector.isEmpty {
      try makeEmpty()
    } else {
      _ = try BulkRebuild(source: feed, options: .init(replica: replica), progress: progress)
        .run(into: turn.readModel)
    }
  }

  private func makeEmpty() throws {
    let queue = try ReadModelFile.openAlone(turn.readModel)
    try queue.writeWithoutTransaction { db in
      guard let connection = db.sqliteConnection else { return }
      let cache = StatementCache(connection)
      defer { cache.removeAll() }
      // Not by hand: GRDB ends the process that leaves a transaction open where this fails.
      try db.inTransaction {
        try ReadModelFormat.create(cache)
        return .commit
      }
    }
    try queue.close()
  }

  // MARK: - Putting it in place

  /// Writes it over what `live` has, as one transaction that readers in all processes survive. To be called
  /// with the commit lock held.
  func replace(_ live: Database) throws {
    let next = try caughtUp()
    defer { try? next.close() }
    guard let connection = live.sqliteConnection else { return }
    // What it overwrites may be damaged, which is why it is overwritten.
    CheckedFile.setChecked(connection, false)
    defer { CheckedFile.setChecked(connection, true) }
    try next.read { try $0.backup(to: live) }
  }

  /// Puts its file in the place of the live one. To be called with the commit lock held, by one who has the
  /// store alone.
  func putInPlace() throws {
    try caughtUp().close()
    try StoreFiles.removeReadModelDurably(files.readModel)
    try DiskPath.move(turn.readModel, to: files.readModel)
    try DiskPath.sync(folder: DiskPath.folder(of: files.readModel))
  }

  /// Takes in what the log has got since this was made.
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
        try db.execute(
          sql: "UPDATE _daybook_checkpoint SET replica = ?", arguments: [Data(replica.bytes)])
      }
      return next
    } catch {
      try? next.close()
      throw error
    }
  }
}
