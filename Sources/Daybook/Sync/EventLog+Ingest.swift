package import EventCore
package import LogEngine
package import Replication

extension EventLog {
  /// Takes ranges from elsewhere, durably. To be called with the commit lock held.
  /// - Parameters:
  ///   - replica: whose log this is.
  ///   - renew: called where its own events come from elsewhere: whoever has written as it must be
  ///     another, so it must not write as that any more.
  ///   - pin: told the authority that a hub's first event names.
  package func ingest(
    _ ranges: [CheckedRange], as replica: ReplicaID, renew: () throws -> Void,
    pin: (_ authority: [UInt8]) throws -> Void
  ) throws {
    for range in ranges {
      // Another process may have stored some of it since it was looked at.
      let missing = range.frames.filter { frame in
        let held = self.ranges[frame.header.origin] ?? SequenceRanges()
        return held.missing(in: frame.header.sequences) == [frame.header.sequences]
      }
      for frame in missing { try append(frame) }
      if missing.count == range.frames.count { try append(range.head) }
      if let certificate = range.claim?.certificate { try pin(certificate.authority) }
    }
    try sync()
    if ranges.contains(where: { $0.head.event.origin == replica }) { try renew() }
  }
}
