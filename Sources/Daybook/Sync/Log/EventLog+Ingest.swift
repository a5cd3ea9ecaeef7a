package import EventCore
package import LogEngine
package import Replication

extension EventLog {
  /// Takes ranges from elsewhere, durably. To be called with the commit lock held.
  /// - Parameters:
  ///   - replica: whose log this is.
  ///   - renew: called where its own events come from elsewhere: whoever has written them is another now,
  ///     so it must not write as that any more. Before they are durable: a crash must not leave them
  ///     with one who would go on.
  ///   - pin: told the authority that a hub's first event names.
  ///   - meanwhile: called with what was appended, while it is on its way to the disk. Nothing of it is
  ///     durable yet.
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

  /// Those that were judged on what the log still holds. Another may have stored some of an origin's
  /// events since, on another branch even; what is left out is sent again.
  func current(_ ranges: [CheckedRange]) -> [CheckedRange] {
    let held = self.ranges
    return ranges.filter { (held[$0.head.event.origin] ?? SequenceRanges()) == $0.held }
  }

  /// The head first: frames that a crash leaves without it could be offered to nobody.
  func append(_ range: CheckedRange) throws(LogError) {
    try append(range.head)
    for frame in range.frames { try append(frame) }
  }
}
