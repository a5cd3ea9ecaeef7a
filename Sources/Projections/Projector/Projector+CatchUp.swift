import EventCore

extension Projector {
  /// Applies every event that the log has and the read model has not, within the caller's
  /// transaction, and saves.
  /// - Returns: how many events were applied.
  @discardableResult
  package func catchUp() throws -> Int {
    var applied = 0
    try source.forEachFrame(after: wholeVector) { applied += try apply($0) }
    if applied > 0 { try save() }
    return applied
  }

  /// Catches up in transactions of their own, and sets aside each collection that SQLite refuses to hold.
  /// - Parameter transaction: runs what it is given in a transaction. If that throws, it rolls back, calls
  ///   ``reload()``, and throws it.
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

  /// Applies those events of a frame that the read model has not; to be followed by ``save()``.
  /// - Returns: how many.
  /// - Throws: like ``apply(_:id:)``.
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
