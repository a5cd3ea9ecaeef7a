package import DaybookProjections
package import GRDB

/// One snapshot of the read model, for one read.
///
/// It must not be used after the closure that received it has returned.
package final class Snapshot {
  /// The connection, for reading only.
  package let database: Database
  private let views: ViewCache
  private var lent: ViewCache.Entry?

  private init(_ database: Database, _ views: ViewCache) {
    self.database = database
    self.views = views
  }

  /// Runs a read on a snapshot that `database` has.
  static func reading<T>(
    _ database: Database, _ views: ViewCache, _ body: (Snapshot) throws -> T
  ) throws -> T {
    let snapshot = Snapshot(database, views)
    let value: T
    do { value = try body(snapshot) } catch {
      snapshot.lent?.view.close()
      throw error
    }
    if let lent = snapshot.lent { views.put(lent) }
    return value
  }

  /// The definitions, and the internal tables with the entities, their histories and the origins.
  ///
  /// Cost: one small read the first time, and those of the definitions if they have changed.
  package var view: ReadModelView {
    get throws {
      if let lent { return lent.view }
      let entry = try views.take(database)
      lent = entry
      return entry.view
    }
  }
}
