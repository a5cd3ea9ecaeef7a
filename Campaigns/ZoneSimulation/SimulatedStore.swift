import DaybookEngine
import DaybookEventCore
import DaybookFrames
import DaybookLocks
import DaybookLogEngine
import DaybookPeers
import DaybookProjections
import DaybookReferenceModel
import DaybookReplication
import DaybookSimulation
import Foundation
import GRDB
import Logging

/// A store on a simulated disk.
///
/// It is the engine of a real store, without the threads around it: the run calls it directly. The
/// read model is in memory.
final class SimulatedStore: ReplicaProcess {
  let log: EventLog
  let responder = SyncResponder(rememberedMax: 3)
  var beforeStoring: (() -> Void)?
  var told = Knowledge()
  let reader: LogReader
  private let readModel: SimulatedReadModel
  private let engine: StoreEngine

  /// Opens a store as `Store.open` does; creates it if the disk has none.
  init(
    _ disk: SimulatedDisk, _ options: EventLog.Options, _ readModel: SimulatedReadModel,
    _ clock: SimulatedClock, _ random: RandomBytes
  ) throws {
    self.readModel = readModel
    let environment = StoreEnvironment(
      wallMilliseconds: { clock.wallMilliseconds }, randomBytes: random.next)
    let folder = IdentityOnDisk(storage: SimulatedStorage(disk))
    let file = try IdentityFile.find(folder) ?? Self.create(in: folder, environment)
    let found = try readModel.peek()
    let report: RecoveryReport
    (log, report) = try EventLog.open(
      storage: SimulatedStorage(disk), lock: SimulatedLock(disk), options: options,
      applied: found?.replica == file.replica ? found?.vector : nil)
    guard report.damage.isEmpty else {
      throw ReplicationViolation(.kept, "the log is damaged: \(report)")
    }
    reader = LogReader(log)
    let identity = StoreIdentity(
      file, in: folder, log, mustRenew: report.mustRenewIdentity, randomBytes: random.next)
    // Nothing is read or written there: the log is on the disk, and the read model in memory.
    let place = URL(filePath: "/simulated", directoryHint: .isDirectory)
    var quiet = EngineOptions()
    quiet.isReadOnly = true
    quiet.logger = Logger(label: "daybook") { _ in SwiftLogNoOpLogHandler() }
    engine = try StoreEngine.open(
      files: StoreFiles(folder: place), log: log, feed: LogFeed(log), readModel: readModel.queue,
      recovery: report,
      identity: identity, environment: environment,
      telemetry: StoreTelemetry(quiet, folder: place, clock: environment.wallMilliseconds),
      defersProjection: false)
    do { try engine.catchUp() } catch {
      engine.projector.close()
      throw error
    }
  }

  private static func create(in folder: IdentityOnDisk, _ environment: StoreEnvironment) throws
    -> IdentityFile
  {
    let identity = try Identity(seed: environment.randomBytes(32))
    let file = IdentityFile(identity)
    try file.write(folder, key: identity)
    return file
  }

  var file: IdentityFile { engine.identity.file }
  var replica: ReplicaID { file.replica }
  var zone: ZoneID { ZoneID(bytes: file.zone) }
  var authority: [UInt8]? { file.authority }
  /// Whether it keeps its replica id; otherwise its next write is under a new one.
  var hasIdentity: Bool { signer != nil }
  var takesGaps: Bool { true }
  var signer: Identity? { try? engine.identity.known() }

  func close() {
    try? log.close()
    die()
  }

  /// Ends the process: what is not committed is lost.
  func die() {
    engine.projector.close()
    readModel.rollBack()
  }

  // MARK: - Syncing

  /// Returns what it holds, as a sync asks for it first. A store without a key takes a new identity
  /// then.
  func knowledge() throws -> Knowledge {
    let facts = try engine.syncFacts()
    let knowledge = try reader.knowledge(signer: facts.identity.id)
    told.formUnion(knowledge)
    return knowledge
  }

  func store(_ ranges: [CheckedRange]) throws {
    beforeStoring?()
    try engine.ingest(ranges)
  }

  /// Catches the read model up with the log, as a store does when a sync ends.
  func project() throws { try engine.catchUp() }

  func adopt(_ zone: ZoneID) throws { try engine.adopt(zone) }

  /// Renews the identity, as `identity renew` does.
  func renewByHand() throws { _ = try engine.renewByHand() }

  /// Appends a signed head of its last event, which peers need to accept the events of a backup.
  func signHead() throws {
    try log.lock()
    defer { log.unlock() }
    if hasIdentity { try engine.identity.signLastEvent() }
  }

  // MARK: - The read model

  var vector: VersionVector { engine.projector.vector }
  var digest: StateDigest { engine.projector.digest }

