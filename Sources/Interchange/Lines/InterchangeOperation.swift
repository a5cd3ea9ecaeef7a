package import DaybookEventCore
package import DaybookTexts

/// What a line of interchange asks for, with typed values. `put` is not an operation of the log. It
/// becomes an insert or an update, depending on what the store holds.
package enum InterchangeOperation: Sendable, Equatable {
  case operation(Operation)
  case put(collection: String, id: String, fields: [String: Value])
  /// Becomes an edit of the text that the store shows.
  case edit(
    collection: String, id: String, field: String, script: TextScript, isComparison: Bool)

  /// The fields that an insert, update or put writes; nil for other operations.
  package var fields: [String: Value]? {
    switch self {
    case .operation(.insert(_, _, let fields)), .operation(.update(_, _, let fields)),
      .put(_, _, let fields):
      fields
    case .operation, .edit: nil
    }
  }

  /// The size of the operation in an event, in bytes.
  ///
  /// Cost: encodes the operation.
  package var canonicalByteCount: Int {
    let operation: Operation =
      switch self {
      case .operation(let operation): operation
      case .put(let collection, let id, let fields):
        .insert(collection: collection, id: id, fields: fields)
      case .edit(let collection, let id, let field, let script, let isComparison):
        .edit(
          TextEdit(
            collection: collection, id: id, field: field,
            base: EventID(ReplicaID(high: 0, low: 0), 1), baseOperation: 0,
            script: script.encoded, isComparison: isComparison))
      }
    return Body(operations: [operation]).encoded().count
  }
}
