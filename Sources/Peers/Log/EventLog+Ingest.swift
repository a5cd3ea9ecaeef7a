package import DaybookEventCore
package import DaybookFrames
package import DaybookLogEngine
package import DaybookReplication

extension EventLog {
  /// Appends ranges from another replica and makes them durable.
  ///
  /// The caller must hold the commit lock. Ranges whose origin has changed in the log since they
  /// were judged are skipped.
  /// - Parameters:
  ///   - ranges: ranges that passed `RangeCheck`.
  ///   - replica: the replica that owns this log.
  ///   - renew: called if the ranges contain events of `replica` itself. Another copy of this store
  ///     has written them, so the store must not write as that replica any more. The call comes
  ///     before the events are durable, so that a crash cannot leave them with the old identity.
  ///   - pin: called with the authority that a hub's first event names.
  ///   - meanwhile: called with the appended frames while they are on their way to the disk. They
  ///     are not durable yet.
  /// - Throws: `LogError`, and what `renew` and `pin` throw.
  package func ingest(
    _ ranges: [CheckedRange], as replica: ReplicaID, renew: () throws -> Void,
    pin: (_ authority: [UInt8]) throws -> Void, meanwhile: ([Frame]) -> Void = { _ in }
  ) throws {
    let current = current(ranges)
    if current.contains(where: { $0.head.event.origin == replica && !$0.frames.isEmpty }) {
      try renew()
    }
    for range in current {
      try append(range)
      if let certificate = range.claim?.certificate { try pin(certificate.authority) }
    }
    try beginSync()
    meanwhile(current.flatMap(\.frames))
    try sync()
  }

  /// Returns the ranges whose judgement still applies to the log. Another thread or process may
  /// have stored events of the same origin since, even on another branch. The peer sends the
  /// omitted ranges again.
  package func current(_ ranges: [CheckedRange]) -> [CheckedRange] {
    let held = self.ranges
    return ranges.filter { (held[$0.head.event.origin] ?? SequenceRanges()) == $0.held }
  }

  /// Appends a range, its head first. After a crash, frames without their head could not be offered
  /// to any replica. With the head before them, recovery sees whether some of them are missing, and
  /// cuts off the others.
  package func append(_ range: CheckedRange) throws(LogError) {
    try append(range.head, again: !range.frames.isEmpty)
    for frame in range.frames { try append(frame) }
  }
}
