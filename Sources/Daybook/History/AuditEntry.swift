public import DaybookEventCore
import DaybookJSON
public import DaybookProjections
import DaybookTexts

extension Store {
  /// One write in an audit of a store: who wrote what to which field, and when.
  public struct AuditEntry: Hashable, Sendable {
    /// What was written.
    public enum Kind: String, CaseIterable, Sendable {
      /// An entity was written to.
      case insert, update, delete, restore, erase, edit
      /// Events stop to count for an entity, or count again.
      case undo, redo
      /// A collection was defined, or more of it.
      case define
      /// A field or a collection was taken out of use.
      case drop
    }

    /// The event that the write is part of.
    public var event: EventID
    /// The times of the event.
    public var times: Store.EventTimes
    /// The actor who wrote; empty if the event names none.
    public var actor: String
    /// The purpose of the write, in its author's words.
    public var label: String
    /// What was written.
    public var kind: Kind
    /// The name of the collection.
    public var collection: String
    /// The id of the entity; nil for a write to a definition.
    public var id: String?
    /// The current name of the field; nil for a write that concerns no single field.
    public var field: String?
    /// The value that was written; nil for a write that concerns no single field.
    public var value: Value?
    /// The number of the entry among those of its event, from 0.
    var number = 0
  }
}

/// Audits as files: a line for each write.
extension Store.AuditEntry {
  /// The names of the columns in CSV and of the keys in JSON.
  private static let columns = [
    "time", "stamped", "actor", "kind", "collection", "id", "field", "value", "label", "event",
  ]

  /// The first line of a CSV file (RFC 4180): the names of the columns, without an end of line.
  public static let csvHeader = columns.joined(separator: ",")

  /// The entry as a line of a CSV file (RFC 4180), without an end of line.
  ///
  /// Times are ISO 8601. A blob is base64. A cell that a
  /// spreadsheet could take for a formula begins with an apostrophe.
  public var csv: String {
    let cells = [
      Self.time(times.authored), times.stamped.map(Self.time) ?? "", actor, kind.rawValue,
      collection, id ?? "", field ?? "", value.map(Self.cell) ?? "", label, event.description,
    ]
    return cells.map(Self.quoted).joined(separator: ",")
  }

  /// The entry as a JSON object in one line, without an end of line.
  ///
  /// Times are ISO 8601, a blob is base64, and keys without a value are left out.
  public var json: String {
    var writer = JSONWriter()
    writer.object { writer in
      func member(_ key: String, _ text: String?) {
        guard let text else { return }
        writer.key(key)
        writer.text(text)
      }
      member("time", Self.time(times.authored))
      member("stamped", times.stamped.map(Self.time))
      member("actor", actor)
      member("kind", kind.rawValue)
      member("collection", collection)
      member("id", id)
      member("field", field)
      if let value {
        writer.key("value")
        writer.value(value)
      }
      member("label", label.isEmpty ? nil : label)
      member("event", event.description)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static func time(_ time: HybridTime) -> String {
    ISO8601.text(time.milliseconds) ?? String(time.milliseconds)
  }

  private static func cell(_ value: Value) -> String {
    switch value {
    case .null: return ""
    case .text(let text): return text
    case .timestamp(let milliseconds): return ISO8601.text(milliseconds) ?? String(milliseconds)
    case .blob(let bytes): return Base64.encode(bytes)
    case .boolean, .integer, .real, .json:
      var writer = JSONWriter()
      writer.value(value)
      return String(decoding: writer.bytes, as: UTF8.self)
    }
  }

  private static func quoted(_ cell: String) -> String {
    var cell = cell
    if let first = cell.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first),
      Double(cell) == nil
    {
      cell = "'" + cell
    }
    guard cell.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return cell }
    return "\"" + cell.replacing("\"", by: "\"\"") + "\""
  }
}

extension LoggedEvent {
  /// Returns what the event wrote: its operations in their order, each with its fields by name.
  ///
  /// Stamps and identities are no writes, and the body of a sealed event cannot be read.
  /// - Parameter schema: the schema that knows the current names of fields.
  func auditEntries(_ schema: StoreSchema) -> [Store.AuditEntry] {
    var entries: [Store.AuditEntry] = []
    func add(
      _ kind: Store.AuditEntry.Kind, _ collection: String, _ id: String? = nil,
      _ field: String? = nil,
      _ value: Value? = nil
    ) {
      let name = field.map { schema[collection]?[field: $0]?.name ?? $0 }
      entries.append(
        Store.AuditEntry(
          event: self.id, times: times, actor: actor, label: label, kind: kind,
          collection: collection, id: id, field: name, value: value, number: entries.count))
    }
    func add(
      _ kind: Store.AuditEntry.Kind, _ collection: String, _ id: String, _ fields: [String: Value]
    ) {
      if fields.isEmpty { add(kind, collection, id) }
      for name in fields.keys.sorted(by: utf8Less) { add(kind, collection, id, name, fields[name]) }
    }
    for operation in event.body?.operations ?? [] {
      switch operation {
      case .define(let definition):
        if definition.fields.isEmpty { add(.define, definition.collection) }
        for field in definition.fields { add(.define, definition.collection, nil, field.name) }
      case .drop(let collection, let field): add(.drop, collection, nil, field)
      case .insert(let collection, let id, let fields): add(.insert, collection, id, fields)
      case .update(let collection, let id, let fields): add(.update, collection, id, fields)
      case .delete(let collection, let id): add(.delete, collection, id)
      case .restore(let collection, let id): add(.restore, collection, id)
      case .erase(let collection, let id): add(.erase, collection, id)
      case .edit(let edit):
        let script = edit.script.withUnsafeBytes { try? TextScript(decoding: $0) }
        add(.edit, edit.collection, edit.id, edit.field, script.map { .text($0.description) })
      case .undo(let undo): add(undo.isUndone ? .undo : .redo, undo.collection, undo.id)
      case .stamp, .identity, .unknown: break
      }
    }
    return entries
  }
}
