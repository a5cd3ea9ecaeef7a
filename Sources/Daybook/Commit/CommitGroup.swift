import EventCore
import GRDB
import LogEngine
import Projections

/// The transactions that share an fsync, and that run in one transaction of the read model.
///
/// There are no savepoints between them: each would make SQLite rewrite its search index. If a
/// transaction fails after it has written, everything is rolled back, and the operations of the
/// others are applied again. Their closures do not run again.
final class CommitGroup {
  private let projector: Projector
  private let database: Database
  private let identity: Identity
  private let tick: () -> HybridTime
  private let project: () throws -> Void
  /// The shared events of the group.
  private var shared: GroupFrames
  /// The local events of the group, which are of the private origin.
  private var local: GroupFrames
  private var accepted: [Accepted] = []
  /// The transaction whose last write the read model does not have yet.
  private var unsettled: WriteTransaction?
  /// Whether a failed transaction has left changes in the read model.
  private var isSpoiled = false
  /// Whether the group may have several transactions.
  ///
  /// If so, the last write of each is applied before its event is accepted. An error of the read
  /// model then fails one transaction and not the whole group.
  private let isShared: Bool

  private struct Accepted {
    var event: EventID
    var envelope: Envelope
    var operations: [Operation]
  }

  /// The series of which a transaction has failed in this group.
  ///
  /// Their later transactions are not run.
  private var failedSeries: Set<ObjectIdentifier> = []

  /// The bytes of events from which a group takes no further transaction.
  private static let bytesMax = 1 << 20

  /// - Parameters:
  ///   - isShared: whether there may be several transactions.
  ///   - tick: returns the next authored time.
  ///   - project: ends a deferral: builds the read model from the log, and begins the transaction
  ///     in which the group continues.
  init(
    projector: Projector, database: Database, identity: Identity, packer: FramePacker,
    isShared: Bool, tick: @escaping () -> HybridTime, project: @escaping () throws -> Void
  ) {
    self.isShared = isShared
    self.projector = projector
    self.database = database
    self.identity = identity
    self.tick = tick
    self.project = project
    shared = GroupFrames(Self.builder(identity.id, projector), packer: packer)
    local = GroupFrames(Self.builder(identity.id.privateOrigin, projector), packer: packer)
  }

  private static func builder(_ origin: ReplicaID, _ projector: Projector) -> FrameBuilder {
    FrameBuilder(
      origin: origin, firstSequence: projector.sequence(of: origin) + 1,
      chainBefore: Chain(value: projector.chain(of: origin)))
  }

  /// Runs one transaction.
  /// - Returns: its outcome, also if the transaction throws; nil if the group has no room for it,
  ///   and it must run in another.
  /// - Throws: an error after which the group cannot go on.
  func run(_ job: WriteJob) throws -> WriteOutcome? {
    guard let series = job.series else { return try attempt(job) }
    guard !series.isBroken, !failedSeries.contains(ObjectIdentifier(series)) else {
      return .failure(WriteSeries.Broken())
    }
    let outcome = try attempt(job)
    if case .failure = outcome { failedSeries.insert(ObjectIdentifier(series)) }
    return outcome
  }

  private func attempt(_ job: WriteJob) throws -> WriteOutcome? {
    if shared.rawLength + local.rawLength > Self.bytesMax { return nil }
    if job.readsLog, !accepted.isEmpty { return nil }
    try settle()
    let transaction = WriteTransaction(projector: projector, database: database, place: place())
    let value: any Sendable
    let isSettled: Bool
    do {
      value = try run(job.body, transaction)
      guard !transaction.isEmpty else { return .success(value) }
      // Whether the transaction ends a deferral must be known before its event is in the log.
      isSettled = isShared || projector.isDeferring
      if isSettled { try transaction.complete() }
    } catch {
      try transaction.requireProjected()
      isSpoiled = transaction.hasBegun || transaction.failure != nil
      return .failure(error)
    }
    guard let envelope = transaction.envelope else { return .success(value) }
    let body = Body(
      actor: job.actor, label: job.label, annotations: job.annotations,
      operations: transaction.operations)
    let encoded = EncodedEvent(envelope, body)
    guard encoded.size <= Body.eventBytesMax else {
      isSpoiled = true
      return .failure(
        StoreError(
          .tooLarge,
          "the transaction makes an event of \(encoded.size) bytes, over the limit of "
            + "\(Body.eventBytesMax)", hint: "Split it into several"))
    }
    do { try append(encoded, transaction.event, envelope, transaction.operations) } catch {
      isSpoiled = true
      return .failure(error)
    }
    if !isSettled { unsettled = transaction }
    return .success(value)
  }

