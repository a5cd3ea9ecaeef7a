import DaybookEventCore

/// Which write counts: the rules that all folds of an entity follow.
///
/// A local or received write is compared with the winners (`Projector.compare`). The whole history
/// is folded in the total order after an undo or a late stamp (`Projector.refold`) and for a state
/// of the past (`ReadModelView.entity`). A rebuild does so with operations as they are packed
/// (`RebuildEntityFold`).
extension EntityState {
  /// Takes all writes of an entity that count, in the total order.
  /// - Parameters:
  ///   - entries: the writes.
  ///   - isUndone: returns whether the event of a write was undone.
  mutating func fold(_ entries: [HistoryEntry], isUndone: (WriteRef) -> Bool) {
    var winners: [Int: WriteRef] = [:]
    fold(
      entries.count, write: { (entries[$0].operationKind, entries[$0].ref) },
      isUndone: { isUndone(entries[$0].ref) },
      assign: { place in
        for field in entries[place].fields { winners[field] = entries[place].ref }
      })
    for (field, ref) in winners.sorted(by: { $0.key < $1.key }) { self[field: field] = ref }
  }

  /// Takes all writes of an entity that count, in the total order.
  ///
  /// Writes before the last erasure do not count, nor do undone writes. An edit or undo counts for
  /// the text only.
  /// - Parameters:
  ///   - count: the number of writes.
  ///   - write: returns the kind of the write at a place, and the write.
  ///   - isUndone: returns whether the event of the write at a place was undone. It is asked only
  ///     of what can be undone.
  ///   - assign: is told the places of the writes that assign the fields which they name.
  @inline(__always)
  mutating func fold(
    _ count: Int, write: (Int) -> (kind: UInt64, ref: WriteRef), isUndone: (Int) -> Bool,
    assign: (Int) -> Void
  ) {
    let highest = (0..<count).last { write($0).kind == OperationKind.erase }
    floor = highest.map { write($0).ref }
    for place in 0..<count {
      let (kind, ref) = write(place)
      if OperationKind.canBeUndone(kind), isUndone(place) { continue }
      if !Self.assigns(kind) { lastEdit = ref }
      // The highest erasure and what is below it count no longer.
      guard place > highest ?? -1 else { continue }
      take(kind, ref) { _ in true }
      if Self.assigns(kind) { assign(place) }
    }
  }

  /// Takes a write above the floor into the registers that are no fields: whether the entity is
  /// there, and which insert it has.
  /// - Parameters:
  ///   - kind: the kind of the write.
  ///   - ref: the write.
  ///   - isAbove: returns whether the write ranks above another one. A fold in the total order says
  ///     yes.
  @inline(__always)
  mutating func take(
    _ kind: UInt64, _ ref: WriteRef, isAbove: (WriteRef) throws -> Bool
  ) rethrows {
    switch kind {
    case OperationKind.insert:
      if try existence.map({ try isAbove($0.ref) }) ?? true { existence = (UInt8(kind), ref) }
      if try insertion.map(isAbove) ?? true { insertion = ref }
      // The lowest of them.
      if try firstInsertion.map({ try !isAbove($0) }) ?? true { firstInsertion = ref }
    case OperationKind.delete, OperationKind.restore:
      if try existence.map({ try isAbove($0.ref) }) ?? true { existence = (UInt8(kind), ref) }
    default: break
    }
  }

  /// Returns whether the fields that a write names are assigned by it, and not edited or undone.
  @inline(__always)
  static func assigns(_ kind: UInt64) -> Bool {
    !OperationKind.isEdit(kind) && kind != OperationKind.undo
  }
}
