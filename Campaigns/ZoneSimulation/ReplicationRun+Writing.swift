import DaybookEngine
import DaybookEventCore
import DaybookLogEngine
import DaybookProjections
import DaybookReferenceModel
import DaybookSimulation

/// The writes of stores.
///
/// A store writes through transactions. Operations that a transaction refuses may become an event
/// that is appended to the log by hand, as another program might do. Events of later versions are
/// appended in that way, too.
extension ReplicationRun {
  /// Writes some transactions in a store, or starts its machine if it is down.
  ///
  /// - Parameters:
  ///   - names: The collections to define; if empty, random transactions are written.
  ///   - isShared: Whether to write to shared collections, not only to local ones.
  func write(_ machine: Machine, defining names: [String] = [], isShared: Bool = false) throws {
    guard let store = machine.store else { return try start(machine) }
    if let cloned = machine.cloned, cloned.identity == store.replica,
      store.log.vector[cloned.identity] == cloned.through
    {
      // The store cannot know that it is a copy, so its identity is renewed by hand.
      do { try store.renewByHand() } catch {
        tell(machine, "renews its identity ✗ \(error)")
        try explain(error, machine)
        return try checkAfterStep(machine)
      }
      tell(machine, "renews its identity: \(store.replica.description.prefix(6))")
      machine.identities.insert(store.replica)
    }
    let isLocal = names.isEmpty && random.chance(20)
    var drafts = names.map { name in
      SimulatedStore.Draft(body: .present(Body(operations: [operations.define(name)]).encoded()))
    }
    var transactions = names.map { name in
      let definition = operations.plainDefinition(name)
      return SimulatedStore.Transaction { tx in
        _ = try Self.accepting { try tx.define(definition) }
      }
    }
    if !names.isEmpty || random.chance(45) { transactions = typed() + transactions }
    let refused = Refused()
    while transactions.isEmpty && (isShared || !isLocal || random.chance(50)) || random.chance(55) {
      transactions.append(transaction(refused))
    }
    if isLocal, random.chance(50) { transactions.append(localTransaction(refused)) }
    do {
      var unreadable: EventID?
      var last = try store.write(transactions) { first, events in
        self.note(first, events, machine)
        unreadable = unreadable ?? Self.unreadable(first, events)
      }
      if let unreadable {
        throw ReplicationViolation(
          .pure, "\(machine.name) has written \(Self.short(unreadable)), which cannot be read")
      }
      drafts += foreignDrafts(refused)
      if isShared, !last.contains(where: { !$0.origin.isPrivate }) {
        // One that every version reads, so that a hub stamps it.
        drafts.append(.init(body: .present(Body(operations: operations.transaction()).encoded())))
      }
      if !drafts.isEmpty {
        last.append(try store.append(drafts, isLocal: false) { note($0, $1, machine) })
      }
      if isLocal {
        let local = localDrafts()
        statistics.local += local.count
        last.append(try store.append(local, isLocal: true) { note($0, $1, machine) })
      }
      tell(
        machine,
        "writes \(transactions.count) and \(drafts.count) foreign, up to "
          + last.map(Self.short).joined(separator: " and "))
      for event in last where store.log.wholeVector[event.origin] < event.sequence {
        throw ReplicationViolation(.kept, "\(event) was acknowledged, and is not durable")
      }
    } catch {
      tell(machine, "writes ✗ \(error)")
      try explain(error, machine)
    }
    try checkAfterStep(machine)
  }

  /// Notes events before the log of their store has them.
  private func note(_ first: EventID, _ events: [EncodedEvent], _ machine: Machine) {
    truth.attempt(first, events)
    noteBases(first, events)
    machine.identities.insert(first.origin)
    if first.origin.isPrivate {
      machine.wroteLocally(through: first.sequence + UInt64(events.count) - 1, of: first.origin)
    }
  }

  /// Returns the first event that no replica can read; nil if there is none.
  private static func unreadable(_ first: EventID, _ events: [EncodedEvent]) -> EventID? {
    let offset = events.firstIndex { event in
      guard case .present(let bytes) = event.body else { return false }
      let body = try? event.envelope.withUnsafeBytes { envelope in
        let codec = try Envelope(decoding: envelope).bodyCodec
        return try bytes.withUnsafeBytes { try Body(decoding: $0, codec: codec) }
      }
      return body == nil
    }
    return offset.map { EventID(first.origin, first.sequence + UInt64($0)) }
  }

  // MARK: - Transactions

  /// The operations that the transactions of a group have refused.
  final class Refused { var operations: [Operation] = [] }

  /// Returns a transaction with random operations.
  func transaction(_ refused: Refused) -> SimulatedStore.Transaction {
    let written = operations.transaction()
    return .init { tx in
      for operation in written where try !Self.perform(operation, tx) {
        refused.operations.append(operation)
      }
    }
  }

  /// Returns a transaction on a local collection.
  private func localTransaction(_ refused: Refused) -> SimulatedStore.Transaction {
    var definition = operations.plainDefinition("own")
    definition.attributes["local"] = .boolean(true)
    let written = operations.transaction().compactMap { $0.moved(to: "own") }
    return .init { [definition] tx in
      _ = try Self.accepting { try tx.define(definition) }
      for operation in written { _ = try Self.perform(operation, tx) }
    }
  }

