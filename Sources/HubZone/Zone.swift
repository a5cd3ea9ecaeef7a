package import CoreMetrics
import DaybookEngine
package import DaybookEventCore
import DaybookLocks
package import DaybookLogEngine
package import DaybookPeers
package import DaybookReplication
package import Foundation
package import Logging

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

  /// What the zone works with; other parts once a branch was given up.
  private struct Parts: Sendable {
    var zone: ZoneID
    var writer: ZoneWriter
    var reader: LogReader
  }

  /// A branch that a peer has proved not to stand.
  private struct Doomed: Sendable {
    var branch: Branch
    /// The chain value after the branch's first event.
    var chain: Hash256
  }

  package let folder: URL
  private let parts: Mutex<Parts>
  private let doomed = Mutex<Doomed?>(nil)
  private let refused = Mutex<[ReplicaID: Int64]>([:])
  /// The number of stamps given before the parts were last replaced.
  private let stampedBefore = Mutex<UInt64>(0)
  private let options: Options
  private let environment: StoreEnvironment
  private let authorityKey: Identity
  private let telemetry: StoreTelemetry
  private let gate: StoreGate
  private let turns = ZoneTurns()

  private var writer: ZoneWriter { parts.withLock { $0.writer } }
  package var zone: ZoneID { parts.withLock { $0.zone } }
  package var reader: LogReader { parts.withLock { $0.reader } }
  /// The replica id of the hub. It changes if the hub finds that its folder was copied, or restored
  /// to an earlier state, with its key.
  package var replica: ReplicaID { writer.replica }
  package var log: EventLog { writer.log }
  package var signer: Identity? { writer.identity }
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
    try BranchRemoval.finish(files, gate)
    var storeOptions = EngineOptions()
    storeOptions.logger = options.logger
    storeOptions.metrics = options.metrics
    let telemetry = StoreTelemetry(
      storeOptions, folder: folder, clock: environment.wallMilliseconds)
    let parts = try assemble(files, authority, id, options, environment, telemetry)
    return try Zone(folder, parts, authority, options, environment, telemetry, gate)
  }

  /// Opens the log, and the identity that writes to it.
  private static func assemble(
    _ files: StoreFiles, _ authority: Identity, _ id: ZoneID?, _ options: Options,
    _ environment: StoreEnvironment, _ telemetry: StoreTelemetry
  ) throws -> Parts {
    var hub = try ZoneIdentity.open(
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
    // Write the hub's first event, and stamp the events that have no stamp yet.
    try writer.store([])
    return Parts(zone: hub.zone, writer: writer, reader: LogReader(log))
  }

  private init(
    _ folder: URL, _ parts: Parts, _ authority: Identity, _ options: Options,
    _ environment: StoreEnvironment, _ telemetry: StoreTelemetry, _ gate: StoreGate
  ) throws {
    self.folder = folder
    self.parts = Mutex(parts)
    authorityKey = authority
    self.options = options
    self.environment = environment
    self.telemetry = telemetry
    self.gate = gate
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
  package var stampedCount: UInt64 { stampedBefore.withLock(\.self) + writer.stampedCount }

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

  package func stampIncomplete(after offer: PeerOffer) throws -> Bool {
    try writer.stampIncomplete(after: offer)
  }

  // MARK: - Forks

  /// Answers a request.
  ///
  /// If it proves that a branch in the zone's log does not stand, the zone gives that branch up,
  /// and answers again. What the request has brought of the other branch is taken then.
  ///
  /// Cost: copies the log for each branch that is given up; other requests wait meanwhile.
  /// - Parameters:
  ///   - request: the request.
  ///   - responder: the zone's responder.
  ///   - answerBytes: the most bytes of ranges in the response.
  /// - Throws: as ``SyncResponder`` does.
  package func respond(
    to request: SyncRequest, _ responder: SyncResponder,
    answerBytes: Int = SyncProtocol.batchBytes
  ) throws -> SyncResponse {
    while true {
      let response = try turns.share {
        try responder.respond(to: request, self, answerBytes: answerBytes)
      }
      noteForks(response.refusals)
      let next = doomed.withLock { doomed in
        defer { doomed = nil }
        return doomed
      }
      guard let next, try turns.exclude({ try giveUp(next) }) else { return response }
    }
  }

  /// Runs `body` while no branch is given up.
  package func steady<T>(_ body: () throws -> T) rethrows -> T { try turns.share(body) }

  package func settleFork(shownBy ranges: [EventRange]) throws {
    guard let branch = try writer.settleFork(shownBy: ranges, self),
      let chain = try chain(after: EventID(branch.origin, branch.from))
    else { return }
    doomed.withLock { $0 = Doomed(branch: branch, chain: chain) }
  }

  /// Takes a branch out of the log, as a store does, and goes on with the other log. No other
  /// thread uses the zone meanwhile.
  /// - Returns: whether the branch is gone. It stays while another process has the zone's files
  ///   open. The next peer that proves the fork causes another attempt.
  private func giveUp(_ doomed: Doomed) throws -> Bool {
    let (branch, writer) = (doomed.branch, writer)
    // Another request may have shown the same.
    guard try writer.log.chain(after: EventID(branch.origin, branch.from)) == doomed.chain else {
      return true
    }
    guard try gate.tryExclude() else {
      try gate.share()
      return false
    }
    let files = StoreFiles(folder: folder)
    let outcome: BranchRemoval.Outcome
    do {
      outcome = try BranchRemoval(files: files, environment: environment).run(
        branch, writer.log, try IdentityFile.read(files))
    } catch {
      try gate.share()
      throw error
    }
    // From here on an error makes the hub open the zone anew, which completes the removal.
    try writer.close()
    try BranchRemoval.finish(files)
    try gate.share()
    telemetry.gaveUp(branch, copy: outcome.quarantined)
    stampedBefore.withLock { $0 += writer.stampedCount }
    let next = try Self.assemble(files, authorityKey, nil, options, environment, telemetry)
    parts.withLock { $0 = next }
    refused.withLock { $0[branch.origin] = nil }
    return true
  }

  // MARK: - What cannot pass

  /// The time for which a refusal counts, in milliseconds. A store that listens asks again sooner.
  private static let refusalCounts: Int64 = 3_600_000
  /// The most origins of which refusals are remembered.
  private static let refusedMax = 1000

  /// The origins of which a peer has shown another history within the last hour, ascending. Their
  /// events do not pass between the zone and that peer until the fork is settled.
  package var forked: [ReplicaID] {
    let now = environment.wallMilliseconds()
    return refused.withLock { refused in
      refused = refused.filter { now &- $0.value < Self.refusalCounts }
      return refused.keys.sorted()
    }
  }

  private func noteForks(_ refusals: [RangeRefusal]) {
    let now = environment.wallMilliseconds()
    for refusal in refusals where refusal.code == .fork {
      let isNew = refused.withLock { refused in
        guard refused.count < Self.refusedMax || refused[refusal.event.origin] != nil else {
          return false
        }
        return refused.updateValue(now, forKey: refusal.event.origin) == nil
      }
      if isNew { telemetry.forked(refusal.event.origin) }
    }
  }
}
