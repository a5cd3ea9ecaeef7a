import DaybookEventCore
import DaybookJSON

/// One event as one line, as `evtool export --format events` and `evtool log --json` write it. It
/// is read back to be written again as a new event.
///
/// The times, stamps and hubs in the line belong to the original event. The new event gets its own.
package struct InterchangeEvent: Sendable {
  /// The id of the original event, as `ORIGIN:SEQUENCE`; nil if the line does not state it.
  package var id: String?
  package var authored: String?
  package var actor: String
  package var label: String
  package var annotations: [String: String]
  /// The operations, without identity claims and stamps, which authors do not write themselves.
  package var operations: [InterchangeLine] = []
  /// The undos and redos. An event that has any has no other operations.
  package var undos: [InterchangeUndo] = []
  package var byteCount: Int

  /// Parses one line.
  /// - Parameter bytes: the line, with or without its line ending.
  /// - Throws: ``InterchangeError`` if the line is not an event, or its operations cannot be read.
  package init(parsing bytes: UnsafeRawBufferPointer) throws(InterchangeError) {
    let event: JSONValue
    do throws(JSONError) { event = try JSONParser.parse(bytes) } catch {
      throw InterchangeError(error)
    }
    guard case .object = event, let operations = event["operations"] else {
      throw InterchangeError(
        .notAnOperation,
        "this is no event; an event is an object with “operations”, as `evtool export --format "
          + "events` writes it")
    }
    if case .text(let origin)? = event["origin"], case .integer(let sequence)? = event["sequence"] {
      id = "\(origin):\(sequence)"
    }
    if case .text(let time)? = event["authored"] { authored = time }
    actor = try Self.text(event, "actor")
    label = try Self.text(event, "label")
    annotations = try Self.annotations(event)
    byteCount = bytes.count
    guard case .array(let list) = operations else {
      throw InterchangeError(
        .notAnOperation,
        "the event's operations cannot be read (it was sealed, erased, or of a later version); "
          + "take the line out to import the others")
    }
    for operation in list where !Self.isSystem(operation) {
      do throws(InterchangeError) {
        if let undo = try InterchangeUndo(operation) {
          undos.append(undo)
          continue
        }
        self.operations.append(try InterchangeLine(parsing: JSONWriter.canonical(operation)))
      } catch {
        // The error's column refers to the operation alone, so it is dropped.
        throw InterchangeError(
          error.code, "operation \(self.operations.count + undos.count + 1): \(error.message)")
      }
    }
  }

  private static func isSystem(_ operation: JSONValue) -> Bool {
    operation["op"] == .text("identity") || operation["op"] == .text("stamp")
  }

  private static func text(_ event: JSONValue, _ key: String) throws(InterchangeError) -> String {
    switch event[key] {
    case .text(let text)?: return text
    case nil, .null?: return ""
    case let other?:
      throw InterchangeError(
        .notAnOperation, "“\(key)” of an event must be a text, and it is \(other.summary)")
    }
  }

  private static func annotations(_ event: JSONValue) throws(InterchangeError) -> [String: String] {
    guard let value = event["annotations"] else { return [:] }
    guard case .object(let members) = value else {
      throw InterchangeError(
        .notAnOperation, "“annotations” must be an object, and it is \(value.summary)")
    }
    var annotations: [String: String] = [:]
    for (key, value) in members {
      guard case .text(let text) = value, Body.isName(key.utf8) else {
        throw InterchangeError(
          .notAnOperation,
          "the annotation \(key.quotedForMessage) is no text under a name of printable ASCII")
      }
      annotations[key] = text
    }
    return annotations
  }
}