  /// Writes an operation through the calls that an app uses.
  ///
  /// - Returns: Whether the transaction accepts it, if need be without the fields that it refuses.
  private static func perform(_ operation: Operation, _ tx: WriteTransaction) throws -> Bool {
    switch operation {
    case .define(let definition):
      try !definition.isLocal && accepting { try tx.define(definition) }
    case .drop(let collection, nil): try accepting { try tx.drop(collection: collection) }
    case .drop(let collection, let field?):
      try accepting { try tx.drop(field: field, of: collection) }
    case .insert(let collection, let id, let fields):
      try some(fields, of: collection, tx) { try tx.insert(collection, id, $0) }
    case .update(let collection, let id, let fields):
      try some(fields, of: collection, tx) { try tx.update(collection, id, $0) }
    case .delete(let collection, let id): try accepting { try tx.delete(collection, id) }
    case .restore(let collection, let id): try accepting { try tx.restore(collection, id) }
    case .erase(let collection, let id): try accepting { try tx.erase(collection, id) }
    case .edit, .undo, .stamp, .identity, .unknown: false
    }
  }

  /// Tries all fields, then those that the collection has, then none.
  private static func some(
    _ fields: [String: Value], of collection: String, _ tx: WriteTransaction,
    _ write: ([String: Value]) throws -> Void
  ) throws -> Bool {
    if try accepting({ try write(fields) }) { return true }
    let known = tx.schema[collection]
    let declared = fields.filter { known?[field: $0.key] != nil }
    if declared.count < fields.count, try accepting({ try write(declared) }) { return true }
    return try accepting { try write([:]) }
  }

  /// Runs a call of a transaction.
  ///
  /// - Returns: Whether it was accepted.
  /// - Throws: An error that is no refusal. It has ended the transaction.
  static func accepting(_ call: () throws -> Void) throws -> Bool {
    do {
      try call()
      return true
    } catch let error as StoreError where error.cause == nil { return false }
  }

  // MARK: - Events of other versions

  private func foreignDrafts(_ refused: Refused) -> [SimulatedStore.Draft] {
    var drafts: [SimulatedStore.Draft] = []
    if !refused.operations.isEmpty, random.chance(90) {
      drafts.append(.init(body: .present(Body(operations: refused.operations).encoded())))
    }
    while random.chance(45) { drafts.append(foreignDraft()) }
    return drafts
  }

  /// Returns an event of a program that checks nothing, or of a later version.
  func foreignDraft() -> SimulatedStore.Draft {
    var written = operations.transaction()
    if random.chance(50) { written += edits.edits(&random) }
    guard random.chance(30) else {
      return .init(body: .present(Body(operations: written).encoded()))
    }
    switch random.below(5) {
    case 0:
      return .init(
        kind: .unknown(UInt64(random.pick(4...300))),
        body: .present(Body(operations: written).encoded()))
    case 1:
      return .init(codec: .unknown(2), body: .present(random.bytes(random.pick(0...60))))
    case 2:
      written.append(
        .unknown(kind: UInt64(random.pick(10...500)), payload: random.bytes(random.pick(0...9))))
      return .init(body: .present(Body(operations: written).encoded()))
    case 3:
      return .init(
        body: .present(Body(operations: written).encoded()), isOfLaterVersion: true)
    default:
      return .init(
        codec: .salted,
        body: .present(Body(operations: written).encoded(salt: random.bytes(16))))
    }
  }

  /// Returns events on local collections, whose names are also those of shared ones.
  private func localDrafts() -> [SimulatedStore.Draft] {
    (0..<random.pick(1...2)).map { _ in
      var written = operations.transaction()
      if random.chance(30) {
        written.insert(operations.define(random.pick(["notes", "own"])), at: 0)
      }
      if random.chance(30) { written += localEdits.edits(&random) }
      return .init(body: .present(Body(operations: written).encoded()))
    }
  }

  /// Notes what events assign, so that later edits may begin with it.
  func noteBases(_ first: EventID, _ events: [EncodedEvent]) {
    for (offset, event) in events.enumerated() {
      guard case .present(let bytes) = event.body,
        let envelope = event.envelope.withUnsafeBytes({ try? Envelope(decoding: $0) }),
        let body = bytes.withUnsafeBytes({ try? Body(decoding: $0, codec: envelope.bodyCodec) })
      else { continue }
      let id = EventID(first.origin, first.sequence + UInt64(offset))
      // Texts of pages change only in ways that the ledger knows.
      let operations = body.operations.map { operation -> Operation in
        switch operation {
        case .insert(Self.pages, _, _), .update(Self.pages, _, _):
          .delete(collection: Self.pages, id: "")
        default: operation
        }
      }
      if first.origin.isPrivate {
        localEdits.note(operations, id)
      } else {
        edits.note(operations, id)
      }
    }
  }

  static func short(_ event: EventID) -> String {
    "\(event.origin.description.prefix(6)):\(event.sequence)"
  }

  func sign(_ machine: Machine) throws {
    guard let store = machine.store else { return }
    do { try store.signHead() } catch {
      tell(machine, "signs ✗ \(error)")
      try explain(error, machine)
    }
    try checkAfterStep(machine)
  }
}

extension Operation {
  /// Returns the operation on the entity of the same id in another collection; nil if it is about
  /// no entity.
  fileprivate func moved(to collection: String) -> Operation? {
    switch self {
    case .insert(_, let id, let fields): .insert(collection: collection, id: id, fields: fields)
    case .update(_, let id, let fields): .update(collection: collection, id: id, fields: fields)
    case .delete(_, let id): .delete(collection: collection, id: id)
    case .restore(_, let id): .restore(collection: collection, id: id)
    case .erase(_, let id): .erase(collection: collection, id: id)
    default: nil
    }
  }
}
