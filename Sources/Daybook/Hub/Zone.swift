public import CoreMetrics
public import EventCore
public import Foundation
import LogEngine
public import Logging
public import Replication
import Synchronization

/// A zone as its hub keeps it: a store's folder with a log, whose own events are stamps.
///
/// What is pushed is checked, stored and stamped with one fsync. There is no read model: whoever opens
/// the folder as a store gets one.
public final class Zone: LogReplica, ReplicaStorage, @unchecked Sendable {
  public struct Options: Sendable {
    /// The zone takes nothing more once its log has so many bytes; nil for no limit.
    public var bytesMax: UInt64?
    public var logger = Logger(label: "daybook.hub")
    /// What makes the zone's metrics; the process's own where nil.
    public var metrics: (any MetricsFactory)?
    /// How long to wait while another process is writing.
    public var lockTimeout = Duration.seconds(30)

    public init() {}
  }

  /// What is used by one thread at a time.
  private struct State: Sendable {
    /// Nil after a failure: what was noted may not be in the log.
    var noted: Noted?
    var clock: HybridClock
    var stampedCount: UInt64 = 0
  }

  /// What follows from the log.
  private struct Noted: Sendable {
    var ledger: StampLedger
    /// What this hub had seen at its last event.
    var context: CausalContext
  }

  public let folder: URL
  public let zone: ZoneID
  public let replica: ReplicaID
  private let identity: Identity
  private let authorityKey: Identity
  private let options: Options
  private let environment: StoreEnvironment
  private let state: Mutex<State>
  private let telemetry: StoreTelemetry

  public var authority: [UInt8]? { authorityKey.publicKey }
  /// A hub stamps what is complete: what is beyond a gap would have to wait.
  public var takesGaps: Bool { false }

  /// Opens a zone, and makes it where there is none.
  ///
  /// Cost: reads the whole log, to know what waits for a stamp: about a second for a million events.
  /// - Parameters:
  ///   - folder: a store's; its parent is there.
  ///   - authority: certifies this hub. An opened zone whose key is gone, or which has never stamped, is
  ///     a new incarnation: a new replica.
  ///   - id: which zone a new folder is; a random one where nil. A hub that has lost its disk is given the
  ///     id of before, which its clients know.
  /// - Throws: ``StoreError`` `damaged`, `newerFormat`, `ioFailed`, `noSpace`; `LogError`.
  public static func open(
    at folder: URL, authority: Identity, id: ZoneID? = nil, options: Options = Options()
  ) throws -> Zone {
    try open(at: folder, authority: authority, id: id, options: options, environment: .system)
  }

  static func open(
    at folder: URL, authority: Identity, id: ZoneID?, options: Options,
    environment: StoreEnvironment
  ) throws -> Zone {
    let files = StoreFiles(folder: folder)
    var file: IdentityFile
    if files.exists {
      file = try IdentityFile.read(files)
      guard file.authority == nil || file.authority == authority.publicKey else {
        throw StoreError(
          .damaged, "“\(folder.lastPathComponent)” is a zone of another hub: its authority differs",
          hint: "Put that hub's authority.key in place, or start with an empty folder")
      }
    } else {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let identity = try Identity(seed: environment.randomBytes(32))
      file = IdentityFile(identity, zone: id?.bytes ?? environment.randomBytes(16))
      file.authority = authority.publicKey
      try file.write(files, key: identity)
    }
    var storeOptions = Store.Options()
    storeOptions.logger = options.logger
    storeOptions.metrics = options.metrics
    let telemetry = StoreTelemetry(
      storeOptions, folder: folder, clock: environment.wallMilliseconds)
    var logOptions = EventLog.Options(random: {
      environment.randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    })
    logOptions.lockTimeout = options.lockTimeout
    logOptions.telemetry = telemetry.log
    let (log, recovery) = try EventLog.open(
      storage: FileStorage(folder: folder.path(percentEncoded: false)),
      lock: try FileLock(path: files.lock), options: logOptions)
    try log.requireWhole()
    var identity = recovery.mustRenewIdentity ? nil : file.identity(files)
    if let known = identity, try !Self.mayStamp(known, log, authority) { identity = nil }
    if identity == nil || file.authority == nil || file.zone == ZoneID.none.bytes {
      let next = try identity ?? Identity(seed: environment.randomBytes(32))
      let zone = file.zone == ZoneID.none.bytes ? environment.randomBytes(16) : file.zone
      if next.id != file.replica { telemetry.renewed(file.replica, to: next.id) }
      file = IdentityFile(next, zone: zone)
      file.authority = authority.publicKey
      try file.write(files, key: next)
      identity = next
    }
    guard let identity else { throw StoreError(.damaged, "the zone has no identity") }
    return try Zone(
      folder, log, ZoneID(bytes: file.zone), identity, authority, options, environment, telemetry)
  }

  /// A replica that has written as an ordinary store cannot become a hub.
  private static func mayStamp(_ identity: Identity, _ log: EventLog, _ authority: Identity) throws
    -> Bool
  {
    guard log.vector[identity.id] > 0 else { return true }
    var isCertified = false
    try log.snapshot().forEachEvent(of: identity.id, in: 1...1) { _, event in
      guard let claim = IdentityClaim.claimed(by: event) else { return }
      isCertified =
        claim.certifiesHub(identity.id) && claim.certificate?.authority == authority.publicKey
    }
    return isCertified
  }

