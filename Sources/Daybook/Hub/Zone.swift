public import CoreMetrics
public import EventCore
public import Foundation
import LogEngine
public import Logging
public import Replication

/// A zone as its hub keeps it: a store's folder with a log, whose own events are stamps.
///
/// What is pushed is checked, stored and stamped with one fsync. There is no read model: whoever opens
/// the folder as a store gets one.
public final class Zone: LogReplica, ReplicaStorage, @unchecked Sendable {
  public struct Options: Sendable {
    /// The zone takes nothing that would make its ``Zone/countedBytes`` more; nil for no limit.
    public var bytesMax: UInt64?
    public var logger = Logger(label: "daybook.hub")
    /// What makes the zone's metrics; the process's own where nil.
    public var metrics: (any MetricsFactory)?
    /// How long to wait while another process is writing.
    public var lockTimeout = Duration.seconds(30)

    public init() {}
  }

  public let folder: URL
  public let zone: ZoneID
  /// Which replica the hub is. Another, once its folder turns out to have been restored with its key.
  public var replica: ReplicaID { writer.replica }
  private let writer: ZoneWriter
  private let options: Options
  private let telemetry: StoreTelemetry
  private let gate: StoreGate

  public var authority: [UInt8]? { writer.authority }
  /// A hub stamps what is complete: what is beyond a gap would have to wait.
  public var takesGaps: Bool { false }

  public func knowledge() throws -> Knowledge { try knowledge(signer: replica) }

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
    try DiskPath.makeFolder(files.path)
    // Nobody moves or replaces files of the zone while a hub has it open.
    let gate = StoreGate(files)
    try gate.share()
    var file: IdentityFile
    if try files.exists {
      file = try IdentityFile.read(files)
      guard file.authority == nil || file.authority == authority.publicKey else {
        throw StoreError(
          .damaged, "“\(folder.lastPathComponent)” is a zone of another hub: its authority differs",
          hint: "Put that hub's authority.key in place, or start with an empty folder")
      }
    } else {
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
      storage: FileStorage(folder: files.path), lock: CommitLock(folder: files.path),
      options: logOptions)
    try log.requireWhole()
    let kept = recovery.mustRenewIdentity ? nil : try file.identity(files)
    let identity = try ZoneWriter.incarnation(
      of: kept, log, authority, randomBytes: environment.randomBytes)
    if identity.id != kept?.id || file.authority == nil || file.zone == ZoneID.none.bytes {
      let zone = file.zone == ZoneID.none.bytes ? environment.randomBytes(16) : file.zone
      if identity.id != file.replica { telemetry.renewed(file.replica, to: identity.id) }
      file = IdentityFile(identity, zone: zone)
      file.authority = authority.publicKey
      try file.write(files, key: identity)
    }
    if recovery.mustRenewIdentity { try log.identityRenewed() }
    let writer = ZoneWriter(
      log, zone: ZoneID(bytes: file.zone), identity: identity, authority: authority,
      wallMilliseconds: environment.wallMilliseconds,
      renewing: {
        let renewed = try Identity(seed: environment.randomBytes(32))
        let before = try IdentityFile.read(files)
        var file = IdentityFile(renewed, zone: before.zone)
        file.authority = authority.publicKey
        try file.write(files, key: renewed)
        telemetry.renewed(before.replica, to: renewed.id)
        return renewed
      })
    return try Zone(folder, ZoneID(bytes: file.zone), writer, options, telemetry, gate)
  }

  private init(
    _ folder: URL, _ zone: ZoneID, _ writer: ZoneWriter, _ options: Options,
    _ telemetry: StoreTelemetry, _ gate: StoreGate
  ) throws {
    self.folder = folder
    self.zone = zone
    self.writer = writer
    self.options = options
    self.telemetry = telemetry
    self.gate = gate
    super.init(writer.log)
    // Makes the first event, and stamps what was left without.
    try store([])
  }

  /// Finishes what is under way and closes the log.
  public func close() throws {
    defer { gate.release() }
    try writer.close()
    telemetry.closed()
  }

  /// Bytes of the log on the disk.
  /// - Throws: `LogError` where that cannot be found out.
  public var bytes: UInt64 {
    get throws { try log.segments.reduce(0) { $0 + $1.bytes } }
  }

  /// What counts towards ``Options/bytesMax``: the bytes of the log, or what its events come to, whichever is more.
  /// See `EventWeight`.
  /// - Throws: `LogError` where the size of the log cannot be found out.
  public var countedBytes: UInt64 { get throws { max(try bytes, writer.weight) } }

  /// How many events wait for a stamp, because something that their authors had seen is not here.
  public var pendingCount: Int { writer.pendingCount }

  /// Why the first of them wait, of up to a hundred origins.
  public var waiting: [WaitingEvents] { writer.waiting }

  /// How many stamps were given since the zone was opened.
  public var stampedCount: UInt64 { writer.stampedCount }

  public func range(
    of origin: ReplicaID, after sequence: UInt64, through limit: UInt64, hasGap: Bool
  ) throws -> EventRange? {
    try RangeReader(snapshot: log.snapshot(), zone: zone, identity: writer.identity)
      .range(of: origin, after: sequence, through: limit, hasGap: hasGap)
  }

  public func adopt(_ zone: ZoneID) throws {
    throw SyncError(.wrongZone, "a hub's zone stays what it is")
  }

  // MARK: - Storing and stamping

  public var room: UInt64? {
    get throws {
      guard let max = options.bytesMax else { return nil }
      return max - min(max, try countedBytes)
    }
  }

  public func store(_ ranges: [CheckedRange]) throws {
    if let max = options.bytesMax, !ranges.isEmpty, case let bytes = try countedBytes, bytes >= max
    {
      throw SyncError(
        .tooLarge, "the zone is full: it counts \(bytes) bytes of \(max)",
        hint: "Ask who runs the hub for more room")
    }
    try writer.store(ranges)
  }

  public func settle(after offer: PeerOffer) throws -> Bool { try writer.settle(after: offer) }

  public func settleFork(shownBy range: EventRange) throws {
    try writer.settleFork(shownBy: range, self)
  }
}
