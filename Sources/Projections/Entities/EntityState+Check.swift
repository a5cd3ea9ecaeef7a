import EventCore

/// What a damaged read model may get wrong in bytes that can be decoded all the same: a state must
/// name nothing that is not there.
extension EntityState {
  func makesSense(_ index: EventIndex, fieldCount: Int) -> Bool {
    guard index.isKnown(existence?.ref), index.isKnown(insertion),
      index.isKnown(firstInsertion), index.isKnown(floor),
      fields.allSatisfy({ $0.field < fieldCount && index.isKnown($0.ref) }),
      strays.allSatisfy({ $0.field < fieldCount }),
      recent.allSatisfy({ $0.makesSense(index, fieldCount: fieldCount) })
    else { return false }
    return lastWrites?.registers.allSatisfy { register, entries in
      (LastWrites.absence..<fieldCount).contains(register)
        && entries.allSatisfy { index.isKnown($0.ref) }
    } ?? true
  }
}

extension HistoryEntry {
  func makesSense(_ index: EventIndex, fieldCount: Int) -> Bool {
    index.isKnown(ref) && fields.last ?? -1 < fieldCount
  }
}

extension EventIndex {
  /// Whether the write's event was applied; true for no write.
  func isKnown(_ ref: WriteRef?) -> Bool {
    guard let ref else { return true }
    return isKnown(ref.origin) && ref.sequence > 0 && ref.sequence <= origin(ref.origin).sequence
  }
}
