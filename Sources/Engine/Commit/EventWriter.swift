import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import DaybookProjections
import GRDB

/// Writes the events of a group, one after another: it begins an event with its first operation,
/// takes the operations that follow, and finishes the event, or takes it back.
///
/// An event is written to the read model while it grows, and to the frames for the log when it is
/// finished.
///
/// There are no savepoints between events: each would make SQLite rewrite its search index. To take
/// an event back, the whole transaction of the read model is rolled back, and the operations of the
/// other events are applied again. The closures that wrote them do not run again. A part of an
/// event is taken back by itself; see ``WrittenParts``.
package final class EventWriter {
  let projector: Projector
  let database: Database
  /// The types with which the store was opened.
  package let types: AppTypes
  private let identity: Identity
  private let tick: () -> HybridTime
  /// The bulk load of the store; nil if the read model gets each write at once.
  private var bulkLoad: BulkLoad?
  /// The finished events that are shared.
  private var shared: GroupFrames
  /// The finished events that are local, which are of the private origin.
  private var local: GroupFrames
  private var finished: [Event] = []

  /// The event that is being written; nil until its first operation.
  private var current: Event?
  /// What the running parts of the current event have written.
  private var parts = WrittenParts()
  /// The time of the current event, or of the next one.
  private(set) var authored = HybridTime(rawValue: 0)
  /// The time of the claim of the identity, if the next shared event is this replica's first.
  private var claimed: HybridTime?
  /// Whether the current event has begun, so that the read model may have changed.
  ///
  /// True even if its first operation failed, or was taken back.
  private var hasBegun = false
  private var readModel = ReadModelState.level

  /// What the read model has of the group.
  private enum ReadModelState {
    /// It has all operations so far.
    case level
    /// It lacks the newest operation, and may have to be told that its event ends.
    ///
    /// The next look-up makes it level. At the end of a transaction that happens during the fsync.
    case behind(Newest?, isEnd: Bool)
    /// An event that failed has left changes in it.
    case spoiled
    /// It could not be built at the end of a bulk load. No event of the group can be written then.
    case unbuilt(any Error)
  }

  /// The newest operation, and the entity as it was looked up for it.
  private struct Newest {
    var operation: Operation
    var handle: EntityHandle
    var event: EventID
    var index: Int
  }

  private struct Event {
    var id: EventID
    var envelope: Envelope
    var actor = ""
    var label = ""
    var annotations: [String: String] = [:]
    var operations: [Operation] = []

    var body: Body {
      Body(actor: actor, label: label, annotations: annotations, operations: operations)
    }
  }

  /// - Parameters:
  ///   - database: the connection of the read model, in a transaction.
  ///   - tick: returns the next authored time.
  ///   - bulkLoad: the bulk load of the store, if it is being filled.
  ///   - types: the types with which the store was opened.
  init(
    projector: Projector, database: Database, identity: Identity, packer: FramePacker,
    bulkLoad: BulkLoad?, types: AppTypes, tick: @escaping () -> HybridTime
  ) {
    self.projector = projector
    self.types = types
    self.database = database
    self.identity = identity
    self.bulkLoad = bulkLoad
    self.tick = tick
    shared = GroupFrames(Self.builder(identity.id, projector), packer: packer)
    local = GroupFrames(Self.builder(identity.id.privateOrigin, projector), packer: packer)
    projector.lookUpUnlogged { [weak self] id in
      guard let event = self?.finished.last(where: { $0.id == id }) else { return nil }
      return (event.body.encoded(salt: nil), event.envelope.bodyCodec)
    }
  }

  private static func builder(_ origin: ReplicaID, _ projector: Projector) -> FrameBuilder {
    FrameBuilder(
      origin: origin, firstSequence: projector.sequence(of: origin) + 1,
      chainBefore: Chain(value: projector.chain(of: origin)))
  }

  // MARK: - The current event

  /// Prepares for the next event, on a read model with exactly the finished ones.
  func prepare() throws {
    try reconcile()
    claimed = shared.nextSequence == 1 ? tick() : nil
    authored = tick()
    hasBegun = false
  }

  /// The id of the next event, if it is shared and if it is local.
  ///
  /// The first shared event of a replica is the claim of its identity.
  var ids: (shared: EventID, local: EventID) {
    (
      EventID(shared.origin, max(shared.nextSequence, 2)),
      EventID(local.origin, local.nextSequence)
    )
  }

  /// The operations of the current event so far.
  var operations: [Operation] { current?.operations ?? [] }

  /// The number of operations of the current event so far.
  var count: Int { current?.operations.count ?? 0 }

  /// Applies the newest operation to the read model, or notes it if the store is being filled.
  /// - Returns: the entity as it is then; nil if it has to be looked up.
  @discardableResult
  private func applyNewest() throws -> EntityHandle? {
    guard case .behind(let newest?, let isEnd) = readModel else { return nil }
    readModel = isEnd ? .behind(nil, isEnd: true) : .level
    try database.requireTransaction()
    guard let bulkLoad else {
      return try projector.apply(
        newest.operation, at: newest.index, of: newest.event, to: newest.handle)
    }
    if !bulkLoad.note(newest.operation, newest.handle) { try restore() }
    return nil
  }

  /// Looks up an entity, in a read model with all operations so far.
  func handle(_ collection: CollectionSchema, _ id: String) throws -> EntityHandle {
    try applyNewest()
    if let bulkLoad {
      if let handle = try bulkLoad.unknown(collection, id) { return handle }
      try restore()
    }
    return try projector.handle(collection, id)
  }

  /// Gives the read model all operations so far. This ends a bulk load.
  func project() throws {
    try applyNewest()
    if bulkLoad != nil { try restore() }
  }

  /// Returns an entity as the newest operation, which was about it, has left it.
  func handle(after handle: EntityHandle, of collection: CollectionSchema) throws -> EntityHandle {
    try applyNewest() ?? self.handle(collection, handle.id)
  }

  /// Adds an operation to the current event, and begins the event if this is its first.
  /// - Parameters:
  ///   - operation: the operation.
  ///   - handle: the entity that it is about, as it was just looked up; nil for a definition. The
  ///     read model gets an operation on an entity later, but before the next look-up.
  ///   - isLocal: whether the event is local.
  func add(_ operation: Operation, to handle: EntityHandle?, isLocal: Bool) throws {
    try applyNewest()
    // All that the event had so far was taken back, and it was of the other kind.
    if let id = current?.id, count == 0, id.origin.isPrivate != isLocal { try restore() }
    let id = try current?.id ?? begin(isLocal: isLocal)
    try parts.note(count, to: handle)
    if let handle {
      let newest = Newest(operation: operation, handle: handle, event: id, index: count)
      readModel = .behind(newest, isEnd: false)
    } else {
      try projector.apply(operation, at: count, of: id)
    }
    current?.operations.append(operation)
  }

  /// Begins a part of the current event, whose operations can be taken back by themselves.
  func beginPart() { parts.begin() }

  /// Ends the part that began last.
  func endPart() { parts.end() }

  /// Takes back all operations of the current event but the first ones.
  ///
  /// Cost: a write for each entity that they have written to. If some of them are definitions, or
  /// the store is being filled, all events of the group are applied once more.
  /// - Parameter count: the number of operations at the beginning of a running part.
  func rewind(to count: Int) throws {
    guard let event = current else { return }
    current?.operations.removeSubrange(count...)
    let before = bulkLoad == nil ? parts.takeBack(to: count) : nil
    guard let before else { return try restore() }
    readModel = .level
    try database.requireTransaction()
    try projector.takeBack(count..<event.operations.count, of: event.id, before: before)
  }

  /// Finishes the current event, which is then part of the group. Without operations it is none.
  /// - Parameters:
  ///   - job: the transaction that the event is of.
  ///   - isOnly: whether no other event may follow in the group. The last operation then need not
  ///     be applied yet.
  /// - Throws: the error for which the event has to be taken back (``discard(isSpoiled:)``).
  func finish(_ job: WriteJob, isOnly: Bool) throws {
    try requireBuilt()
    guard var event = current else { return }
    guard !event.operations.isEmpty else { return try discard(isSpoiled: true) }
    // Whether an event ends the bulk load must be known before the log has it.
    if isOnly, bulkLoad == nil { readModel = .behind(newest, isEnd: true) } else { try complete() }
    (event.actor, event.label, event.annotations) = (job.actor, job.label, job.annotations)
    let encoded = EncodedEvent(event.envelope, event.body)
    guard encoded.size <= Body.eventBytesMax else {
      throw StoreError(
        .tooLarge,
        "the transaction makes an event of \(encoded.size) bytes, over the limit of "
          + "\(Body.eventBytesMax)", hint: "Split it into several")
    }
    try append(encoded, event)
    current = nil
  }

  /// Takes the current event back, before the next one is written.
  /// - Parameter isSpoiled: whether the read model may have changed though no event has begun.
  /// - Throws: the error after which the group cannot go on.
  func discard(isSpoiled: Bool) throws {
    try requireBuilt()
    readModel = hasBegun || isSpoiled ? .spoiled : .level
    current = nil
  }

  // MARK: - The group

  /// Whether any transaction has become an event. If none has, the caller rolls back.
  var isFruitful: Bool { finished.contains { $0.envelope.kind == .transaction } }

  /// Whether nothing was left in the read model.
  var isClean: Bool {
    if case .spoiled = readModel { return false }
    return finished.isEmpty
  }

  /// Whether no event was finished.
  var isEmpty: Bool { finished.isEmpty }

  /// The bytes of the finished events.
  var rawLength: Int { shared.rawLength + local.rawLength }

  /// The figures of the finished events.
  var figures: StoreTelemetry.Group {
    StoreTelemetry.Group(
      events: finished.count, operations: finished.reduce(0) { $0 + $1.operations.count },
      last: finished.last?.id)
  }

  /// Removes from the read model what an event that failed has left there.
  ///
  /// To be called before the events are appended to the log: SQLite may have rolled back the writes
  /// of the other events too.
  func mend() throws {
    if case .spoiled = readModel { try restore() }
  }

  /// Brings the read model to exactly the finished events.
  func reconcile() throws {
    try mend()
    if case .behind(_, isEnd: true) = readModel { try complete() }
  }

  /// Returns the finished events in frames, the shared ones first.
  ///
  /// If a crash leaves only some of the frames, no event in these has seen one that is lost.
  func frames() throws -> [Frame] { try shared.finish() + local.finish() }

  // MARK: - Internals

  /// The newest operation, if the read model lacks it.
  private var newest: Newest? {
    if case .behind(let newest, _) = readModel { newest } else { nil }
  }

  /// Begins the current event.
  /// - Returns: its id.
  private func begin(isLocal: Bool) throws -> EventID {
    hasBegun = true
    let id = isLocal ? ids.local : ids.shared
    if let claimed, !isLocal, shared.nextSequence == 1 { try claimIdentity(at: claimed) }
    let envelope = try envelope(.transaction, at: authored, isLocal: isLocal)
    current = Event(id: id, envelope: envelope)
    try projector.beginLocalEvent(id, envelope)
    return id
  }

  /// Writes the claim of the replica's identity, its first event.
  ///
  /// The private origin needs none, as no peer checks it.
  private func claimIdentity(at authored: HybridTime) throws {
    let event = Event(
      id: EventID(identity.id, 1), envelope: try envelope(.identity, at: authored, isLocal: false),
      operations: [.identity(IdentityClaim(identity))])
    try apply(event)
    try projector.finishEvent()
    try append(EncodedEvent(event.envelope, event.body), event)
  }

  /// Returns an envelope with its context.
  ///
  /// That of a shared event leaves out private events; that of a private event has all.
  private func envelope(_ kind: Envelope.Kind, at authored: HybridTime, isLocal: Bool) throws
    -> Envelope
  {
    let context = try projector.context(of: isLocal ? local.origin : shared.origin)
    return Envelope(
      kind: kind, authored: authored, context: context.delta(to: projector.wholeVector))
  }

  private func append(_ encoded: EncodedEvent, _ event: Event) throws {
    if event.id.origin.isPrivate { try local.append(encoded) } else { try shared.append(encoded) }
    finished.append(event)
  }

  /// Ends the event in the read model that was begun there last.
  private func complete() throws {
    try applyNewest()
    readModel = .level
    try projector.finishEvent()
  }

  /// Begins the transaction of the read model again, and applies to it the finished events and what
  /// there is of the current one. This ends a bulk load.
  ///
  /// No other process writes meanwhile, as the commit lock is held.
  private func restore() throws {
    readModel = .level
    // If no operation is left, there is no event. The next operation begins one.
    if count == 0 { current = nil }
    parts.forget(before: count)
    guard let bulkLoad else {
      try database.rollback()
      try projector.reload()
      return try applyAgain()
    }
    self.bulkLoad = nil
    do {
      try bulkLoad.end(database)
      try applyAgain()
    } catch {
      readModel = .unbuilt(error)
      throw error
    }
  }

  private func requireBuilt() throws {
    if case .unbuilt(let error) = readModel { throw error }
  }

  private func applyAgain() throws {
    try database.beginTransaction(.immediate)
    for event in finished {
      try apply(event)
      try projector.finishEvent()
    }
    if let current { try apply(current) }
    readModel = .level
  }

  private func apply(_ event: Event) throws {
    try projector.beginLocalEvent(event.id, event.envelope)
    for (index, operation) in event.operations.enumerated() {
      try projector.apply(operation, at: index, of: event.id)
    }
  }
}
