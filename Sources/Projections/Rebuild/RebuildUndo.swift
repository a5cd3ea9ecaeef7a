import DaybookEventCore

/// The packing of an undo in a partition: which events it names, as the value of one field.
enum RebuildUndo {
  static func packed(_ undo: UndoView) -> [UInt8] {
    var writer = ByteWriter(capacity: 64)
    UndoView.encode(
      isUndone: undo.isUndone, turn: undo.turn, events: undo.events, to: &writer)
    return Value.blob(writer.bytes).canonicalBytes
  }

  /// - Parameter operation: an undo to which the value that ``packed(_:)`` has made was added.
  static func unpack(_ operation: RebuildOperation, author: ReplicaID) throws(EventError)
    -> UndoHistory.Entry
  {
    var fields = ByteReader(operation.fields)
    _ = try fields.index()
    guard case .blob(let bytes) = try ValueView(checked: &fields) else {
      throw EventError(.malformed, "an undo in a partition that is no blob")
    }
    var reader = ByteReader(bytes)
    let undo = try UndoView(from: &reader)
    return UndoHistory.Entry(
      ref: operation.ref, author: author, authored: operation.authored, isUndone: undo.isUndone,
      turn: undo.turn, events: undo.events)
  }
}
