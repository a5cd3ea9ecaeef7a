import Daybook
import EventCore
import Synchronization

/// What imports note in their events, and what earlier ones have noted.
enum ImportLog {
  /// SHA-256 of the file's content.
  static let sourceKey = "import.source"
  /// Number of the last line in the event.
  static let lineKey = "import.line"

  /// The same for a file of events, whose own annotations stay: also where those events came from
  /// an import.
  static let eventsSourceKey = "events.source"
  static let eventsLineKey = "events.line"
  /// Which event it was, and when that was authored.
  static let eventsEventKey = "events.event"
  static let eventsAuthoredKey = "events.authored"

  static func annotations(_ source: ImportSource, _ batch: ImportBatch) -> [String: String] {
    guard let event = batch.event else {
      return [sourceKey: source.hash.description, lineKey: "\(batch.lastLine)"]
    }
    var annotations = event.annotations
    annotations[eventsSourceKey] = source.hash.description
    annotations[eventsLineKey] = "\(batch.lastLine)"
    annotations[eventsEventKey] = event.id
    annotations[eventsAuthoredKey] = event.authored
    return annotations
  }

  /// The last line of a source that is in the store; nil where none is.
  ///
  /// Looks from the newest event back, for the newest of each kind: in a sealed log those on local
  /// collections lie apart from the others. Cost: reads the log as far as the last import of that source,
  /// or to its end, as where there are local collections and none of that source's lines was about one.
  static func lastLine(of source: ImportSource, in store: Store) async throws -> Int? {
    let found = FoundLines()
    let kinds = Set(try await store.schema().collections.values.map(\.isLocal) + [false])
    let hash = source.hash.description
    try await store.forEachEvent(EventQuery(isNewestFirst: true)) { logged in
      guard let annotations = logged.event.body?.annotations else { return true }
      let key =
        annotations[sourceKey] == hash
        ? lineKey : annotations[eventsSourceKey] == hash ? eventsLineKey : nil
      guard let key, let line = annotations[key].flatMap({ Int($0) }) else { return true }
      return found.lines.withLock { lines in
        let isLocal = logged.event.id.origin.isPrivate
        if lines[isLocal] == nil { lines[isLocal] = (logged.event.envelope.authored, line) }
        return lines.count < kinds.count
      }
    }
    return found.lines.withLock { $0.values.max { $0.authored < $1.authored }?.line }
  }

  private final class FoundLines: Sendable {
    /// By whether the event is on local collections.
    let lines = Mutex<[Bool: (authored: HybridTime, line: Int)]>([:])
  }
}
