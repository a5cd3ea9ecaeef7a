public import DaybookEventCore
public import DaybookProjections
public import GRDB

/// A transaction of a store: it becomes one event, of which everything happens, durably, or
/// nothing.
///
/// The first write decides whether the event is shared or local. A later write to a collection of
/// the other kind is ``StoreError`` `mixedTransaction`, and nothing of it is written.
///
/// Reads see what the transaction has written so far. The transaction must not be used after the
/// closure that received it has returned.
///
/// A refused call (``StoreError``: a value of the wrong type, an id that is taken) has changed
/// nothing. The closure may catch the error and continue. Any other error, such as a full disk, may
/// have cost earlier changes. It ends the transaction: every later call throws it again, and so
/// does ``Store/write(actor:label:annotations:_:)``, even if the closure caught it.
public final class WriteTransaction {
  /// Writes the event.
  package let writer: EventWriter
  private let ids: (shared: EventID, local: EventID)
  /// The event's time, by this replica's clock.
  public let authored: HybridTime
  /// The collection of the first write, which decides whether the event is local.
  private var first: (collection: String, isLocal: Bool)?
  /// The error that has ended the transaction, whether or not the closure has caught it.
  private(set) var failure: (any Error)?
  /// Watches the closure's statements on ``database``; nil until the closure asks for that.
  private var guardian: DatabaseGuardian?
  private var isOpen = true
  /// The ends of relationships that have to be there when the transaction ends.
  private var expectedEnds: [RelationshipEnd] = []
  /// What a running migration passes over; nil outside of one.
  package var migrated: MigratedData?
  /// What the last calls have typed into a text, and is not written yet.
  var typing: TypedEdit?
  /// The text with that; nil while it is being changed.
  var typedText: EditableText?
  /// The text that the last call has changed by a script, and the number of operations after it.
  var scripted: (place: ScriptedPlace, number: Int)?

  /// Makes the transaction of the event that the writer is prepared for.
  init(_ writer: EventWriter) {
    self.writer = writer
    authored = writer.authored
    ids = writer.ids
  }

  package var projector: Projector { writer.projector }

  /// The operations that the transaction has written so far.
  package var operations: [Operation] {
    // An error ends the transaction, and the next call throws it.
    try? writeTyped()
    return writer.operations
  }

  /// Whether the transaction writes to local collections, so that its event is of the private
  /// origin.
  var isLocal: Bool { first?.isLocal ?? false }

  /// The event that this transaction becomes if it writes anything.
  ///
  /// It is the next shared one, unless the transaction has written to a local collection.
  public var event: EventID { isLocal ? ids.local : ids.shared }

  /// The read model within this transaction, for reading only.
  ///
  /// A statement that writes, that begins or ends a transaction or a savepoint, or that changes a
  /// setting of the connection makes the whole transaction fail with ``StoreError`` `readOnly`: no
  /// event would record its changes. Pragmas that only read are allowed.
  ///
  /// Never run `PRAGMA case_sensitive_like`, here or on another connection. SQLite may change
  /// `LIKE` for the whole process at once, before the store can refuse it.
  /// - Throws: ``StoreError`` `closed` if the transaction has ended; the error that has ended it.
  public var database: Database {
    get throws {
      try requireOpen()
      do {
        try writeTyped()
        _ = try projected()
      } catch {
        failure = failure ?? error
        throw StoreError.surfacing(error)
      }
      if guardian == nil { guardian = DatabaseGuardian(writer.database) }
      return writer.database
    }
  }

  /// Runs the closure, and ends the transaction; no more calls are accepted.
  /// - Throws: what the closure throws; the error that has ended the transaction, even if the
  ///   closure caught it.
  func run<T>(_ body: (WriteTransaction) throws -> T) throws -> T {
    let value: T
    do {
      value = try body(self)
      if failure == nil { try call {} }
      if !expectedEnds.isEmpty { try requireEnds() }
    } catch {
      try? end()
      throw error
    }
    try end()
    return value
  }

  private func end() throws {
    isOpen = false
    if let change = guardian?.end() { failure = change }
    defer { guardian = nil }
    try requireIntact()
  }

  /// Checks that an end of a relationship is there, now or when the transaction ends.
  package func expect(_ end: RelationshipEnd) throws {
    if try !isKnown(end) { expectedEnds.append(end) }
  }

  private func requireEnds() throws {
    try call { for end in expectedEnds where try !isKnown(end) { throw end.missing } }
  }

  private func isKnown(_ end: RelationshipEnd) throws -> Bool {
    try handle(try collection(end.collection), end.id).isKnown
  }

  // MARK: - Nested transactions

