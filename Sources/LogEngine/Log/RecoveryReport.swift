/// A report of what opening a log found, and of what was done about it.
public struct RecoveryReport: Hashable, Sendable, CustomStringConvertible {
  /// Bytes at the end of the log that were written, but never durable and so never acknowledged.
  public struct TornTail: Hashable, Sendable {
    /// The number of the segment.
    public var segment: UInt64
    /// The offset in the segment at which the tail begins.
    public var offset: UInt64
    /// The length of the tail.
    public var bytes: UInt64
    /// The copy's path, relative to the store's folder; nil if nothing was cut (read-only).
    public var copy: String?
  }

  /// The bytes at the end that were not durable; nil if there were none.
  public var tornTail: TornTail?
  /// Damage to records that were durable.
  ///
  /// If there is any, ordinary writes are refused.
  public var damage: [LogFinding] = []
  /// The number of events that were whole but not yet durable; now they are durable.
  public var completedEvents = 0
  /// Whether recovery followed a failed write or fsync; uncertain records were rewritten.
  public var recoveredFromFailure = false
  /// Whether a tail was cut that may have been acknowledged.
  ///
  /// Neither the mark nor the read model could tell. The cut may also have been made at an earlier
  /// opening, by a process that died before the new identity was durable.
  public var isAmbiguous = false
  /// Remarks, for example on files that do not belong to the log, and on leftovers that were
  /// removed.
  public var notes: [String] = []

  /// Whether the replica must take a new identity before it writes.
  ///
  /// It may have acknowledged, or sent, events that it no longer has, and would reuse their
  /// sequences for other events. Every opening reports this until the identity was renewed.
  public var mustRenewIdentity: Bool { isAmbiguous }

  /// Whether nothing was found that a person should know of.
  public var isClean: Bool {
    tornTail == nil && damage.isEmpty && !recoveredFromFailure && !isAmbiguous
  }

  /// Makes a report without findings.
  public init() {}

  public var description: String {
    var lines = damage.map(\.description)
    if let tornTail {
      let fate = tornTail.copy.map { "copied to \($0) and cut" } ?? "ignored"
      let what = isAmbiguous ? "unacknowledged or damaged" : "never acknowledged"
      let kept =
        recoveredFromFailure && completedEvents > 0 ? ", after the whole events had been saved" : ""
      lines.append(
        "\(tornTail.bytes) bytes at the end, \(what), were \(fate)\(kept) "
          + "(segment \(tornTail.segment), offset \(tornTail.offset))")
    }
    if completedEvents > 0 {
      lines.append(
        "\(completedEvents) whole events at the end, never acknowledged, were made durable and "
          + "are there now")
    }
    if recoveredFromFailure { lines.append("an earlier failure to write was put right") }
    if isAmbiguous { lines.append("the replica needs a new identity before it writes") }
    lines.append(contentsOf: notes)
    return lines.isEmpty ? "nothing to recover" : lines.joined(separator: "\n")
  }
}
