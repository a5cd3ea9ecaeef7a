import EventCore
import GRDB
import LogEngine
import Projections

/// The transactions that share an fsync, as they run in one transaction of the read
/// model.
///
/// No savepoint stands between them: each would make SQLite write its search index anew. One that
/// fails after it has written takes everything back instead, and what the others wrote is applied
/// again: their operations, not their closures.
final class CommitGroup {
  private let projector: Projector
  private let database: Database
  private let identity: Identity
  private let tick: () -> HybridTime
  private let project: () throws -> Void
  /// The shared events, and those of the private origin.
  private var shared: GroupFrames
  private var local: GroupFrames
  private var accepted: [Accepted] = []
  /// The transaction whose last write the read model does not have yet.
  private var unsettled: Transaction?
  /// A transaction that failed has left something in the read model.
  private var isSpoiled = false
  /// Whether there are several transactions, of which one must not take the others with it if the read
  /// model cannot take its last write.
  private let isShared: Bool

  private struct Accepted {
    var event: EventID
    var envelope: Envelope
    var operations: [Operation]
  }

  /// Series of which one has failed in this group: those after it are not run.
  private var failedSeries: Set<ObjectIdentifier> = []

  /// A group takes no further transaction once it has so many bytes.
  private static let bytesMax = 1 << 20

  /// - Parameters:
  ///   - isShared: whether there are several transactions.
  ///   - tick: the next authored time.
  ///   - project: ends a deferral: makes the read model of what the log holds, and begins the transaction
  ///     of it in which the group goes on.
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
  /// - Returns: nil where the group has no room for it, and it has to run in another.
  /// - Throws: where the group cannot go on. What the transaction throws is an outcome.
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
    try settle()
    let transaction = Transaction(projector: projector, database: database, place: place())
    let value: any Sendable
    let isSettled: Bool
    do {
      value = try run(job.body, transaction)
      guard !transaction.isEmpty else { return .success(value) }
      // What ends a deferral has to be known before the event is in the log.
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

  /// - Throws: what the closure throws, and what has ended its transaction even if the closure caught it.
  private func run(
    _ body: (Transaction) throws -> any Sendable, _ transaction: Transaction
  ) throws -> any Sendable {
    let value: any Sendable
    do { value = try body(transaction) } catch {
      try? transaction.end()
      throw error
    }
    try transaction.end()
    return value
  }

  /// Whether any transaction was accepted. Where none was, it is for the caller to roll back.
  var isFruitful: Bool { accepted.contains { $0.envelope.kind == .transaction } }

  /// Whether no transaction has left anything in the read model.
  var isClean: Bool { !isSpoiled && accepted.isEmpty }

  /// Takes what a failed transaction has left out of the read model. To be called before the events are
  /// appended: SQLite may have taken back what the others wrote.
  func mend() throws {
    if isSpoiled { try restore() }
  }

  /// Leaves in the read model what was accepted, all of it, and nothing else.
  func settle() throws {
    try mend()
    guard let transaction = unsettled else { return }
    unsettled = nil
    try transaction.complete()
  }

  /// How much was accepted.
  var written: StoreTelemetry.Group {
    StoreTelemetry.Group(
      events: accepted.count, operations: accepted.reduce(0) { $0 + $1.operations.count },
      last: accepted.last?.event)
  }

  /// The events accepted, in frames. The shared ones come first: where a crash leaves some of them, no
  /// event of those has seen what is not there.
  func frames() throws -> [Frame] { try shared.finish() + local.finish() }

  /// Where the next transaction's event goes.
  private func place() -> EventPlace {
    let claimed = shared.nextSequence == 1 ? tick() : nil
    let authored = tick()
    return EventPlace(
      authored: authored,
      // The first shared event is the identity's.
      shared: EventID(shared.origin, max(shared.nextSequence, 2)),
      local: EventID(local.origin, local.nextSequence),
      begin: { [self] isLocal in
        if let claimed, !isLocal, shared.nextSequence == 1 { try claimIdentity(at: claimed) }
        return try envelope(.transaction, at: authored, isLocal: isLocal)
      }, project: { [self] in try endDeferral() })
  }

  /// The context of a shared event leaves out what is private; a private event's has all.
  private func envelope(_ kind: Envelope.Kind, at authored: HybridTime, isLocal: Bool = false)
    throws -> Envelope
  {
    let context = try projector.context(of: isLocal ? local.origin : shared.origin)
    return Envelope(
      kind: kind, authored: authored, context: context.delta(to: projector.wholeVector))
  }

  /// A replica's first event says who it is. Its private origin is nobody's to check.
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

  /// Takes back what a failed transaction left. The commit lock is held, so nobody writes between.
  private func restore() throws {
    if projector.isDeferring { return try endDeferral() }
    try database.rollback()
    try projector.reload()
    try database.beginTransaction(.immediate)
    try applyAccepted()
  }

  /// What was accepted so far is in the read model then: its operations are applied, no closure runs again.
  private func endDeferral() throws {
    try project()
    try applyAccepted()
  }

  private func applyAccepted() throws {
    for one in accepted { try apply(one.event, one.envelope, one.operations) }
    (isSpoiled, unsettled) = (false, nil)
  }
}
