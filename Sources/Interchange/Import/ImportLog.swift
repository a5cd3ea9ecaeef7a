import Daybook
import DaybookEventCore
import DaybookLocks

/// The annotations that imports add to their events.
enum ImportLog {
  /// The key of the SHA-256 of the file's content.
  static let sourceKey = "import.source"
  /// The key of the number of the event's last line.
  static let lineKey = "import.line"
  /// The key of the ``TableReading`` of a table.
  static let readingKey = "import.reading"

  /// The key of the SHA-256 of a file of events. It differs from ``sourceKey``, as the events keep
  /// their own annotations.
  static let eventsSourceKey = "events.source"
  /// The key of the number of an event's line in a file of events.
  static let eventsLineKey = "events.line"
  /// The key of the original event's identifier.
  static let eventsEventKey = "events.event"
  /// The key of the original event's authored time.
  static let eventsAuthoredKey = "events.authored"

  static func annotations(_ source: ImportSource, _ table: TableReading?, _ batch: ImportBatch)
    -> [String: String]
  {
    guard let event = batch.event else {
      var annotations = [sourceKey: source.hash.description, lineKey: "\(batch.lastLine)"]
      annotations[readingKey] = table?.annotation
      return annotations
    }
    var annotations = event.annotations
    annotations[eventsSourceKey] = source.hash.description
    annotations[eventsLineKey] = "\(batch.lastLine)"
    annotations[eventsEventKey] = event.id
    annotations[eventsAuthoredKey] = event.authored
    return annotations
  }

  /// What the store knows of a source.
  enum Past {
    case none
    /// It was imported up to this line.
    case line(Int)
    /// It was imported into the same collection, but read in another way.
    case otherReading
  }

  /// Returns what the store knows of a source.
  ///
  /// A table counts as imported if it was read in the same way.
  ///
  /// Searches from the newest event back, for the newest event on local collections and the newest
  /// on shared ones: a sealed log stores them apart.
  ///
  /// Cost: reads the log back to the last import of that source, or all of it. All of it is read,
  /// for example, if there are local collections but the source has no line about one.
  static func past(of source: ImportSource, _ table: TableReading?, in store: Store) async throws
    -> Past
  {
    let found = FoundLines()
    let reading = table?.annotation
    let kinds = Set(try await store.schema().collections.values.map(\.isLocal) + [false])
    let hash = source.hash.description
    try await store.forEachEvent(EventQuery(isNewestFirst: true)) { logged in
      guard let body = logged.event.body else { return true }
      let annotations = body.annotations
      let key =
        annotations[sourceKey] == hash
        ? lineKey : annotations[eventsSourceKey] == hash ? eventsLineKey : nil
      guard let key, let line = annotations[key].flatMap({ Int($0) }) else { return true }
      // Events of earlier versions do not say how a table was read.
      if let table, let other = annotations[readingKey], other != reading {
        if TableReading.collection(of: other) == table.collection {
          found.isReadOtherwise.withLock { $0 = true }
        }
        return true
      }
      return found.lines.withLock { lines in
        let isLocal = logged.event.id.origin.isPrivate
        if lines[isLocal] == nil { lines[isLocal] = (logged.event.envelope.authored, line) }
        return lines.count < kinds.count
      }
    }
    let line = found.lines.withLock { $0.values.max { $0.authored < $1.authored }?.line }
    if let line { return .line(line) }
    return found.isReadOtherwise.withLock { $0 } ? .otherReading : .none
  }

  private final class FoundLines: Sendable {
    /// The newest line found, by whether the event is on local collections.
    let lines = Mutex<[Bool: (authored: HybridTime, line: Int)]>([:])
    let isReadOtherwise = Mutex(false)
  }
}
