import GRDB
import LogEngine
import Projections

/// Filling an empty store: events go to the log, and the read model is made in one go at the end.
///
/// The commit lock is kept meanwhile, and so is a transaction of the read model that is never
/// committed. A crash leaves an empty read model behind the log, which the next opening makes.
extension StoreEngine {
  var isDeferring: Bool { projector.isDeferring }

  /// Under the commit lock, which is kept where it succeeds.
  /// - Returns: false where there is something in the store.
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

  /// Runs jobs, of which one may end the deferral in its midst: then the rest is written as ever.
  /// - Throws: what the log throws; ``Fruitless``. The deferral has ended then too, unless nothing has
  ///   happened at all.
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

  /// Ends the deferral in the midst of a group: brings the read model up to the log, and begins the
  /// transaction in which the group goes on.
  func project(_ db: Database) throws {
    forgetDeferred(db)
    try makeUp(db)
    try begin(db) {}
  }

  /// Ends a deferral, where there is one, and makes the read model. For whoever is not committing.
  /// - Throws: where it cannot be made; it is behind then, and is brought up to the log before the next
  ///   write.
  func endDeferring() throws {
    guard isDeferring else { return }
    stopDeferring()
    defer { log.unlock() }
    try makeUp()
  }

  /// Forgets what was deferred: all of it is in the log. The commit lock stays.
  func stopDeferring() { pool.writeWithoutTransaction { forgetDeferred($0) } }

  private func forgetDeferred(_ db: Database) {
    takeBack(db)
    // Where it cannot be read again now, it is before anything else is done with it.
    dataVersion = -1
  }

  /// Brings the read model up to the log, by whatever is quicker. Under the commit lock.
  func makeUp() throws { try pool.writeWithoutTransaction { try makeUp($0) } }

  private func makeUp(_ db: Database) throws {
    isBehind = true
    // Whoever rebuilds just now waits for the commit lock: the events are then applied one by one.
    if log.isWorthRebuilding(from: projector.wholeVector), let turn = try RebuildTurn.tryTake(files)
    {
      let rebuilt = try RebuiltReadModel(files, feed, replica, turn: turn)
      try replaceReadModel(with: rebuilt, db)
    }
    try catchUp(db)
  }
}
