import EventCore

/// One write to an entity, without its values, which are in the log.
struct HistoryEntry: Hashable {
  var ref: WriteRef
  /// The kind, a constant of ``OperationKind``, or ``edit``.
  var kind: UInt8
  /// The numbers of the fields that the write names, ascending.
  var fields: [Int]
  /// Of an edit, the write that its author's text began with.
  var base: WriteRef?

  /// The kind of an edit. The kind has three bits here, and in the log it is 10.
  static let edit: UInt8 = 0
  var isEdit: Bool { kind == Self.edit }
}
