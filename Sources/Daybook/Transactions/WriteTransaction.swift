public import EventCore
public import GRDB
import Projections

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
  let projector: Projector
  private let connection: Database
  /// Makes the envelope.
  ///
  /// Nil after the closure has returned, so that no event begins any more.
  private var begin: ((_ isLocal: Bool) throws -> Envelope)?
  /// Builds the read model if that was deferred.
  private let project: () throws -> Void
  /// Takes all of this transaction out of the read model.
  private let takeBack: () throws -> Void
  private let events: (shared: EventID, local: EventID)
  /// The event's time, by this replica's clock.
  public let authored: HybridTime
  /// The collection of the first write, which decides whether the event is local.
  private var first: (collection: String, isLocal: Bool)?
  /// The envelope of the event; nil until the first write.
  private(set) var envelope: Envelope?
  private(set) var operations: [Operation] = []
  /// Whether the first write has begun, so that the read model may have changed.
  ///
  /// True even if that write failed.
  private(set) var hasBegun = false
  /// The last write, which the read model does not have yet.
  ///
  /// It is applied before the next read. If nothing is read, it is applied while the event is being
  /// written to the disk.
  private var pending: (operation: Operation, handle: EntityHandle, index: Int)?
  /// The error that has ended the transaction, whether or not the closure has caught it.
  private(set) var failure: (any Error)?
  /// The error of building the read model; with it, the whole group fails.
  private var unprojected: (any Error)?
  /// Watches the closure's statements on ``database``; nil until the closure asks for that.
  private var guardian: DatabaseGuardian?
  private var isOpen = true
  /// What a running migration passes over; nil outside of one.
  var migrated: MigratedData?

  init(projector: Projector, database: Database, place: EventPlace) {
    self.projector = projector
    connection = database
    authored = place.authored
    events = (place.shared, place.local)
    begin = place.begin
    project = place.project
    takeBack = place.takeBack
  }

  /// Whether the transaction writes to local collections, so that its event is of the private
  /// origin.
  var isLocal: Bool { first?.isLocal ?? false }

  /// The event that this transaction becomes if it writes anything.
  ///
  /// It is the next shared one, unless the transaction has written to a local collection.
  public var event: EventID { isLocal ? events.local : events.shared }

  /// The read model within this transaction, for reading only.
  ///
  /// A statement that writes, that begins or ends a transaction or a savepoint, or that changes a
  /// setting of the connection makes the whole transaction fail with ``StoreError`` `readOnly`: no
  /// event would record its changes. Pragmas that only read are allowed.
  ///
  /// Never run `PRAGMA case_sensitive_like`, here or on another connection. SQLite may change
  /// `LIKE` for the whole process at once, before the store can refuse it.
  public var database: Database {
    do {
      try projected {
        try settle()
        try projector.requireProjected()
      }
      if guardian == nil { guardian = DatabaseGuardian(connection) }
    } catch { failure = failure ?? error }
    return connection
  }

  /// Ends the transaction after its closure has returned; no more calls are accepted.
  /// - Throws: the error that has ended the transaction, if there is one.
  func end() throws {
    isOpen = false
    begin = nil
    if let change = guardian?.end() { failure = change }
    defer { guardian = nil }
    try requireIntact()
  }

  /// Applies the last write to the read model.
  func settle() throws {
    try requireIntact()
    guard let (operation, handle, index) = pending else { return }
    pending = nil
    try changing { try projector.applyLocal(operation, id: event, index: index, to: handle) }
  }

  /// Applies the rest of the event to the read model, and finishes it there.
  func complete() throws {
    try projected {
      try settle()
      try projector.finishEvent()
    }
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
  /// Cost: nothing if `body` returns. If it throws after it has written, everything else that the
  /// transaction has written is applied once more.
  /// - Parameter body: the part, which gets this transaction.
  /// - Throws: what `body` throws. An error that has ended the transaction ends it here, too.
  public func nested<T>(_ body: (WriteTransaction) throws -> T) throws -> T {
    let (count, kind) = (operations.count, first)
    do { return try body(self) } catch {
      if failure == nil {
        if operations.count > count { try rewind(to: count) }
        first = kind
      }
      throw error
    }
  }

  /// Takes back all operations but the first ones.
  private func rewind(to count: Int) throws {
    try changing {
      operations.removeSubrange(count...)
      pending = nil
      try takeBack()
      guard let envelope else { return }
      if operations.isEmpty {
        // The next write begins the event anew.
        self.envelope = nil
      } else {
        try replay(envelope)
      }
    }
  }

  /// Applies all operations to the read model once more.
  private func replay(_ envelope: Envelope) throws {
    try projector.beginLocalEvent(event, envelope)
    for (index, operation) in operations.enumerated() {
      try projector.applyLocal(operation, id: event, index: index)
    }
  }

  // MARK: - What ends a transaction

  /// Runs one call of the closure.
  ///
  /// An error ends the transaction, unless it is a refusal that has changed nothing.
  func call<T>(_ body: () throws -> T) throws -> T {
    guard isOpen else {
      throw StoreError(.closed, "the transaction has ended; use it only inside its closure")
    }
    try requireIntact()
    let count = operations.count
    do { return try projected(body) } catch {
      let isRefusal = error is StoreError && operations.count == count
      if !isRefusal { failure = failure ?? guardian?.violation ?? error }
      throw StoreError.surfacing(error)
    }
  }

  /// Checks that no error has ended the transaction, and that SQLite still has it.
  ///
  /// SQLite rolls a transaction back by itself after a full disk, an I/O error or lack of memory.
  private func requireIntact() throws {
    if failure == nil, let violation = guardian?.violation { failure = violation }
    if let failure { throw failure }
    guard connection.isInsideTransaction else {
      let error = StoreError(
        .ioFailed, "SQLite has taken the transaction back",
        hint: "Check the disk that the store is on, and write again")
      failure = error
      throw error
    }
  }

  /// Runs `body`, which changes the read model.
  ///
  /// An error ends the transaction.
  private func changing(_ body: () throws -> Void) throws {
    do {
      if let guardian { try guardian.allowing(body) } else { try body() }
    } catch let ended as DeferralEnded { throw ended } catch {
      failure = failure ?? error
      throw error
    }
  }

  /// Throws the error of building the read model, if the transaction needed it and that failed.
  ///
  /// The closure may have caught the error; it is thrown here all the same.
  func requireProjected() throws { if let unprojected { throw unprojected } }

  /// Runs `body`, and builds a deferred read model if `body` needs it.
  ///
  /// The read model is built with all writes so far, and `body` runs again. The transaction's
  /// closure does not.
  private func projected<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch is DeferralEnded {
      // The pending write is among the operations.
      pending = nil
      do {
        try project()
        if let envelope { try replay(envelope) }
      } catch {
        unprojected = error
        failure = failure ?? error
        throw error
      }
      return try body()
    }
  }

  /// Whether the transaction has written nothing so far.
  ///
  /// An empty transaction becomes no event.
  public var isEmpty: Bool { operations.isEmpty }

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

  func collection(_ name: String) throws(StoreError) -> CollectionSchema {
    guard let collection = projector.schema[name] else {
      throw FieldCheck.unknownCollection(name, projector.schema)
    }
    return collection
  }

  /// Adds an operation to the event.
  ///
  /// The read model gets it by the next call.
  func apply(_ operation: Operation, to handle: EntityHandle? = nil) throws {
    try settle()
    try changing {
      if envelope == nil {
        hasBegun = true
        guard let begin else { return }
        let envelope = try begin(isLocal)
        self.envelope = envelope
        try projector.beginLocalEvent(event, envelope)
      }
      if let handle {
        pending = (operation, handle, operations.count)
      } else {
        try projector.applyLocal(operation, id: event, index: operations.count)
      }
    }
    operations.append(operation)
  }
}

/// The ids and times of the event that a transaction may become, known before its first write.
struct EventPlace {
  let authored: HybridTime
  let shared: EventID
  let local: EventID
  /// Makes the event's envelope.
  ///
  /// Called before the first write, and once more if all writes were taken back.
  let begin: (_ isLocal: Bool) throws -> Envelope
  /// Takes all of this transaction out of the read model, and leaves the rest of the group in it.
  let takeBack: () throws -> Void
  /// Builds the read model if that was deferred, with all writes of the group so far.
  let project: () throws -> Void
}
