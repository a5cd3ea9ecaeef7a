import Daybook
import DaybookEventCore
import DaybookProjections
import DaybookTexts

/// One operation or event of a file, and its place in the file.
package struct FileStep: Sendable {
  enum Content: Sendable {
    /// A line whose values are typed by the schema at that point of the import.
    case line(InterchangeLine)
    case operation(InterchangeOperation)
    /// A whole event, which becomes one event again.
    case event(InterchangeEvent)
  }

  var content: Content
  /// The line on which the step begins. For a table, the number of the row.
  var line: Int
  /// The line with which the step ends, which the import records as done. For tables, the number of
  /// steps so far.
  var lastLine: Int
  /// The table in the file; nil if the file has no tables.
  var table: String?
  /// The line of the file, if ``line`` counts other units.
  var beginsOn: Int?
  /// The approximate bytes of the step in an event.
  var byteCount: Int
  /// The bytes of the file up to the end of the step.
  var offset: UInt64

  func error(_ error: any Error) -> ImportLineError {
    ImportLineError(line: line, table: table, beginsOn: beginsOn, failure: ImportError(error))
  }

  var changesSchema: Bool {
    switch content {
    case .line(let line): line.kind == .define || line.kind == .drop
    case .operation(.operation(.define)), .operation(.operation(.drop)): true
    case .operation, .event: false
    }
  }

  var operationCount: Int {
    guard case .event(let event) = content else { return 1 }
    return event.operations.count + event.undos.count
  }

  /// Returns whether the step is about a local collection; nil if it is about no collection.
  /// - Parameter scopes: Whether each known collection is local. Definitions in the step are added.
  func isLocal(_ scopes: inout [String: Bool]) -> Bool? {
    func isLocal(_ line: InterchangeLine, _ scopes: inout [String: Bool]) -> Bool {
      if let definition = line.definition { scopes[line.collection] = definition.isLocal }
      return scopes[line.collection] ?? false
    }
    switch content {
    case .line(let line): return isLocal(line, &scopes)
    case .event(let event):
      // An event about both kinds is refused elsewhere.
      let found = event.operations.map { isLocal($0, &scopes) }
      return found.first ?? event.undos.first.map { scopes[$0.collection] ?? false }
    case .operation(.put(let collection, _, _)), .operation(.edit(let collection, _, _, _, _)):
      return scopes[collection] ?? false
    case .operation(.operation(let operation)):
      if case .define(let definition) = operation {
        scopes[definition.collection] = definition.isLocal
      }
      return operation.collection.map { scopes[$0] ?? false }
    }
  }

  /// Returns the number of timestamps that are kept only to the millisecond. Rows of tables are not
  /// counted here.
  func finerTimestamps(_ schema: StoreSchema) -> Int {
    switch content {
    case .line(let line): line.finerTimestamps(schema: schema)
    case .event(let event):
      event.operations.reduce(0) { $0 + $1.finerTimestamps(schema: schema) }
    case .operation: 0
    }
  }

  /// - Parameter imported: The events that undos name; nil to leave undos out.
  func apply(
    to transaction: WriteTransaction, schema: StoreSchema, _ imported: ImportedEvents?
  ) throws {
    switch content {
    case .line(let line): try line.operation(schema: schema).apply(to: transaction)
    case .operation(let operation): try operation.apply(to: transaction)
    case .event(let event):
      for line in event.operations {
        try line.operation(schema: transaction.schema).apply(to: transaction)
      }
      guard let imported else { return }
      for undo in event.undos {
        try transaction.setUndone(
          imported.runs(undo.events), undo.isUndone, of: undo.collection, undo.id)
      }
      if !transaction.isEmpty { imported.note(event.id, as: transaction.event) }
    }
  }
}

/// A source of the steps of a file.
package protocol ImportFeed: Sendable {
  /// Returns the next step; nil at the end.
  mutating func next() throws -> FileStep?
}

/// An error at a line of a file, or at a row of a table in it.
struct ImportLineError: Error {
  var line: Int
  var table: String?
  var beginsOn: Int?
  var failure: ImportError
}

extension InterchangeOperation {
  func apply(to transaction: WriteTransaction) throws {
    switch self {
    // A missing id is derived from the collection's key.
    case .put(let collection, "", let fields): try transaction.put(collection, fields)
    case .operation(.insert(let collection, "", let fields)):
      try transaction.insert(collection, fields)
    case .put(let collection, let id, let fields):
      try transaction.put(collection, id, fields)
    case .operation(let operation):
      switch operation {
      case .define(let definition): try transaction.define(definition)
      case .drop(let collection, let field):
        if let field {
          try transaction.drop(field: field, of: collection)
        } else {
          try transaction.drop(collection: collection)
        }
      case .insert(let collection, let id, let fields):
        try transaction.insert(collection, id, fields)
      case .update(let collection, let id, let fields):
        try transaction.update(collection, id, fields)
      case .delete(let collection, let id): try transaction.delete(collection, id)
      case .restore(let collection, let id): try transaction.restore(collection, id)
      case .erase(let collection, let id): try transaction.erase(collection, id)
      case .edit(let edit):
        let script = try edit.script.withUnsafeBytes { try TextScript(decoding: $0) }
        try transaction.edit(
          edit.collection, edit.id, edit.field, by: script,
          isComparison: edit.isComparison)
      case .undo, .stamp, .identity, .unknown: break
      }
    case .edit(let collection, let id, let field, let script, let isComparison):
      try transaction.edit(collection, id, field, by: script, isComparison: isComparison)
    }
  }
}

extension DaybookEventCore.Operation {
  /// The collection of the operation; nil if it has none.
  fileprivate var collection: String? {
    switch self {
    case .define(let definition): definition.collection
    case .drop(let name, _): name
    default: entity?.collection
    }
  }
}
