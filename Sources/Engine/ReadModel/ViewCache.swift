import DaybookProjections
import Foundation
import GRDB

/// The read model's internal tables, as each connection last read them.
///
/// Definitions and origins are read again only if another connection has written since.
final class ViewCache: @unchecked Sendable {
  /// A view that is not in use.
  ///
  /// A read takes it out of the cache, and puts it back.
  struct Entry {
    weak var database: Database?
    var view: ReadModelView
    /// SQLite's data version of the connection, which changes when another connection commits.
    var version: Int64
  }

  private let source: any EventSource
  private let lock = NSLock()
  private var entries: [Entry] = []
  private var isClosed = false

  init(source: any EventSource) { self.source = source }

  /// Takes the view of the snapshot that `db` has.
  func take(_ db: Database) throws -> Entry {
    let known = lock.withLock {
      entries.firstIndex { $0.database === db }.map { entries.remove(at: $0) }
    }
    guard var entry = known else {
      let view = try ReadModelView(db, source: source)
      return Entry(database: db, view: view, version: try view.dataVersion())
    }
    do {
      let version = try entry.view.dataVersion()
      if version != entry.version {
        try entry.view.reload()
        entry.version = version
      }
      return entry
    } catch {
      entry.view.close()
      throw error
    }
  }

  /// Puts a view back for the next read.
  func put(_ entry: Entry) {
    // A statement that is still on a row would hold this snapshot for ever.
    entry.view.resetStatements()
    lock.withLock {
      // Views of connections that are gone go with them.
      entries.removeAll { $0.database == nil }
      if isClosed { entry.view.close() } else { entries.append(entry) }
    }
  }

  /// Closes all views, so that the connections can be closed.
  func close() {
    lock.withLock {
      isClosed = true
      for entry in entries { entry.view.close() }
      entries = []
    }
  }
}
