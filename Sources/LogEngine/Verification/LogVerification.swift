/// The result of reading and checking every byte of a log.
public struct LogVerification: Hashable, Sendable {
  public var segments = 0
  public var records = 0
  public var events: UInt64 = 0
  /// Bytes of segments that were read and accounted for; equal to ``bytesTotal`` in a sound log.
  public var bytesCovered: UInt64 = 0
  public var bytesTotal: UInt64 = 0
  /// Events whose chain could not be checked, because the event before them is missing.
  public var eventsUnchained: UInt64 = 0
  /// The damage, in the order of the log; empty if the log is sound.
  public var findings: [LogFinding] = []
  /// Remarks that are no damage.
  public var notes: [String] = []

  public var isSound: Bool { findings.isEmpty }

  public init() {}
}
