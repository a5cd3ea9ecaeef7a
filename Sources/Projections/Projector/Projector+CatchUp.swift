import DaybookEventCore

extension Projector {
  /// Applies every event of the log that the read model lacks, within the
  /// caller's transaction, and saves.
  /// - Returns: the number of events applied.
  @discardableResult
  package func catchUp() throws -> Int {
    var applied = 0
    try source.forEachFrame(after: wholeVector) { applied += try apply($0) }
    if applied > 0 { try save() }
    return applied
  }

  /// Catches up in separate transactions, and sets aside each collection whose rows SQLite refuses.
  /// - Parameter transaction: runs its argument in a transaction. If that throws, it rolls back,
  ///   calls ``reload()``, and rethrows the error.
  /// - Throws: what `transaction` throws, except for refusals by SQLite that name a collection.
  package func catchUp(in transaction: (() throws -> Void) throws -> Void) throws {
    while true {
      do { return try transaction { _ = try self.catchUp() } } catch {
        guard let refusal = error as? ProjectionError, refusal.collection != nil else {
          throw error
        }
        try transaction { try self.setAside(after: refusal) }
      }
    }
  }

  /// Applies those events of a frame that the read model lacks. ``save()`` must follow.
  /// - Returns: the number of events applied.
  /// - Throws: what ``apply(_:id:)`` throws.
  @discardableResult
  package func apply(_ frame: FrameView) throws -> Int {
    var applied = 0
    try frame.forEachEvent { id, event in
      guard !vector(contains: id) else { return }
      try apply(event, id: id)
      applied += 1
    }
    setChain(of: frame.origin, frame.chain)
    return applied
  }

  private func vector(contains id: EventID) -> Bool {
    index.knownNumber(of: id.origin).map { index.origin($0).sequence >= id.sequence } ?? false
  }
}
