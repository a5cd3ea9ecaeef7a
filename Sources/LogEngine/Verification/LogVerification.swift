/// The result of reading and checking every byte of a log.
package struct LogVerification: Hashable, Sendable {
  package var segments = 0
  package var records = 0
  package var events: UInt64 = 0
  /// Bytes of segments that were read and accounted for; equal to ``bytesTotal`` in a sound log.
  package var bytesCovered: UInt64 = 0
  package var bytesTotal: UInt64 = 0
  /// Events whose chain could not be checked, because the event before them is missing.
  package var eventsUnchained: UInt64 = 0
  /// The damage, in the order of the log; empty if the log is sound.
  package var findings: [LogFinding] = []
  /// Remarks that are no damage.
  package var notes: [String] = []

  package var isSound: Bool { findings.isEmpty }

  package init() {}
}
