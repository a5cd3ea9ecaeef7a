import DaybookEventCore
import DaybookLogEngine
import DaybookProjections
import GRDB

/// The bulk load of an empty store: events go to the log only, and the read model is built in one
/// go at the end.
///
/// Meanwhile the commit lock is kept, and so is a transaction of the read model that is never
/// committed. Definitions are applied in it. A crash leaves an empty read model behind the log, and
/// the next opening rebuilds it.
///
/// Inserts of new entities are checked against hashes of ids. A transaction that needs more ends
/// the bulk load, and goes on with a read model. A job other than a write ends it, too, unless it
/// only inspects the engine.
package final class BulkLoad {
  private unowned let engine: StoreEngine
  private var entities = UnprojectedEntities()

  private init(_ engine: StoreEngine) { self.engine = engine }

  /// Begins to fill a store, and takes the commit lock.
  /// - Returns: nil if an entity was ever written to the store; then the lock is free again.
  static func begin(_ engine: StoreEngine) throws -> BulkLoad? {
    try engine.log.lock()
    engine.mayBulkLoad = false
    var isEmpty = false
    defer { if !isEmpty { engine.log.unlock() } }
    try engine.readModel.writeWithoutTransaction { db in
      if engine.isBehind { try engine.catchUp(db) }
      try engine.begin(db) {}
      isEmpty = engine.projector.isEmpty
      if !isEmpty { engine.takeBack(db) }
    }
    return isEmpty ? BulkLoad(engine) : nil
  }

  private var isOver: Bool { engine.bulkLoad !== self }

  /// Commits a group to the log.
  ///
  /// If a transaction ends the bulk load, the group is committed to the read model as well.
  /// - Throws: the error for which nothing was written. The bulk load is over then.
  func commit(_ jobs: [WriteJob]) throws -> GroupOutcome {
    defer { if isOver { engine.log.unlock() } }
    return try engine.readModel.writeWithoutTransaction { db in
      do {
        let group = try engine.run(jobs, db)
        if isOver {
          engine.conclude(group, db)
        } else if group.written == nil, !group.isClean {
          try end(db)
        }
        _ = try? engine.log.rollIfNeeded()
        return group
      } catch {
        abandon(db)
        try? engine.makeUp(db)
        throw error
      }
    }
  }

  // MARK: - Entities

  /// Returns the handle of an entity that was never written; nil if it may have been.
  func unknown(_ collection: CollectionSchema, _ id: String) throws -> EntityHandle? {
    try entities.unknown(collection, id, engine.projector)
  }

  /// Notes a write to an entity that has not been written before.
  /// - Returns: false if it has to be applied to a read model.
  func note(_ operation: Operation, _ handle: EntityHandle) -> Bool {
    entities.note(operation, handle)
  }

  // MARK: - The end

  /// Ends the bulk load, and builds the read model from the log.
  ///
  /// Needs the commit lock, and keeps it.
  /// - Throws: the error of building the read model. It is behind then, and is brought up to the
  ///   log before the next write.
  func end(_ db: Database) throws {
    abandon(db)
    try engine.makeUp(db)
  }

  /// Ends the bulk load, builds the read model, and releases the commit lock.
  /// - Throws: as ``end(_:)``.
  func end() throws {
    defer { engine.log.unlock() }
    try engine.readModel.writeWithoutTransaction { try end($0) }
  }

  /// Ends the bulk load without building the read model, and releases the commit lock.
  ///
  /// All events are in the log.
  func abandon() {
    engine.readModel.writeWithoutTransaction { abandon($0) }
    engine.log.unlock()
  }

  private func abandon(_ db: Database) {
    engine.bulkLoad = nil
    engine.takeBack(db)
    // Makes the next use read the state again, even if that failed now.
    engine.dataVersion = -1
  }
}
