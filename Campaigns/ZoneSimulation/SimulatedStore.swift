internal import Daybook
internal import EventCore
internal import LogEngine
internal import Projections
internal import Replication
internal import Simulation

/// A store without threads and GRDB's pool.
///
/// It does with log, identity and projector what `StoreEngine` does.
final class SimulatedStore: ReplicaProcess {
  let log: EventLog
  let responder = SyncResponder(rememberedMax: 3)
  var beforeStoring: (() -> Void)?
  var told = Knowledge()
  let readModel: SimulatedReadModel
  let reader: LogReader
  private let files: IdentityOnDisk
  private(set) var file: IdentityFile
  private var identity: Identity?
  private let clock: SimulatedClock
  private var authored = HybridClock()
  private let random: RandomBytes

  /// Opens a store as `Store.open` does; creates it if the disk has none.
  init(
    _ disk: SimulatedDisk, _ options: EventLog.Options, _ readModel: SimulatedReadModel,
    _ clock: SimulatedClock, _ random: RandomBytes
  ) throws {
    files = IdentityOnDisk(storage: SimulatedStorage(disk))
    self.clock = clock
    self.random = random
    self.readModel = readModel
    if let file = try files.read() {
      self.file = file
      identity = try files.identity(of: file)
    } else {
      let identity = try Identity(seed: random.next(32))
      file = IdentityFile(identity)
      try files.write(file, key: identity)
      self.identity = identity
    }
    let report: RecoveryReport
    (log, report) = try EventLog.open(
      storage: SimulatedStorage(disk), lock: SimulatedLock(disk), options: options,
      applied: readModel.vector)
    guard report.damage.isEmpty else {
      throw ReplicationViolation(.kept, "the log is damaged: \(report)")
    }
    reader = LogReader(log)
    if report.mustRenewIdentity { try renewByHand() }
    try readModel.open(LogFeed(log))
    try readModel.write()
  }

  var replica: ReplicaID { file.replica }
  var zone: ZoneID { ZoneID(bytes: file.zone) }
  var authority: [UInt8]? { file.authority }
  /// Whether it keeps its replica id; otherwise its next write is under a new one.
  var hasIdentity: Bool { identity != nil }
  var takesGaps: Bool { true }
  var signer: Identity? { identity }

  func close() {
    try? log.close()
    readModel.close()
  }

  // MARK: - Storing

  func store(_ ranges: [CheckedRange]) throws {
    beforeStoring?()
    try log.lock()
    defer { log.unlock() }
    try log.ingest(ranges, as: replica, renew: renewIdentity) { authority in
      try self.change { file in file.authority = file.authority ?? authority }
    }
    try readModel.write()
    _ = try? log.rollIfNeeded()
  }

  /// Catches the read model up with the log, as a store does when a sync ends.
  func project() throws { try readModel.write() }

  func adopt(_ zone: ZoneID) throws {
    try change { file in if file.zone == ZoneID.none.bytes { file.zone = zone.bytes } }
  }

  private func change(_ change: (inout IdentityFile) -> Void) throws {
    var next = file
    change(&next)
    if next != file { try files.write(next) }
    file = next
  }

  /// Renews the identity, as `identity renew` does.
  func renewByHand() throws {
    try log.lock()
    defer { log.unlock() }
    try renewIdentity()
  }

  /// Takes a new key and with it a new replica id.
  ///
  /// The last record of the old replica is a head. Without it, no peer could take its events from
  /// here.
  private func renewIdentity() throws {
    let last = EventID(file.replica, log.vector[file.replica])
    if last.sequence > 0, let identity, let chain = try log.chain(after: last) {
      try log.append(
        try Head(zone: file.zone, sequence: last.sequence, chain: chain, by: identity))
      try log.sync()
    }
    let renewed = try Identity(seed: random.next(32))
    let next = file.renewed(as: renewed, through: identity == nil ? 0 : last.sequence)
    try files.write(next, key: renewed)
    file = next
    identity = renewed
    try log.identityRenewed()
  }

  // MARK: - Writing

  /// The content of one transaction.
  struct Draft {
    var kind = Envelope.Kind.transaction
    var codec = Envelope.BodyCodec.plain
    var body: EncodedEvent.Body
    /// Whether its envelope is of a later version, which no replica here can read.
    var isOfLaterVersion = false
  }

