public import EventCore
public import LogEngine

/// A store's health at a glance.
public struct StoreStatus: Sendable {
  public struct CollectionCount: Hashable, Sendable {
    public var name: String
    public var isRelationship: Bool
    /// Whether it never leaves this replica.
    public var isLocal: Bool
    public var entities: Int
  }

  /// A file that was set aside rather than deleted.
  public struct QuarantinedFile: Hashable, Sendable {
    /// Relative to the folder `quarantine`.
    public var name: String
    public var bytes: UInt64
  }

  public struct BackupNote: Hashable, Sendable {
    /// Milliseconds since 1970.
    public var time: Int64
    public var folder: String
  }

  public var replica: ReplicaID
  public var segments: [SegmentInfo]
  public var events: Int
  /// Bytes of the log's segments, of the read model with its write-ahead log, and of that alone.
  public var logBytes: UInt64
  public var readModelBytes: UInt64
  public var walBytes: UInt64
  public var durableEnd: LogPosition
  /// What the log holds without gaps, and what the read model shows, but for local collections.
  public var logVector: VersionVector
  public var readModelVector: VersionVector
  /// Events of local collections: in the log, and shown.
  public var logLocalVector: VersionVector
  public var readModelLocalVector = VersionVector()
  public var localEvents: UInt64 { logLocalVector.entries.reduce(0) { $0 &+ $1.sequence } }
  /// Declared collections without a table; ``Schema/hidden`` says why.
  public var hidden: [String] = []
  /// Replicas with events that claim to be of the year 2200 or later, ascending: their clocks are wrong, or
  /// they lie. Until a hub stamps such events, and those of authors who had seen them, they rank by how much
  /// their authors had seen.
  public var farFuture: [ReplicaID] = []
  public var collections: [CollectionCount] = []
  public var conflicts = 0
  public var misfits = 0
  /// Live entities that are not shown, for each field in which another has their value.
  public var parked = 0
  /// References that are not shown, because they make a cycle in a tree.
  public var cycles = 0
  /// Events and operations that this version does not understand.
  public var opaque = 0
  /// What opening found and put right; empty for a store that was only looked at.
  public var recovery: RecoveryReport
  public var damage: [LogFinding]
  /// Why the read model cannot be read; nil where it can.
  public var readModelFault: String?
  /// A write or fsync of the log has failed, and nobody has opened the store for writing since.
  public var isPoisoned: Bool
  /// What was set aside, by name.
  public var quarantine: [QuarantinedFile]
  /// What went wrong lately, the latest last: 64 at most, kept in the file `incidents`.
  public var incidents: [Incident]
  /// The last backup that was made from here; nil where none is known.
  public var backup: BackupNote?

  /// The zone, 32 hexadecimal digits; nil until one is adopted.
  public var zone: String?
  /// The public key of the authority whose hubs it accepts, 64 hexadecimal digits; nil until one is pinned.
  public var authority: String?
  /// How it stood with each peer when last heard of.
  public var peers: [PeerState] = []
  /// This store's own events that no hub has stamped yet; nil where the zone has had no hub.
  public var unstamped: UInt64?
  /// An event that the author of the first of those had seen, which has no stamp either: a hub stamps it
  /// first. Nil if the event waits for nothing but the hub.
  public var unstampedCause: EventID?

  public var sealedSegments: Int { segments.count { $0.isSealed } }

  /// Events of the log that the read model does not show yet.
  public var lag: UInt64 {
    logVector.lead(over: readModelVector) + logLocalVector.lead(over: readModelLocalVector)
  }

  /// Events of the log that wait behind a gap, and are not projected before it is filled.
  public var waiting: UInt64 {
    let all = UInt64(clamping: events)
    return all - min(all, logVector.entries.reduce(localEvents) { $0 &+ $1.sequence })
  }

  /// What is the matter, the worst first, each with its cure.
  public var problems: [StoreProblem] {
    var problems: [StoreProblem] = []
    if let first = damage.first {
      let more = damage.count == 1 ? "" : " (the first of \(damage.count) findings)"
      problems.append(
        StoreProblem(
          kind: .damagedLog, message: "the log is damaged: \(first)\(more)",
          cure: "Fetch what is lost from a backup or another replica with `evtool repair --from`; "
            + "until then the store can be read, and writes are refused"))
    }
    if isPoisoned {
      problems.append(
        StoreProblem(
          kind: .failedWrite, message: "a write to the log has failed",
          cure: "Check the disk, close the store in every process, and open it again"))
    }
    if let readModelFault {
      problems.append(
        StoreProblem(
          kind: .noReadModel, message: readModelFault,
          cure: "The next opening for writing makes it again from the log, and so does "
            + "`evtool rebuild`"))
    } else if lag > 0 {
      problems.append(
        StoreProblem(
          kind: .behind, message: "the read model is \(lag) events behind the log",
          cure: "The next opening for writing catches up"))
    }
    return problems
  }

  public var isHealthy: Bool { problems.isEmpty }
}
