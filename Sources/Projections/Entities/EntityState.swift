import DaybookEventCore

/// The state that the read model keeps of an entity besides its row: which writes its
/// registers show (*provenance*), all writes ever made to it (*history*), and values that
/// the row cannot hold.
package struct EntityState {
  /// The highest insert, delete or restore above the floor.
  var existence: (kind: UInt8, ref: WriteRef)?
  /// The highest insert above the floor: without one, a restore restores nothing.
  var insertion: WriteRef?
  /// The lowest insert above the floor: it ranks the entity among those with the same unique value.
  var firstInsertion: WriteRef?
  /// The highest erase: writes below it no longer count.
  var floor: WriteRef?
  /// The write that each field shows, ascending by field number.
  var fields: [FieldWinner] = []
  /// Each origin's last write to each register. Nil while only one origin has written the entity,
  /// since there can be no conflict then.
  var lastWrites: LastWrites?
  /// The texts that were ever edited, ascending by field number.
  var texts: [TextState] = []
  /// The highest edit of any text, or undo.
  var lastEdit: WriteRef?
  /// What follows from the undos of the entity's events; nil if there are none.
  var undone: UndoneEvents?
  /// The canonical values of registers that the row does not hold exactly: all of them if there is
  /// no row, otherwise misfits and undeclared fields.
  var inexactValues: [InexactValue] = []
  /// The latest writes; older ones are in chunks.
  var recent: [HistoryEntry] = []
  var chunkCount = 0

  struct FieldWinner: Hashable {
    var field: Int
    var ref: WriteRef
  }

  /// A text field that has edits.
  struct TextState: Hashable {
    var field: Int
    /// The write that the text begins with: the one that the field shows, or if it shows none, the
    /// first insert. Nil if there is neither.
    var base: WriteRef?
    /// The number of edits of the base that the text has.
    var merged: Int
  }

  /// A value that the row does not hold.
  struct InexactValue: Hashable {
    var field: Int
    /// The canonical bytes; nil for a large value, which has a row of its own in `_daybook_values`.
    var value: [UInt8]?
  }

  /// The size in canonical bytes from which a inexact value has a row of its own. A state is one
  /// SQLite value that holds all smaller ones and is rewritten with each write.
  static let largeValueBytes = 1 << 10

  /// The number of writes kept in the state before they are moved to a chunk.
  static let recentMax = 64

  var isLive: Bool {
    guard let existence else { return false }
    return UInt64(existence.kind) == OperationKind.insert
      || (UInt64(existence.kind) == OperationKind.restore && insertion != nil)
  }

  /// The write that a field shows; nil if the field was never written. Cost: a binary search.
  subscript(field number: Int) -> WriteRef? {
    get {
      let index = place(of: number)
      return index < fields.count && fields[index].field == number ? fields[index].ref : nil
    }
    set {
      let index = place(of: number)
      let exists = index < fields.count && fields[index].field == number
      if let newValue {
        let winner = FieldWinner(field: number, ref: newValue)
        if exists { fields[index] = winner } else { fields.insert(winner, at: index) }
      } else if exists {
        fields.remove(at: index)
      }
    }
  }

  /// The write that a text field begins with; nil if the entity has no text there.
  func textBase(_ field: Int) -> WriteRef? { self[field: field] ?? firstInsertion }

  /// The fields that show a merged text without any write to them but edits.
  var unassignedTexts: [TextState] {
    texts.filter { $0.merged > 0 && self[field: $0.field] == nil }
  }

  /// Returns the index of the first winner whose field number is not lower.
  private func place(of number: Int) -> Int {
    // Fields mostly come in ascending order, so a new one goes to the end.
    guard let last = fields.last, last.field >= number else { return fields.count }
    var (low, high) = (0, fields.count)
    while low < high {
      let middle = (low + high) / 2
      if fields[middle].field < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The only origin that has written the entity; nil once there are several.
  var soleOrigin: Int? { lastWrites == nil ? recent.last?.ref.origin : nil }
}
