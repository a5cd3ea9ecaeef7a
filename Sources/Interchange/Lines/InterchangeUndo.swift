package import DaybookEventCore
import DaybookJSON

/// An undo, or a redo, among the operations of a line with an event.
///
/// It names the events of the store from which the line comes. Who imports it has to know under
/// which names these were imported.
package struct InterchangeUndo: Sendable, Equatable {
  package var isUndone: Bool
  package var collection: String
  package var id: String
  package var events: [EventRun]

  /// Reads an operation whose `op` is `undo` or `redo`; nil for another operation.
  /// - Throws: ``InterchangeError`` if a key is missing or holds something else.
  init?(_ operation: JSONValue) throws(InterchangeError) {
    switch operation["op"] {
    case .text("undo"): isUndone = true
    case .text("redo"): isUndone = false
    default: return nil
    }
    guard case .text(let collection)? = operation["collection"],
      case .text(let id)? = operation["id"], case .array(let names)? = operation["events"],
      !names.isEmpty
    else {
      throw InterchangeError(
        .notAnOperation,
        "an undo needs a “collection”, an “id” and “events”, as `evtool export --format events` "
          + "writes them")
    }
    self.collection = collection
    self.id = id
    events = []
    for name in names {
      guard case .text(let text) = name, let run = EventRun(text) else {
        throw InterchangeError(
          .notAnOperation,
          "an undo names events as “ORIGIN:SEQUENCE” or “ORIGIN:FIRST-LAST”, not as \(name.summary)"
        )
      }
      events.append(run)
    }
  }
}

extension EventRun {
  /// Parses `ORIGIN:SEQUENCE` or `ORIGIN:FIRST-LAST`.
  init?(_ text: String) {
    let parts = text.parts(between: "-")
    guard let first = parts.first.flatMap({ EventID(String($0)) }), parts.count <= 2 else {
      return nil
    }
    guard parts.count == 2 else {
      self.init(first.origin, first.sequence...first.sequence)
      return
    }
    guard let last = UInt64(parts[1]), last >= first.sequence, last < UInt64(Int64.max) else {
      return nil
    }
    self.init(first.origin, first.sequence...last)
  }

  /// The form that ``init(_:)`` parses.
  package var name: String {
    let (first, last) = (sequences.lowerBound, sequences.upperBound)
    return "\(origin):\(first)" + (first == last ? "" : "-\(last)")
  }
}
