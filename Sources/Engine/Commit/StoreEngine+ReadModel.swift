import DaybookEventCore
import DaybookLogEngine
import DaybookProjections
import Foundation
import GRDB
import GRDBSQLite

/// How the read model follows the log, and is replaced or made again.
extension StoreEngine {
  /// Brings the read model up to the log, including durable events of other processes.
  package func catchUp() throws {
    try log.lock()
    defer { log.unlock() }
    try readModel.writeWithoutTransaction { db in try catchUp(db) }
    moveWriteAheadLog()
  }

  /// Brings the read model up to the log, by a rebuild or event by event, whichever is quicker.
  ///
  /// Needs the commit lock.
  func makeUp() throws { try readModel.writeWithoutTransaction { try makeUp($0) } }

  func makeUp(_ db: Database) throws {
    isBehind = true
    // If another process is rebuilding, it waits for the commit lock: apply the events one by one
    // then.
    if log.isWorthRebuilding(from: projector.wholeVector), let turn = try RebuildTurn.tryTake(files)
    {
      let rebuilt = try RebuiltReadModel.build(files, feed, replica, turn: turn)
      try replaceReadModel(with: rebuilt, db)
    }
    try catchUp(db)
  }

  /// Replaces the live read model with a rebuilt one, in one transaction that readers in all
  /// processes survive.
  func replaceReadModel(with rebuilt: RebuiltReadModel) throws {
    try log.lock()
    defer { log.unlock() }
    try readModel.writeWithoutTransaction { try replaceReadModel(with: rebuilt, $0) }
  }

  /// Replaces the live read model with a rebuilt one.
  ///
  /// The caller holds the commit lock.
  func replaceReadModel(with rebuilt: RebuiltReadModel, _ db: Database) throws {
    projector.close()
    // If this fails, the old read model is still there, and is read again before its next use.
    dataVersion = -1
    try rebuilt.replace(db)
    try projector.reload()
    signature = nil
    try notifyObservers(of: nil, db)
    announceShown(nil)
  }

  /// Rebuilds one collection, in one transaction.
  /// - Returns: the number of operations on it, and whether the rows of all collections then add up
  ///   to the digest.
  func rebuild(collection: String, progress: (Int) -> Void) throws -> (Int, Bool) {
    try log.lock()
    defer { log.unlock() }
    return try readModel.writeWithoutTransaction { db in
      var outcome = (0, false)
      try begin(db) {
        outcome.0 = try projector.rebuild(collection: collection, progress: progress)
        let view = try ReadModelView(db, source: feed)
        defer { view.close() }
        outcome.1 = try view.recomputedDigest() == view.digest
      }
      try commit(db)
      isBehind = false
      return outcome
    }
  }
}
