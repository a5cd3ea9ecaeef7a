/// One change within an event.
package enum Operation: Hashable, Sendable {
  case define(Definition)
  /// Ends a collection, or one field of it.
  case drop(collection: String, field: String?)
  case insert(collection: String, id: String, fields: [String: Value])
  case update(collection: String, id: String, fields: [String: Value])
  case delete(collection: String, id: String)
  case restore(collection: String, id: String)
  case erase(collection: String, id: String)
  /// Changes a text field, and leaves what others change in it.
  case edit(TextEdit)
  /// Takes back what events have written to an entity, or lets it count again.
  case undo(Undo)
  case stamp(Stamp)
  case identity(IdentityClaim)
  /// An operation of a later version: kept and forwarded.
  case unknown(kind: UInt64, payload: [UInt8])
}

extension Operation {
  /// The entity that the operation is about; nil if it is about none.
  package var entity: (collection: String, id: String)? {
    switch self {
    case .insert(let collection, let id, _), .update(let collection, let id, _),
      .delete(let collection, let id), .restore(let collection, let id),
      .erase(let collection, let id):
      (collection, id)
    case .edit(let edit): (edit.collection, edit.id)
    case .undo(let undo): (undo.collection, undo.id)
    case .define, .drop, .stamp, .identity, .unknown: nil
    }
  }
}

/// The numbers of the operations' kinds in canonical bytes.
package enum OperationKind {
  package static let define: UInt64 = 1
  package static let drop: UInt64 = 2
  package static let insert: UInt64 = 3
  package static let update: UInt64 = 4
  package static let delete: UInt64 = 5
  package static let restore: UInt64 = 6
  package static let erase: UInt64 = 7
  package static let stamp: UInt64 = 8
  package static let identity: UInt64 = 9
  package static let edit: UInt64 = 10
  package static let undo: UInt64 = 11
  /// An edit whose script was made by comparing two texts.
  package static let comparison: UInt64 = 12

  /// Whether an operation of the kind is an edit of a text.
  package static func isEdit(_ kind: UInt64) -> Bool { kind == edit || kind == comparison }

  /// Whether an undo can name an operation of the kind: an erasure is for ever, and undos name no
  /// undos.
  package static func canBeUndone(_ kind: UInt64) -> Bool { kind != erase && kind != undo }

  /// Whether an operation of the kind is about an entity.
  package static func isAboutEntity(_ kind: UInt64) -> Bool {
    (insert...erase).contains(kind) || isEdit(kind) || kind == undo
  }
}