  /// Runs the closure of a transaction, and ends the transaction.
  /// - Throws: what the closure throws; the error that has ended the transaction, even if the
  ///   closure caught it.
  private func run(
    _ body: (WriteTransaction) throws -> any Sendable, _ transaction: WriteTransaction
  ) throws -> any Sendable {
    let value: any Sendable
    do { value = try body(transaction) } catch {
      try? transaction.end()
      throw error
    }
    try transaction.end()
    return value
  }

  /// Whether any transaction was accepted.
  ///
  /// If none was, the caller rolls back.
  var isFruitful: Bool { accepted.contains { $0.envelope.kind == .transaction } }

  /// Whether no transaction has left anything in the read model.
  var isClean: Bool { !isSpoiled && accepted.isEmpty }

  /// Removes from the read model what a failed transaction has left there.
  ///
  /// To be called before the events are appended: SQLite may have rolled back the writes of the
  /// other transactions too.
  func mend() throws {
    if isSpoiled { try restore() }
  }

  /// Brings the read model to exactly the accepted events.
  func settle() throws {
    try mend()
    guard let transaction = unsettled else { return }
    unsettled = nil
    try transaction.complete()
  }

  /// The figures of the accepted events.
  var written: StoreTelemetry.Group {
    StoreTelemetry.Group(
      events: accepted.count, operations: accepted.reduce(0) { $0 + $1.operations.count },
      last: accepted.last?.event)
  }

  /// Returns the accepted events in frames, the shared ones first.
  ///
  /// If a crash leaves only some of the frames, no event in these has seen one that is lost.
  func frames() throws -> [Frame] { try shared.finish() + local.finish() }

  /// Returns the ids and times for the event of the next transaction.
  private func place() -> EventPlace {
    let claimed = shared.nextSequence == 1 ? tick() : nil
    let authored = tick()
    return EventPlace(
      authored: authored,
      // The first shared event of a replica is the claim of its identity.
      shared: EventID(shared.origin, max(shared.nextSequence, 2)),
      local: EventID(local.origin, local.nextSequence),
      begin: { [self] isLocal in
        if let claimed, !isLocal, shared.nextSequence == 1 { try claimIdentity(at: claimed) }
        return try envelope(.transaction, at: authored, isLocal: isLocal)
      }, takeBack: { [self] in try restore() }, project: { [self] in try endDeferral() })
  }

  /// Returns an envelope with its context.
  ///
  /// That of a shared event leaves out private events; that of a private event has all.
  private func envelope(_ kind: Envelope.Kind, at authored: HybridTime, isLocal: Bool = false)
    throws -> Envelope
  {
    let context = try projector.context(of: isLocal ? local.origin : shared.origin)
    return Envelope(
      kind: kind, authored: authored, context: context.delta(to: projector.wholeVector))
  }

  /// Appends the claim of the replica's identity, its first event.
  ///
  /// The private origin needs none, as no peer checks it.
  private func claimIdentity(at authored: HybridTime) throws {
    let event = EventID(identity.id, 1)
    let claim = Operation.identity(IdentityClaim(identity))
    let envelope = try envelope(.identity, at: authored)
    try apply(event, envelope, [claim])
    try append(EncodedEvent(envelope, Body(operations: [claim])), event, envelope, [claim])
  }

  private func append(
    _ encoded: EncodedEvent, _ event: EventID, _ envelope: Envelope, _ operations: [Operation]
  ) throws {
    if event.origin.isPrivate { try local.append(encoded) } else { try shared.append(encoded) }
    accepted.append(Accepted(event: event, envelope: envelope, operations: operations))
  }

  private func apply(_ event: EventID, _ envelope: Envelope, _ operations: [Operation]) throws {
    try projector.beginLocalEvent(event, envelope)
    for (index, operation) in operations.enumerated() {
      try projector.applyLocal(operation, id: event, index: index)
    }
    try projector.finishEvent()
  }

  /// Rolls back what a failed transaction left.
  ///
  /// No other process writes meanwhile, as the commit lock is held.
  private func restore() throws {
    if projector.isDeferring { return try endDeferral() }
    try database.rollback()
    try projector.reload()
    try database.beginTransaction(.immediate)
    try applyAccepted()
  }

  /// Ends a deferral: builds the read model, and applies the accepted operations to it.
  ///
  /// No closure runs again.
  private func endDeferral() throws {
    try project()
    try applyAccepted()
  }

  private func applyAccepted() throws {
    for one in accepted { try apply(one.event, one.envelope, one.operations) }
    (isSpoiled, unsettled) = (false, nil)
  }
}
