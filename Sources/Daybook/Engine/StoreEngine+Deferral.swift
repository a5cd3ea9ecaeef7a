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

  /// - Returns: nothing where the deferral has ended, and the jobs have to run again.
  /// - Throws: what the log throws; ``Fruitless``. The deferral has ended then too, unless nothing has
  ///   happened at all.
  func commitDeferred(_ jobs: [WriteJob]) throws -> [WriteOutcome] {
    do {
      return try pool.writeWithoutTransaction { db in try run(jobs, db) }
    } catch is DeferralEnded {
      stopDeferring()
      try makeUp()
      return []
    } catch let fruitless as Fruitless {
      guard !fruitless.isClean else { throw fruitless }
      stopDeferring()
      try makeUp()
      throw fruitless
    } catch {
      stopDeferring()
      try? makeUp()
      throw error
    }
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
  func stopDeferring() {
    // Where it cannot be read again now, it is before anything else is done with it.
    dataVersion = -1
    try? pool.writeWithoutTransaction { db in
      try? db.rollback()
      try projector.reload()
    }
  }

  /// Brings the read model up to the log, by whatever is quicker. Under the commit lock.
  func makeUp() throws {
    isBehind = true
    // Whoever rebuilds just now waits for the commit lock: the events are then applied one by one.
    if log.isWorthRebuilding(from: projector.wholeVector), let turn = try RebuildTurn.tryTake(files)
    {
      defer { withExtendedLifetime(turn) {} }
      defer { try? StoreFiles.removeReadModel(files.nextReadModel) }
      _ = try BulkRebuild(source: feed, options: .init(replica: replica))
        .run(into: files.nextReadModel)
      try replaceReadModelLocked(with: files.nextReadModel)
    }
    try pool.writeWithoutTransaction { db in try catchUp(db) }
  }
}
