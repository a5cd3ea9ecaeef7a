public import DaybookEventCore
public import DaybookLogEngine

/// The health of a store at a glance.
public struct StoreStatus: Sendable {
  /// A declared collection with the number of its entities.
  public struct CollectionCount: Hashable, Sendable {
    /// The name of the collection.
    public var name: String
    /// Whether it is a relationship collection.
    public var isRelationship: Bool
    /// Whether the collection never leaves this replica.
    public var isLocal: Bool
    /// The number of rows in the collection's table.
    public var entities: Int
  }

  /// A file that was set aside rather than deleted.
  public struct QuarantinedFile: Hashable, Sendable {
    /// The path relative to the folder `quarantine`.
    public var name: String
    /// The size of the file.
    public var bytes: UInt64
  }

  /// A replica whose clock was ahead of this machine's.
  public struct ClockAhead: Hashable, Sendable {
    /// The replica.
    public var replica: ReplicaID
    /// The latest time at which it claims to have written.
    public var time: HybridTime
  }

  /// A note of the last backup.
  public struct BackupNote: Hashable, Sendable {
    /// The time of the backup, in milliseconds since 1970.
    public var time: Int64
    /// The folder that the backup was made in.
    public var folder: String
  }

  /// The replica that the store writes as.
  public var replica: ReplicaID
  /// Whether the folder is a zone of a hub. A hub needs no read model, so that is then no
  /// problem.
  public var isHub = false
  /// The segments of the log.
  public var segments: [SegmentInfo]
  /// The number of events in the log, including those that wait behind a gap.
  public var events: Int
  /// The bytes of the log's segments.
  public var logBytes: UInt64
  /// The bytes of the read model, with its write-ahead log.
  public var readModelBytes: UInt64
  /// The bytes of the read model's write-ahead log alone.
  public var walBytes: UInt64
  /// The position up to which the log is known to be durable.
  public var durableEnd: LogPosition
  /// The events that the log holds without gaps, without those of local collections.
  public var logVector: VersionVector
  /// The events that the read model shows, without those of local collections.
  public var readModelVector: VersionVector
  /// The events of local collections that the log holds.
  public var logLocalVector: VersionVector
  /// The events of local collections that the read model shows.
  public var readModelLocalVector = VersionVector()
  /// The number of events of local collections in the log.
  public var localEvents: UInt64 { logLocalVector.entries.reduce(0) { $0 &+ $1.sequence } }
  /// The declared collections that have no table; ``StoreSchema/hidden`` says why.
  public var hidden: [String] = []
  /// The replicas with events that claim to be of the year 2200 or later, ascending.
  ///
  /// Their clocks are wrong, or they lie. Such events, and those of authors who had seen them,
  /// rank by how much their authors had seen, until a hub stamps them.
  public var farFuture: [ReplicaID] = []
  /// The replicas with events that claim to be more than a day later than this machine's clock,
  /// and earlier than the year 2200, in order of their ids.
  ///
  /// Their clocks are wrong, or this machine's clock is. Writes of this store do not follow such
  /// times.
  public var clocksAhead: [ClockAhead] = []
  /// The hubs with stamps that claim to be of the year 2200 or later, ascending. Such stamps
  /// count for nothing. Whoever gave them holds the authority's key, or has held it.
  public var farStamps: [ReplicaID] = []
  /// The declared collections that have a table, with the numbers of their entities.
  public var collections: [CollectionCount] = []
  /// The number of open conflicts.
  public var conflicts = 0
  /// The number of values that are not shown because they are not of their field's type.
  public var misfits = 0
  /// The number of live entities that are not shown, counted once for each field in which another
  /// entity has their value.
  public var parked = 0
  /// The number of references that are not shown because they make a cycle in a tree.
  public var cycles = 0
  /// The number of events and operations that this version of Daybook does not understand.
  public var opaque = 0
  /// The repairs that opening made; empty for a store that was only looked at.
  public var recovery: RecoveryReport
  /// The damage to the log that was found while opening.
  public var damage: [LogFinding]
  /// The reason why the read model cannot be read; nil if it can.
  public var readModelFault: String?
  /// Whether a write or fsync of the log has failed, and no process has opened the store for
  /// writing since.
  public var isPoisoned: Bool
  /// The files that were set aside rather than deleted, by name.
  public var quarantine: [QuarantinedFile]
  /// The latest incidents, the latest last: 64 at most, kept in the file `incidents`.
  public var incidents: [Incident]
  /// The last backup that was made of this store; nil if none is known.
  public var backup: BackupNote?

  /// The zone, as 32 hexadecimal digits; nil until the store adopts one.
  public var zone: String?
  /// The public key of the authority whose hubs the store accepts, as 64 hexadecimal digits; nil
  /// until one is pinned.
  public var authority: String?
  /// The last known state of each peer.
  public var peers: [PeerState] = []
  /// The number of this store's own events that no hub has stamped yet; nil if the zone has had
  /// no hub.
  public var unstamped: UInt64?
  /// The event without a stamp that the first unstamped event waits for.
  ///
  /// The author of that first event had seen it, so a hub stamps it first. Nil if the first
  /// unstamped event waits only for the hub.
  public var unstampedCause: EventID?

  /// The number of sealed segments.
  public var sealedSegments: Int { segments.count { $0.isSealed } }

  /// The number of the log's events that the read model does not show yet.
  public var lag: UInt64 {
    logVector.lead(over: readModelVector) + logLocalVector.lead(over: readModelLocalVector)
  }

  /// The number of the log's events that wait behind a gap, and are not projected until it is
  /// filled.
  public var waiting: UInt64 {
    let all = UInt64(clamping: events)
    return all - min(all, logVector.entries.reduce(localEvents) { $0 &+ $1.sequence })
  }

  /// The problems of the store, the worst first, each with its cure.
  public var problems: [StoreProblem] {
    var problems: [StoreProblem] = []
    if let first = damage.first {
      let more = damage.count == 1 ? "" : " (the first of \(damage.count) findings)"
      problems.append(
        StoreProblem(
          kind: .damagedLog, message: "the log is damaged: \(first)\(more)",
          cure: "Fetch what is lost from a backup or another store with `evtool repair --from`; "
            + "until then the store can be read, and writes are refused"))
    }
    if isPoisoned {
      problems.append(
        StoreProblem(
          kind: .failedWrite, message: "a write to the log has failed",
          cure: "Check the disk, close the store in every process, and open it again"))
    }
    if isHub { return problems }
    if let readModelFault {
      problems.append(
        StoreProblem(
          kind: .noReadModel, message: readModelFault,
          cure: "The next opening for writing makes it again from the log, and so does "
            + "`evtool rebuild`; if both say that the file cannot be read, check the disk"))
    } else if lag > 0 {
      problems.append(
        StoreProblem(
          kind: .behind, message: "the read model is \(lag) events behind the log",
          cure: "The next opening for writing catches up"))
    }
    // A peer that cannot be reached says nothing about the store.
    for peer in peers where peer.phase == .idle {
      guard let problem = peer.problem else { continue }
      problems.append(
        StoreProblem(
          kind: .refused, message: "events do not pass to or from \(peer.address): \(problem)",
          cure: peer.cure ?? "Sync with it again once the cause is gone"))
    }
    return problems
  }

  /// Whether the store has no problems.
  public var isHealthy: Bool { problems.isEmpty }
}
