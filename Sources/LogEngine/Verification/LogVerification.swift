/// What reading every byte of a log has shown.
public struct LogVerification: Hashable, Sendable {
  public var segments = 0
  public var records = 0
  public var events: UInt64 = 0
  /// Bytes of segments that were read and accounted for; equal to ``bytesTotal`` in a sound log.
  public var bytesCovered: UInt64 = 0
  public var bytesTotal: UInt64 = 0
  /// Events of which the chain could not be checked: the event before them is missing.
  public var eventsUnchained: UInt64 = 0
  /// Damage, in the order of the log. Empty: the log is sound.
  public var findings: [LogFinding] = []
  /// What is worth knowing and no damage.
  public var notes: [String] = []

  public var isSound: Bool { findings.isEmpty }

  public init() {}
}
