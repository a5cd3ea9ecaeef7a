import EventCore
import GRDB
import LogEngine
import Projections

/// The transactions that share a frame and an fsync, as they run in one transaction of the read
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
  private var builder: FrameBuilder
  private var accepted: [Accepted] = []
  /// The transaction whose last write the read model does not have yet.
  private var unsettled: Transaction?
  /// A transaction that failed has left something in the read model.
  private var isSpoiled = false

  private struct Accepted {
    var event: EventID
    var envelope: Envelope
    var operations: [Operation]
  }

  /// A frame takes no further transaction once it has so many bytes.
  private static let bytesMax = 1 << 20

  /// - Parameter tick: the next authored time.
  init(
    projector: Projector, database: Database, identity: Identity,
    tick: @escaping () -> HybridTime
  ) {
    self.projector = projector
    self.database = database
    self.identity = identity
    self.tick = tick
    builder = FrameBuilder(
      origin: identity.id, firstSequence: projector.vector[identity.id] + 1,
      chainBefore: Chain(value: projector.chain(of: identity.id)))
  }

  /// Runs one transaction.
  /// - Returns: nil where the frame has no room for it, and it has to run again in another.
  /// - Throws: where the group cannot go on. What the transaction throws is an outcome.
  func run(_ job: WriteJob) throws -> WriteOutcome? {
    if builder.rawLength > Self.bytesMax { return nil }
    try settle()
    if builder.nextSequence == 1 { try claimIdentity() }
    let envelope = try envelope(.transaction)
    let transaction = Transaction(
      projector: projector, database: database, event: EventID(identity.id, builder.nextSequence),
      envelope: envelope)
    let value: any Sendable
    do {
      defer { transaction.end() }
      value = try job.body(transaction)
      if projector.hasDeferralEnded { throw DeferralEnded() }
      guard !transaction.isEmpty else { return .success(value) }
    } catch {
      if projector.hasDeferralEnded { throw DeferralEnded() }
      isSpoiled = transaction.hasBegun
      return .failure(error)
    }
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
    if builder.count > 0, builder.rawLength + encoded.size > Body.eventBytesMax {
      isSpoiled = true
      return nil
    }
    do { try append(encoded, transaction.event, envelope, transaction.operations) } catch {
      isSpoiled = true
      return .failure(error)
    }
    unsettled = transaction
    return .success(value)
  }

  /// Whether any transaction was accepted. Where none was, it is for the caller to roll back.
  var isFruitful: Bool { accepted.contains { $0.envelope.kind == .transaction } }

  /// Whether no transaction has left anything in the read model.
  var isClean: Bool { !isSpoiled && accepted.isEmpty }

  /// Leaves in the read model what was accepted, all of it, and nothing else.
  func settle() throws {
    if isSpoiled { return try restore() }
    guard let transaction = unsettled else { return }
    unsettled = nil
    try transaction.settle()
    try projector.finishEvent()
  }

  /// How much was accepted.
  var written: StoreTelemetry.Group {
    StoreTelemetry.Group(
      events: accepted.count, operations: accepted.reduce(0) { $0 + $1.operations.count },
      last: accepted.last?.event)
  }

  /// The events accepted. Sealing leaves large frames as they are, so they are packed well at once.
  func frame() throws -> Frame {
    let isLarge = builder.rawLength >= EventLog.Options.defaultSealCopyBytes
    return try builder.finish(isLarge ? .high : .fast)
  }

  private func envelope(_ kind: Envelope.Kind) throws -> Envelope {
    Envelope(
      kind: kind, authored: tick(),
      context: try projector.context(of: identity.id).delta(to: projector.vector))
  }

  /// A replica's first event says who it is.
  private func claimIdentity() throws {
    let event = EventID(identity.id, 1)
    let claim = Operation.identity(IdentityClaim(identity))
    let envelope = try envelope(.identity)
    try apply(event, envelope, [claim])
    try append(EncodedEvent(envelope, Body(operations: [claim])), event, envelope, [claim])
  }

  private func append(
    _ encoded: EncodedEvent, _ event: EventID, _ envelope: Envelope, _ operations: [Operation]
  ) throws {
    try builder.append(encoded)
    accepted.append(Accepted(event: event, envelope: envelope, operations: operations))
  }

  private func apply(_ event: EventID, _ envelope: Envelope, _ operations: [Operation]) throws {
    try projector.beginLocalEvent(
      event, authored: envelope.authored, context: envelope.context)
    for (index, operation) in operations.enumerated() {
      try projector.applyLocal(operation, id: event, index: index)
    }
    try projector.finishEvent()
  }

  /// Takes back what a failed transaction left. The commit lock is held, so nobody writes between.
  private func restore() throws {
    if projector.isDeferring { throw DeferralEnded() }
    try database.rollback()
    try projector.reload()
    try database.beginTransaction(.immediate)
    for one in accepted { try apply(one.event, one.envelope, one.operations) }
    (isSpoiled, unsettled) = (false, nil)
  }
}
