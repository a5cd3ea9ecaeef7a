import DaybookEventCore

/// Which write counts: the rules that all folds of an entity follow.
///
/// A local or received write is compared with the winners (`Projector.compare`). The whole history
/// is folded in the total order after an undo or a late stamp (`Projector.refold`) and for a state
/// of the past (`ReadModelView.entity`). A rebuild does so with operations as they are packed
/// (`RebuildEntityFold`).
extension EntityState {
  /// Takes all writes of an entity that count, in the total order.
  mutating func fold(_ entries: [HistoryEntry]) {
    let highest = Self.floor(entries.count) { UInt64(entries[$0].kind) }
    floor = highest.map { entries[$0].ref }
    for entry in entries[(highest.map { $0 + 1 } ?? 0)...] {
      take(UInt64(entry.kind), entry.ref) { _ in true }
      guard !entry.isEdit, !entry.isUndo else { continue }
      for field in entry.fields { self[field: field] = entry.ref }
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

  /// Returns the place of the highest erase among writes in the total order. It and what is below
  /// it no longer count.
  /// - Parameters:
  ///   - count: the number of writes.
  ///   - kind: returns the kind of the write at a place.
  static func floor(_ count: Int, kind: (Int) -> UInt64) -> Int? {
    (0..<count).last { kind($0) == OperationKind.erase }
  }
}