  /// Writes transactions as one group.
  ///
  /// - Parameters:
  ///   - local: The transactions on local collections. They are in a second frame.
  ///   - typed: Returns transactions that depend on what the read model shows. They come before the
  ///     others. It is called with the id of the first of them.
  ///   - attempt: Receives the first id and the events of each frame before they are appended.
  /// - Returns: The last event of each origin. They are durable.
  func write(
    _ drafts: [Draft], local: [Draft] = [],
    typed: (Projector, EventID) throws -> [Draft] = { _, _ in [] },
    attempt: (EventID, [EncodedEvent]) -> Void
  ) throws -> [EventID] {
    try log.lock()
    defer { log.unlock() }
    if identity == nil { try renewIdentity() }
    guard let identity else { throw ProcessError.noIdentity }
    var last: [EventID] = []
    try readModel.write { projector in
      var frames: [Frame] = []
      let known = projector.vector[identity.id]
      // The first event of all says who the author is.
      let drafts = try typed(projector, EventID(identity.id, max(known, 1) + 1)) + drafts
      if !drafts.isEmpty { frames.append(try frame(drafts, identity, projector, attempt)) }
      if !local.isEmpty { frames.append(try localFrame(local, identity, projector, attempt)) }
      for frame in frames { try log.append(frame) }
      try log.sync()
      last = frames.map { EventID($0.header.origin, $0.header.lastSequence) }
    }
    _ = try? log.rollIfNeeded()
    return last
  }

  /// Builds the frame of the transactions on local collections, under the private origin.
  private func localFrame(
    _ drafts: [Draft], _ identity: Identity, _ projector: Projector,
    _ attempt: (EventID, [EncodedEvent]) -> Void
  ) throws -> Frame {
    let origin = identity.id.privateOrigin
    let first = projector.sequence(of: origin) + 1
    var builder = FrameBuilder(
      origin: origin, firstSequence: first,
      chainBefore: Chain(value: projector.chain(of: origin)))
    var context = try projector.context(of: origin)
    var events: [EncodedEvent] = []
    for draft in drafts {
      authored.observe(projector.latestTime)
      let delta = context.delta(to: projector.wholeVector)
      try context.apply(delta)
      let envelope = Envelope(
        kind: draft.kind, authored: authored.tick(wallMilliseconds: clock.wallMilliseconds),
        bodyCodec: draft.codec, context: delta)
      events.append(EncodedEvent(envelope: envelope.encoded(), body: draft.body))
    }
    for event in events { try builder.append(event) }
    attempt(EventID(origin, first), events)
    return try builder.finish()
  }

  private func frame(
    _ drafts: [Draft], _ identity: Identity, _ projector: Projector,
    _ attempt: (EventID, [EncodedEvent]) -> Void
  ) throws -> Frame {
    let first = projector.vector[identity.id] + 1
    var builder = FrameBuilder(
      origin: identity.id, firstSequence: first,
      chainBefore: Chain(value: projector.chain(of: identity.id)))
    var context = try projector.context(of: identity.id)
    var events: [EncodedEvent] = []
    var drafts = drafts
    if first == 1 {
      let claim = Body(operations: [.identity(IdentityClaim(identity))])
      drafts.insert(Draft(kind: .identity, body: .present(claim.encoded())), at: 0)
    }
    for draft in drafts {
      authored.observe(projector.latestTime)
      var envelope = Envelope(
        kind: draft.kind, authored: authored.tick(wallMilliseconds: clock.wallMilliseconds),
        bodyCodec: draft.codec)
      var bytes: [UInt8]
      if draft.isOfLaterVersion {
        bytes = envelope.encoded()
        bytes[0] = Envelope.version + 1
      } else {
        envelope.context = context.delta(to: projector.vector)
        try context.apply(envelope.context)
        bytes = envelope.encoded()
      }
      events.append(EncodedEvent(envelope: bytes, body: draft.body))
    }
    for event in events { try builder.append(event) }
    attempt(EventID(identity.id, first), events)
    return try builder.finish()
  }

  /// Appends a signed head of its last event, which peers need to accept the events of a backup.
  func signHead() throws {
    try log.lock()
    defer { log.unlock() }
    guard let identity, log.vector[identity.id] > 0 else { return }
    let last = log.vector[identity.id]
    guard let chain = try log.chain(after: EventID(identity.id, last)) else { return }
    try log.append(try Head(zone: file.zone, sequence: last, chain: chain, by: identity))
    try log.sync()
  }
}

enum ProcessError: Error { case noIdentity }
