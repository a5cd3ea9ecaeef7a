import Foundation
import GRDB
import Projections

/// What the internal tables say, kept for each of the read model's connections between two reads:
/// definitions and origins are read again only when somebody has written.
final class ViewCache: @unchecked Sendable {
  /// Not in use: whoever reads takes it out and puts it back.
  private struct Entry {
    weak var database: Database?
    var view: ReadModelView
    /// SQLite's count of what other connections have written.
    var version: Int64
  }

  private let source: any EventSource
  private let lock = NSLock()
  private var entries: [Entry] = []
  private var isClosed = false

  init(source: any EventSource) { self.source = source }

  /// Runs `body` on the view of the snapshot that `db` has.
  func withView<T>(_ db: Database, _ body: (ReadModelView) throws -> T) throws -> T {
    let entry = try take(db)
    let result: T
    do { result = try body(entry.view) } catch {
      entry.view.close()
      throw error
    }
    put(entry)
    return result
  }

  private func take(_ db: Database) throws -> Entry {
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

  private func put(_ entry: Entry) {
    // A statement that still stood on a row would hold this snapshot for ever.
    entry.view.resetStatements()
    lock.withLock {
      // Connections that are gone take their views along.
      entries.removeAll { $0.database == nil }
      if isClosed { entry.view.close() } else { entries.append(entry) }
    }
  }

  /// Lets go of everything, so that the connections can be closed.
  func close() {
    lock.withLock {
      isClosed = true
      for entry in entries { entry.view.close() }
      entries = []
    }
  }
}
