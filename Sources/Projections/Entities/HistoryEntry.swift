import DaybookEventCore

/// One write to an entity, without its values, which are in the log.
struct HistoryEntry: Hashable {
  var ref: WriteRef
  /// The kind, a constant of ``OperationKind``, ``edit``, or ``undo``.
  var kind: UInt8
  /// The numbers of the fields that the write names, ascending.
  var fields: [Int]
  /// Of an edit, the write that its author's text began with.
  var base: WriteRef?

  /// The kind of an edit. The kind has three bits here, and in the log it is 10.
  static let edit: UInt8 = 0
  var isEdit: Bool { kind == Self.edit }

  /// The kind of an undo; in the log it is 11.
  static let undo: UInt8 = 1
  var isUndo: Bool { kind == Self.undo }

  /// The kind that the operation has in the log; that of an edit if it is a comparison.
  var operationKind: UInt64 {
    isEdit ? OperationKind.edit : isUndo ? OperationKind.undo : UInt64(kind)
  }

  /// Whether an undo can name the write.
  var canBeUndone: Bool { OperationKind.canBeUndone(operationKind) }
}