  func state() throws -> ProjectedState {
    try readModel.queue.writeWithoutTransaction {
      try ProjectedState(shownBy: $0, engine.projector)
    }
  }

  /// Returns how the read model differs from its log, internal tables included; nil if it does not.
  func difference() throws -> ReadModelDifference? {
    try readModel.queue.writeWithoutTransaction { db in
      let check = ReadModelCheck(db)
      return try check.difference(from: LogFeed(log)) ?? check.digestDifference(LogFeed(log))
    }
  }

  /// Runs `body` with a view of what is shown.
  func read<T>(_ body: (ReadModelView) throws -> T) throws -> T {
    try readModel.queue.writeWithoutTransaction { _ in
      try body(ReadModelView(within: engine.projector))
    }
  }

  // MARK: - Writing

  /// A transaction, as an app writes it.
  struct Transaction {
    var label = ""
    var body: (WriteTransaction) throws -> Void
  }

  /// Writes transactions as one group.
  ///
  /// - Parameter attempt: Receives the first id and the events of each frame before they are
  ///   appended.
  /// - Returns: The last event of each origin. They are durable.
  func write(
    _ transactions: [Transaction], attempt: @escaping (EventID, [EncodedEvent]) -> Void
  ) throws -> [EventID] {
    engine.willAppend = { frames in
      for frame in frames {
        guard let events = try? frame.events() else { continue }
        attempt(EventID(frame.header.origin, frame.header.firstSequence), events)
      }
    }
    defer { engine.willAppend = { _ in } }
    let outcomes = Mutex<[WriteOutcome]>([])
    engine.commit(
      try transactions.map { transaction in
        nonisolated(unsafe) let body = transaction.body
        return try WriteJob(
          label: transaction.label,
          body: { tx -> EventID? in
            try body(tx)
            return tx.isEmpty ? nil : tx.event
          },
          finish: { outcome in outcomes.withLock { $0.append(outcome) } })
      })
    var last: [ReplicaID: UInt64] = [:]
    for outcome in outcomes.withLock(\.self) {
      guard let event = try outcome.get() as? EventID else { continue }
      last[event.origin] = event.sequence
    }
    return last.map { EventID($0.key, $0.value) }.sorted()
  }

  /// The content of an event that no transaction of this version writes.
  struct Draft {
    var kind = Envelope.Kind.transaction
    var codec = Envelope.BodyCodec.plain
    var body: EncodedEvent.Body
    /// Whether its envelope is of a later version, which no replica here can read.
    var isOfLaterVersion = false
  }

  /// Appends events as another version of Daybook might write them under this identity.
  ///
  /// - Parameters:
  ///   - isLocal: Whether the events are of the private origin.
  ///   - attempt: As for ``write(_:attempt:)``.
  /// - Returns: The last event, which is durable.
  func append(
    _ drafts: [Draft], isLocal: Bool, attempt: (EventID, [EncodedEvent]) -> Void
  ) throws -> EventID {
    let facts = try engine.syncFacts()
    try engine.catchUp()
    let last = try append(drafts, by: facts.identity, isLocal: isLocal, attempt)
    try engine.catchUp()
    return last
  }

  private func append(
    _ drafts: [Draft], by author: Identity, isLocal: Bool,
    _ attempt: (EventID, [EncodedEvent]) -> Void
  ) throws -> EventID {
    try log.lock()
    defer { log.unlock() }
    let origin = isLocal ? author.id.privateOrigin : author.id
    let projector = engine.projector
    let first = projector.sequence(of: origin) + 1
    var drafts = drafts
    if !isLocal, first == 1 {
      let claim = Body(operations: [.identity(IdentityClaim(author))])
      drafts.insert(Draft(kind: .identity, body: .present(claim.encoded())), at: 0)
    }
    var builder = FrameBuilder(
      origin: origin, firstSequence: first,
      chainBefore: Chain(value: projector.chain(of: origin)))
    var context = try projector.context(of: origin)
    var events: [EncodedEvent] = []
    for draft in drafts {
      var envelope = Envelope(kind: draft.kind, authored: engine.tick(), bodyCodec: draft.codec)
      var bytes: [UInt8]
      if draft.isOfLaterVersion {
        bytes = envelope.encoded()
        bytes[0] = Envelope.version + 1
      } else {
        envelope.context = context.delta(
          to: isLocal ? projector.wholeVector : projector.vector)
        try context.apply(envelope.context)
        bytes = envelope.encoded()
      }
      events.append(EncodedEvent(envelope: bytes, body: draft.body))
    }
    for event in events { try builder.append(event) }
    attempt(EventID(origin, first), events)
    let frame = try builder.finish()
    try log.append(frame)
    try log.sync()
    return EventID(origin, frame.header.lastSequence)
  }
}
