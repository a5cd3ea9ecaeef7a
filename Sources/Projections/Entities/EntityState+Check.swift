import DaybookEventCore

/// Checks on decoded states. Bytes of a damaged read model may decode all the same, but a sound
/// state refers only to known events and fields.
extension EntityState {
  func makesSense(_ index: EventIndex, fieldCount: Int) -> Bool {
    guard index.isKnown(existence?.ref), index.isKnown(insertion),
      index.isKnown(firstInsertion), index.isKnown(floor),
      fields.allSatisfy({ $0.field < fieldCount && index.isKnown($0.ref) }),
      inexactValues.allSatisfy({ $0.field < fieldCount }),
      index.isKnown(lastEdit), undone?.last.allSatisfy({ index.isKnown($0) }) ?? true,
      texts.allSatisfy({ $0.field < fieldCount && index.isKnown($0.base) }),
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
      && base.map { index.isKnown($0.origin) } ?? true
  }
}

extension EventIndex {
  /// Returns whether the write's event was applied; true for nil.
  func isKnown(_ ref: WriteRef?) -> Bool {
    guard let ref else { return true }
    return isKnown(ref.origin) && ref.sequence > 0 && ref.sequence <= origin(ref.origin).sequence
  }
}