  /// Runs a part of the transaction that is undone by itself if it throws.
  ///
  /// ```swift
  /// try tx.insert(order)
  /// try? tx.nested { tx in try tx.insert(discount) }   // the order stays, whatever happens here
  /// ```
  /// Nested parts may have parts of their own. All that is left becomes one event.
  ///
  /// Cost: nothing if `body` returns. If it throws, what it has written is taken back, which costs
  /// about what writing it did. If it has defined something, everything else that the transaction
  /// has written is applied once more.
  /// - Parameter body: the part, which gets this transaction.
  /// - Throws: what `body` throws. An error that has ended the transaction ends it here, too.
  public func nested<T>(_ body: (WriteTransaction) throws -> T) throws -> T {
    try requireOpen()
    if typing != nil { try call {} }
    let (count, kind, ends) = (writer.count, first, expectedEnds.count)
    writer.beginPart()
    defer { writer.endPart() }
    do { return try body(self) } catch {
      forgetTyped()
      if failure == nil {
        if writer.count > count { try changing { try writer.rewind(to: count) } }
        first = kind
        expectedEnds.removeSubrange(ends...)
      }
      throw error
    }
  }

  // MARK: - What ends a transaction

  /// Runs one call of the closure.
  ///
  /// An error ends the transaction, unless it is a refusal that has changed nothing.
  package func call<T>(_ body: () throws -> T) throws -> T {
    try requireUsable()
    try writeTyped()
    let count = writer.count
    do { return try body() } catch {
      let isRefusal = error is StoreError && writer.count == count
      if !isRefusal { failure = failure ?? guardian?.violation ?? error }
      throw StoreError.surfacing(error)
    }
  }

  /// Checks that calls are accepted.
  func requireUsable() throws {
    try requireOpen()
    try requireIntact()
  }

  private func requireOpen() throws(StoreError) {
    guard isOpen else {
      throw StoreError(.closed, "the transaction has ended; use it only inside its closure")
    }
  }

  /// Checks that no error has ended the transaction, and that SQLite still has it.
  private func requireIntact() throws {
    if failure == nil, let violation = guardian?.violation { failure = violation }
    if let failure { throw failure }
    do { try writer.database.requireTransaction() } catch {
      failure = error
      throw error
    }
  }

  /// Runs `body`, which may change the read model.
  ///
  /// An error ends the transaction.
  private func changing<T>(_ body: () throws -> T) throws -> T {
    do {
      return if let guardian { try guardian.allowing(body) } else { try body() }
    } catch {
      failure = failure ?? error
      throw error
    }
  }

  /// Whether the transaction has written nothing so far.
  ///
  /// An empty transaction becomes no event.
  public var isEmpty: Bool { writer.count == 0 && typing == nil }

  /// The declared collections, including the definitions of this transaction.
  public var schema: StoreSchema { projector.schema }

  // MARK: - Internals

  /// Checks that the transaction does not write to both local and shared collections, as it is one
  /// event.
  ///
  /// The first write decides, even if it turns out to change nothing: a refusal must not depend on
  /// the data.
  func requireUnmixed(_ name: String, isLocal: Bool) throws(StoreError) {
    guard let first else {
      self.first = (name, isLocal)
      return
    }
    guard first.isLocal != isLocal else { return }
    func kind(_ isLocal: Bool) -> String { isLocal ? "local" : "shared" }
    throw StoreError(
      .mixedTransaction,
      "the transaction writes to \(first.collection), which is \(kind(first.isLocal)), and to "
        + "\(name), which is \(kind(isLocal))",
      hint: "Use two transactions: one becomes a shared event, and the other never leaves this "
        + "replica")
  }

  package func collection(_ name: String) throws(StoreError) -> CollectionSchema {
    guard let collection = projector.schema[name] else {
      throw FieldCheck.unknownCollection(name, projector.schema)
    }
    return collection
  }

  /// Looks up an entity, in a read model with all that the transaction has written.
  package func handle(_ collection: CollectionSchema, _ id: String) throws -> EntityHandle {
    try requireIntact()
    return try changing { try writer.handle(collection, id) }
  }

  /// Returns the projector, on a read model with all that the transaction has written.
  ///
  /// If the store is being filled, this ends the bulk load.
  package func projected() throws -> Projector {
    try requireIntact()
    try changing { try writer.project() }
    return projector
  }

  /// Adds an operation to the event.
  ///
  /// The read model gets it by the next call.
  package func apply(_ operation: Operation, to handle: EntityHandle? = nil) throws {
    try requireIntact()
    try changing { try writer.add(operation, to: handle, isLocal: isLocal) }
  }

  /// Adds an operation to the event, and applies it to the read model at once.
  /// - Returns: the entity as it is then.
  package func applyNow(
    _ operation: Operation, to handle: EntityHandle, of collection: CollectionSchema
  ) throws -> EntityHandle {
    try apply(operation, to: handle)
    return try changing { try writer.handle(after: handle, of: collection) }
  }
}
