import EventCore

extension Projector {
  /// Applies every event that the log has and the read model has not, within the caller's
  /// transaction, and saves.
  /// - Parameter progress: called with the number of events applied so far.
  /// - Returns: how many events were applied.
  @discardableResult
  package func catchUp(progress: (Int) -> Void = { _ in }) throws -> Int {
    var applied = 0
    try source.forEachFrame(after: wholeVector) { frame in
      applied += try apply(frame)
      progress(applied)
    }
    if applied > 0 { try save() }
    return applied
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
