package import CoreMetrics
package import Daybook
package import EventCore
package import Foundation
package import LogEngine
package import Logging
package import Replication

/// A zone as its hub keeps it: a store's folder with a log, whose own events are stamps.
///
/// Events that clients push are checked, stored and stamped with one fsync. There is no read model.
/// If the folder is opened as a store, a read model is built.
package final class Zone: LoggedReplica, Sendable {
  package struct Options: Sendable {
    /// The limit of ``Zone/countedBytes``, in bytes; nil for no limit. The zone refuses events that
    /// would exceed it.
    package var bytesMax: UInt64?
    package var logger = Logger(label: "daybook.hub")
    /// The factory of the zone's metrics; nil for the factory of the process.
    package var metrics: (any MetricsFactory)?
    /// How long to wait for the commit lock while another process is writing.
    package var lockTimeout = Duration.seconds(30)

    package init() {}
  }

  package let folder: URL
  package let zone: ZoneID
  /// The replica id of the hub. It changes if the hub finds that its folder was copied, or restored
  /// to an earlier state, with its key.
  package var replica: ReplicaID { writer.replica }
  private let writer: ZoneWriter
  package let reader: LogReader
  package var log: EventLog { writer.log }
  package var signer: Identity? { writer.identity }
  private let options: Options
  private let telemetry: StoreTelemetry
  private let gate: StoreGate

  package var authority: [UInt8]? { writer.authority }
  /// Always false. A hub stamps complete sequences only, so events beyond a gap would have to wait.
  package var takesGaps: Bool { false }

  /// Opens a zone, and creates it if it does not exist.
  ///
  /// Cost: reads the whole log to find the events that wait for a stamp, about a second for a
  /// million events.
  /// - Parameters:
  ///   - folder: the zone's folder; its parent folder must exist.
  ///   - authority: the authority that certifies this hub. If the zone's key is missing, or has
  ///     written as an ordinary store, the hub becomes a new replica.
  ///   - id: the id of a new zone; nil for a random one. To replace a hub that has lost its disk,
  ///     pass the old id, which its clients know.
  ///   - options: limits, logging and metrics.
  /// - Throws: ``StoreError`` `damaged`, `newerFormat`, `ioFailed`, `noSpace`; `LogError`.
  package static func open(
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
    // While the hub holds the gate, no process moves or replaces files of the zone.
    let gate = StoreGate(files)
    try gate.share()
    var storeOptions = Store.Options()
    storeOptions.logger = options.logger
    storeOptions.metrics = options.metrics
    let telemetry = StoreTelemetry(
      storeOptions, folder: folder, clock: environment.wallMilliseconds)
    var hub = try ZoneIdentity(
      in: files, authority: authority, zone: id, randomBytes: environment.randomBytes,
      noteRenewal: telemetry.renewed)
    var logOptions = EventLog.Options(random: {
      environment.randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    })
    logOptions.lockTimeout = options.lockTimeout
    logOptions.telemetry = telemetry.log
    let (log, recovery) = try EventLog.open(
      storage: FileStorage(folder: files.path), lock: CommitLock(folder: files.path),
      options: logOptions)
    try log.requireWhole()
    let identity = try hub.keepOrRenew(log, recovery)
    let writer = ZoneWriter(
      log, zone: hub.zone, identity: identity, authority: authority,
      wallMilliseconds: environment.wallMilliseconds, renewing: hub.renew)
    return try Zone(folder, hub.zone, writer, options, telemetry, gate)
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
    reader = LogReader(writer.log)
    // Write the hub's first event, and stamp the events that have no stamp yet.
    try store([])
  }

  /// Waits for work in progress and closes the log.
  package func close() throws {
    defer { gate.release() }
    try writer.close()
    telemetry.closed()
  }

  /// The size of the log on the disk, in bytes.
  /// - Throws: `LogError` if the size cannot be read.
  package var bytes: UInt64 {
    get throws { try log.segments.reduce(0) { $0 + $1.bytes } }
  }

  /// The bytes that count towards ``Options/bytesMax``. It is the larger of the log's size and the
  /// weight of its events; see `EventWeight`.
  /// - Throws: `LogError` if the size of the log cannot be read.
  package var countedBytes: UInt64 { get throws { max(try bytes, writer.weight) } }

  /// The number of events that wait for a stamp, because the log lacks events that their authors
  /// had seen.
  package var pendingCount: Int { writer.pendingCount }

  /// The first waiting event of each origin and the reason why it waits, for at most 100 origins.
  package var waiting: [WaitingEvents] { writer.waiting }

  /// The number of stamps given since the zone was opened.
  package var stampedCount: UInt64 { writer.stampedCount }

  package func adopt(_ zone: ZoneID) throws {
    throw SyncError(.wrongZone, "a hub's zone stays what it is")
  }

  // MARK: - Storing and stamping

  package var room: UInt64? {
    get throws {
      guard let max = options.bytesMax else { return nil }
      return max - min(max, try countedBytes)
    }
  }

  package func store(_ ranges: [CheckedRange]) throws {
    if let max = options.bytesMax, !ranges.isEmpty, case let bytes = try countedBytes, bytes >= max
    {
      throw SyncError(
        .tooLarge, "the zone is full: it counts \(bytes) bytes of \(max)",
        hint: "Ask who runs the hub for more room")
    }
    try writer.store(ranges)
  }

  package func settle(after offer: PeerOffer) throws -> Bool { try writer.settle(after: offer) }

  package func settleFork(shownBy range: EventRange) throws {
    try writer.settleFork(shownBy: range, self)
  }
}
