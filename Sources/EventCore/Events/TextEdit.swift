/// An edit of a text field: a script for the text that its author saw.
///
/// That text is the *base*, an assignment, with all edits of that base that the author had seen.
/// Whether the script fits is judged when edits are merged, because only the merge knows the text.
package struct TextEdit: Hashable, Sendable {
  package var collection: String
  package var id: String
  package var field: String
  /// The event of the insert or update that the author's text began with.
  package var base: EventID
  /// The index of that operation in its event.
  package var baseOperation: UInt32
  /// The encoded script; see `TextScript`.
  package var script: [UInt8]
  /// Whether the script was made by comparing two texts, and not by typing. What such edits insert
  /// alike is in the merged text once. In the log it is the operation's kind.
  package var isComparison: Bool

  package init(
    collection: String, id: String, field: String, base: EventID, baseOperation: UInt32,
    script: [UInt8], isComparison: Bool = false
  ) {
    self.collection = collection
    self.id = id
    self.field = field
    self.base = base
    self.baseOperation = baseOperation
    self.script = script
    self.isComparison = isComparison
  }
}

/// The part of an edit that follows its id, read in place.
package struct TextEditView {
  /// The number of the field's name.
  package let field: Int
  package let base: EventID
  package let baseOperation: UInt32
  package let script: UnsafeRawBufferPointer
  /// Whether the script was made by comparing two texts.
  package let isComparison: Bool

  init(from reader: inout ByteReader, nameCount: Int, kind: UInt64) throws(EventError) {
    field = try reader.index()
    guard field < nameCount else {
      throw EventError(.malformed, "an edit names number \(field) of \(nameCount)")
    }
    base = EventID(try reader.replicaID(), try reader.varint())
    guard base.sequence > 0, let operation = UInt32(exactly: try reader.varint()) else {
      throw EventError(.malformed, "an edit of no operation", offset: reader.offset)
    }
    baseOperation = operation
    script = try reader.counted()
    isComparison = kind == OperationKind.comparison
  }
}
