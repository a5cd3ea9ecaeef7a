import DaybookEngine
public import DaybookProjections

/// The write of a conflict that is to count.
public enum ConflictChoice: Sendable {
  /// The write that the entity shows.
  case shown
  /// The write that the entity does not show; only for a conflict of two.
  case other
  /// This one of the writes.
  case write(Conflict.Write)
}

extension Store {
  /// Settles a conflict, on every replica, by a new event.
  /// - Parameters:
  ///   - conflict: a conflict from ``conflicts(in:id:field:by:)``.
  ///   - choice: the write whose value is to count.
  ///   - actor: who settles it; ``Options/actor`` if nil.
  /// - Throws: ``StoreError`` `staleConflict` if the conflict is settled already, or has other
  ///   writes by now; `invalidQuery` if `other` does not say which of several is meant; what
  ///   ``write(actor:label:annotations:_:)`` throws.
  public func settle(
    _ conflict: Conflict, taking choice: ConflictChoice, actor: String? = nil
  ) async throws {
    let write = try conflict.write(choice)
    try await self.write(actor: actor, label: "settle") { try $0.settle(conflict, taking: write) }
  }
}

extension Conflict {
  fileprivate func write(_ choice: ConflictChoice) throws(StoreError) -> Write {
    let found: [Write]
    switch choice {
    case .write(let write): return write
    case .shown: found = writes.filter(\.wins)
    case .other: found = writes.filter { !$0.wins }
    }
    guard found.count == 1, let write = found.first else {
      throw StoreError(
        .invalidQuery, "the conflict has \(found.count) such writes",
        hint: "Choose one of them: `.write(conflict.writes[0])`")
    }
    return write
  }
}
