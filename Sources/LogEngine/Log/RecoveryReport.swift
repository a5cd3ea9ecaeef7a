/// What opening a log found, and what it did about it.
public struct RecoveryReport: Hashable, Sendable, CustomStringConvertible {
  /// Bytes that were written, never durable, and so never acknowledged.
  public struct TornTail: Hashable, Sendable {
    public var segment: UInt64
    public var offset: UInt64
    public var bytes: UInt64
    /// Where a copy is, relative to the store's folder; nil where nothing was cut (read-only).
    public var copy: String?
  }

  public var tornTail: TornTail?
  /// Damage to what was durable. Not empty: ordinary writes are refused.
  public var damage: [LogFinding] = []
  /// Events that were whole and not yet durable; they are now.
  public var completedEvents = 0
  /// A write or fsync had failed earlier; what was uncertain has been written anew.
  public var recoveredFromFailure = false
  /// Something was cut, and neither the mark nor the read model could say whether it had been
  /// acknowledged: now, or at an earlier opening whose process died before the identity was new.
  public var isAmbiguous = false
  /// Files that are none of the log's, leftovers that were removed, and the like.
  public var notes: [String] = []

  /// The replica must take a new identity before it writes: it may have acknowledged, or sent,
  /// events that it no longer has, and would give their numbers to others. Every opening says so
  /// until ``EventLog/identityRenewed()``.
  public var mustRenewIdentity: Bool { isAmbiguous }

  public var isClean: Bool {
    tornTail == nil && damage.isEmpty && !recoveredFromFailure && !isAmbiguous
  }

  public init() {}

  public var description: String {
    var lines = damage.map(\.description)
    if let tornTail {
      let fate = tornTail.copy.map { "copied to \($0) and cut" } ?? "ignored"
      let what = isAmbiguous ? "unacknowledged or damaged" : "never acknowledged"
      lines.append(
        "\(tornTail.bytes) bytes at the end, \(what), were \(fate) "
          + "(segment \(tornTail.segment), offset \(tornTail.offset))")
    }
    if completedEvents > 0 {
      lines.append("\(completedEvents) whole events at the end were made durable")
    }
    if recoveredFromFailure { lines.append("an earlier failure to write was put right") }
    if isAmbiguous { lines.append("the replica needs a new identity before it writes") }
    lines.append(contentsOf: notes)
    return lines.isEmpty ? "nothing to recover" : lines.joined(separator: "\n")
  }
}
