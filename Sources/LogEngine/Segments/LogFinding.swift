public import DaybookEventCore

/// A fault found in the log, and its place.
public struct LogFinding: Hashable, Sendable, CustomStringConvertible {
  /// A range of events of one origin.
  public struct Events: Hashable, Sendable, CustomStringConvertible {
    /// The replica that wrote the events.
    public var origin: ReplicaID
    /// The numbers of the first and the last event.
    public var sequences: ClosedRange<UInt64>

    /// Makes a range of events of an origin.
    public init(_ origin: ReplicaID, _ sequences: ClosedRange<UInt64>) {
      self.origin = origin
      self.sequences = sequences
    }

    public var description: String {
      "events \(sequences.lowerBound)…\(sequences.upperBound) of \(origin)"
    }
  }

  /// The number of the segment, if known.
  public var segment: UInt64?
  /// The offset in the segment, if known.
  public var offset: UInt64?
  /// The events that are lost with it, if known.
  public var events: Events?
  /// The fault, in one sentence.
  public var message: String

  /// Makes a finding.
  public init(
    _ message: String, segment: UInt64? = nil, offset: UInt64? = nil, events: Events? = nil
  ) {
    self.message = message
    self.segment = segment
    self.offset = offset
    self.events = events
  }

  public var description: String {
    var text = message
    if let events { text += ", \(events)" }
    if let segment {
      text += offset.map { " (segment \(segment), offset \($0))" } ?? " (segment \(segment))"
    }
    return text
  }
}