  private init(
    _ folder: URL, _ log: EventLog, _ zone: ZoneID, _ identity: Identity, _ authority: Identity,
    _ options: Options, _ environment: StoreEnvironment, _ telemetry: StoreTelemetry
  ) throws {
    self.folder = folder
    self.zone = zone
    replica = identity.id
    authorityKey = authority
    self.options = options
    self.environment = environment
    self.telemetry = telemetry
    self.identity = identity
    state = Mutex(State(clock: HybridClock()))
    super.init(log)
    // Makes the first event, and stamps what was left without.
    try store([])
  }

  /// Finishes what is under way and closes the log.
  public func close() throws {
    try state.withLock { _ in try log.close() }
    telemetry.closed()
  }

  /// Bytes of the log on the disk.
  public var bytes: UInt64 { log.segments.reduce(0) { $0 + $1.bytes } }

  /// How many events wait for a stamp, because something that their authors had seen is not here.
  public var pendingCount: Int { state.withLock { $0.noted?.ledger.pendingCount ?? 0 } }

  /// How many stamps were given since the zone was opened.
  public var stampedCount: UInt64 { state.withLock { $0.stampedCount } }

  public func range(
    of origin: ReplicaID, after sequence: UInt64, through limit: UInt64, hasGap: Bool
  ) throws -> EventRange? {
    try RangeReader(snapshot: log.snapshot(), zone: zone, identity: identity)
      .range(of: origin, after: sequence, through: limit, hasGap: hasGap)
  }

  public func adopt(_ zone: ZoneID) throws {
    throw SyncError(.wrongZone, "a hub's zone stays what it is")
  }

  // MARK: Storing and stamping

  public func store(_ ranges: [CheckedRange]) throws {
    if let max = options.bytesMax, !ranges.isEmpty, bytes >= max {
      throw SyncError(
        .tooLarge, "the zone is full: it has \(bytes) bytes of \(max)",
        hint: "Ask who runs the hub for more room")
    }
    try state.withLock { state in
      try log.lock()
      defer { log.unlock() }
      var noted = try caughtUp(state.noted)
      state.noted = nil
      for range in ranges {
        var isWhole = true
        for frame in range.frames {
          // Another has stored it since it was looked at.
          guard noted.ledger.through(frame.header.origin) + 1 == frame.header.firstSequence else {
            isWhole = false
            continue
          }
          try log.append(frame)
          try note(frame, &noted.ledger)
        }
        if isWhole { try log.append(range.head) }
      }
      let stamped = try stamp(&noted, &state.clock)
      try log.sync()
      state.stampedCount += UInt64(stamped)
      state.noted = noted
      _ = try? log.rollIfNeeded()
    }
  }

  /// What follows from all that the log holds.
  private func caughtUp(_ noted: Noted?) throws -> Noted {
    let snapshot = log.snapshot()
    var noted =
      noted
      ?? Noted(
        ledger: StampLedger(authority: authorityKey.publicKey),
        context: CausalContext(author: replica))
    for (origin, sequence) in snapshot.vector.entries {
      let known = noted.ledger.through(origin)
      guard known < sequence else { continue }
      try snapshot.forEachEvent(of: origin, in: known + 1...sequence) { sequence, event in
        noted.ledger.note(event, id: EventID(origin, sequence))
        if origin == replica {
          try noted.context.apply(try Envelope(decoding: event.envelope).context)
        }
      }
    }
    return noted
  }

  private func note(_ frame: Frame, _ ledger: inout StampLedger) throws {
    try frame.forEachEvent { sequence, event in
      ledger.note(event, id: EventID(frame.header.origin, sequence))
    }
  }

  /// Appends events with stamps for what can be stamped; the first time, the one that says who stamps.
  /// - Returns: how many stamps.
  private func stamp(_ noted: inout Noted, _ clock: inout HybridClock) throws -> Int {
    let wall = environment.wallMilliseconds()
    let own = noted.ledger.through(replica)
    var bodies: [(kind: Envelope.Kind, operations: [EventCore.Operation])] = []
    if own == 0 {
      let claim = try IdentityClaim(identity, certifiedBy: authorityKey)
      bodies.append((.identity, [.identity(claim)]))
    }
    var stamps = noted.ledger.stamps(wallMilliseconds: wall)[...]
    let count = stamps.count
    while !stamps.isEmpty {
      bodies.append((.stamps, stamps.prefix(Self.stampsOfEvent).map { .stamp($0) }))
      stamps = stamps.dropFirst(Self.stampsOfEvent)
    }
    guard !bodies.isEmpty else { return 0 }
    guard let chain = try chain(after: EventID(replica, own)) else {
      throw LogError(.damaged, "the hub's own chain cannot be read")
    }
    var builder = FrameBuilder(
      origin: replica, firstSequence: own + 1, chainBefore: Chain(value: chain))
    clock.observe(noted.ledger.latest)
    for (kind, operations) in bodies {
      let delta = noted.context.delta(to: noted.ledger.vector)
      try noted.context.apply(delta)
      let envelope = Envelope(
        kind: kind, authored: clock.tick(wallMilliseconds: wall), context: delta)
      try builder.append(EncodedEvent(envelope, Body(operations: operations)))
    }
    let frame = try builder.finish()
    try log.append(frame)
    try note(frame, &noted.ledger)
    return count
  }

  private static let stampsOfEvent = 4096
}
