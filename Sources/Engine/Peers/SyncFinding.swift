public import DaybookEventCore

/// A problem at a peer that does not stop the sync. For example, a file in a shared folder is
/// damaged, has not arrived yet, or does not belong there.
public struct SyncFinding: Hashable, Sendable, CustomStringConvertible {
  /// The kind of a problem.
  public enum Code: String, Sendable, CaseIterable {
    /// The file is not on this machine yet; the program that syncs the folder has to download it.
    case placeholder
    /// The file is shorter or longer than its name says. It is half written or truncated.
    case incomplete
    /// The file's contents are not what its writer wrote.
    case damaged
    /// The file was renamed. It is used.
    case renamed
    /// The file is a second copy of another file. It is ignored.
    case duplicate
    /// The file does not belong here. It is ignored.
    case foreign
    /// The file cannot be opened.
    case unreadable
    /// Newer software has written the file.
    case newerFormat
    /// An origin has two histories. One of them is ignored.
    case fork
    /// The peer held events of this store at the last sync, and nothing at the beginning of this
    /// one. It was filled again.
    case emptied
    /// Another group of stores uses the folder, too. Nothing is exchanged with it.
    case otherZone
  }

  /// The events that a file holds, according to its name.
  public struct Events: Hashable, Sendable {
    /// The author of the events.
    public var origin: ReplicaID
    /// The numbers of the events.
    public var sequences: ClosedRange<UInt64>

    /// Names events.
    public init(of origin: ReplicaID, _ sequences: ClosedRange<UInt64>) {
      self.origin = origin
      self.sequences = sequences
    }
  }

  /// The kind of the problem.
  public var code: Code
  /// The path relative to the shared folder; empty if the problem concerns the peer as a whole.
  public var path: String
  /// A description of the problem and its consequence, without the path.
  public var message: String
  /// The events that the file should hold and that cannot be read from it now; nil if that is not
  /// known, or if the file is of no use.
  public var events: Events?

  /// Makes a finding, for a peer that an app writes.
  /// - Parameters:
  ///   - code: the kind of the problem.
  ///   - path: the path relative to the shared folder; empty for the peer as a whole.
  ///   - message: the problem and its consequence, without the path.
  ///   - events: the events that cannot be read from there now.
  public init(_ code: Code, _ path: String, _ message: String, events: Events? = nil) {
    self.code = code
    self.path = path
    self.message = message
    self.events = events
  }

  public var description: String { path.isEmpty ? message : "“\(path)” \(message)" }
}

extension [SyncFinding] {
  /// Returns how many events, which a peer should hold and cannot deliver now, are not held here.
  /// - Parameter held: the events held here.
  package func eventsMissing(in held: [ReplicaID: SequenceRanges]) -> UInt64 {
    var known = held
    return reduce(0) { sum, finding in
      guard let events = finding.events else { return sum }
      // Two files may hold the same events, which count once.
      defer { known[events.origin, default: SequenceRanges()].insert(events.sequences) }
      return (known[events.origin] ?? SequenceRanges()).missing(in: events.sequences)
        .reduce(sum) { $0 + UInt64($1.count) }
    }
  }
}
