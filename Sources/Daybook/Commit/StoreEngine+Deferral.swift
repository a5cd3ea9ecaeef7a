import GRDB
import LogEngine
import Projections

/// Filling of an empty store: events go to the log only, and the read model is built in one go at
/// the end.
///
/// Meanwhile the commit lock is kept, and so is a transaction of the read model that is never
/// committed. A crash leaves an empty read model behind the log, and the next opening rebuilds it.
extension StoreEngine {
  var isDeferring: Bool { projector.isDeferring }

  /// Begins a deferral if the store is empty.
  ///
  /// The caller holds the commit lock, which is kept if the deferral begins.
  /// - Returns: false if there is something in the store.
  func beginDeferring() throws -> Bool {
    mayDefer = false
    return try pool.writeWithoutTransaction { db in
      if isBehind { try catchUp(db) }
      try db.execute(sql: "BEGIN IMMEDIATE")
      do {
        try refresh(db)
        if projector.beginDeferring() { return true }
      } catch {
        try? db.rollback()
        throw error
      }
      try db.rollback()
      try projector.reload()
      return false
    }
  }

  /// Runs jobs during a deferral.
  ///
  /// If one of them ends it, the others are written in the ordinary way.
  /// - Throws: what the log throws; ``Fruitless``. The deferral has ended then too, unless no job
  ///   has begun to write.
  func commitDeferred(_ jobs: [WriteJob]) throws -> [WriteOutcome] {
    do {
      return try pool.writeWithoutTransaction { db in
        let outcomes = try run(jobs, db)
        if !isDeferring { finish(db) }
        return outcomes
      }
    } catch {
      if let fruitless = error as? Fruitless, fruitless.isClean, isDeferring { throw fruitless }
      stopDeferring()
      if error is Fruitless { try makeUp() } else { try? makeUp() }
      throw error
    }
  }

  /// Ends the deferral in the middle of a group.
  ///
  /// Brings the read model up to the log, and begins the transaction in which the group continues.
  func project(_ db: Database) throws {
    forgetDeferred(db)
    try makeUp(db)
    try begin(db) {}
  }

  /// Ends the deferral, if there is one, and builds the read model.
  ///
  /// For callers that are not committing.
  /// - Throws: the error of building the read model. It is behind then, and is brought up to the
  ///   log before the next write.
  func endDeferring() throws {
    guard isDeferring else { return }
    stopDeferring()
    defer { log.unlock() }
    try makeUp()
  }

  /// Ends a deferral without building the read model.
  ///
  /// All events are in the log. The commit lock is kept.
  func stopDeferring() { pool.writeWithoutTransaction { forgetDeferred($0) } }

  private func forgetDeferred(_ db: Database) {
    takeBack(db)
    // Makes the next use read the state again, even if that failed now.
    dataVersion = -1
  }

  /// Brings the read model up to the log, by a rebuild or event by event, whichever is quicker.
  ///
  /// Needs the commit lock.
  func makeUp() throws { try pool.writeWithoutTransaction { try makeUp($0) } }

  private func makeUp(_ db: Database) throws {
    isBehind = true
    // If another process is rebuilding, it waits for the commit lock: apply the events one by one
    // then.
    if log.isWorthRebuilding(from: projector.wholeVector), let turn = try RebuildTurn.tryTake(files)
    {
      let rebuilt = try RebuiltReadModel(files, feed, replica, turn: turn)
      try replaceReadModel(with: rebuilt, db)
    }
    try catchUp(db)
  }
}
