import Daybook
import EventCore
import Synchronization

/// What imports note in their events, and what earlier ones have noted.
enum ImportLog {
  /// SHA-256 of the file's content.
  static let sourceKey = "import.source"
  /// Number of the last line in the event.
  static let lineKey = "import.line"

  static func annotations(_ source: ImportSource, _ batch: ImportBatch) -> [String: String] {
    [sourceKey: source.hash.description, lineKey: "\(batch.lastLine)"]
  }

  /// The last line of a source that is in the store; nil where none is. Looks from the newest event
  /// back. Cost: reads the log as far as the last import of that source, or to its end.
  static func lastLine(of source: ImportSource, in store: Store) async throws -> Int? {
    let found = FoundLine()
    let hash = source.hash.description
    try await store.forEachEvent(EventQuery(isNewestFirst: true)) { logged in
      guard let annotations = logged.event.body?.annotations, annotations[sourceKey] == hash,
        let line = annotations[lineKey].flatMap({ Int($0) })
      else { return true }
      found.line.withLock { $0 = line }
      return false
    }
    return found.line.withLock { $0 }
  }

  private final class FoundLine: Sendable {
    let line = Mutex<Int?>(nil)
  }
}
