import EventCore

/// One write to an entity, without its values, which are in the log.
struct HistoryEntry: Hashable {
  var ref: WriteRef
  /// The kind, a constant of ``OperationKind``.
  var kind: UInt8
  /// The numbers of the fields that the write names, ascending.
  var fields: [Int]
}
