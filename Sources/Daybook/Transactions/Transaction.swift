public import EventCore
public import GRDB
import Projections

/// What a write does, as one event: all of it happens, durably, or none of it.
///
/// Its first write decides whether the event is shared or local: a write to a collection of the other
/// kind is ``StoreError`` `mixedTransaction`, before anything of it is written.
///
/// Reads see what the transaction has written so far. Not to be used after the closure that received
/// it has returned.
///
/// A call that is refused (``StoreError``: a value of another type, an id that is taken) has changed
/// nothing, and the closure may catch the error and go on. Any other error, a full disk for example, may
/// have cost changes that were made before. It ends the transaction: every later call throws it again,
/// and so does ``Store/write(actor:label:annotations:_:)``, even if the closure caught it.
public final class Transaction {
  let projector: Projector
  private let connection: Database
  /// Nil when the closure has returned: nothing begins any more.
  private var begin: ((_ isLocal: Bool) throws -> Envelope)?
  /// Makes the read model, where that was deferred.
  private let project: () throws -> Void
  private let events: (shared: EventID, local: EventID)
  /// When, by this replica's clock.
  public let authored: HybridTime
  /// The collection that was written to first: it decides whether the event is local.
  private var first: (collection: String, isLocal: Bool)?
  /// Of the event, once it has begun.
  private(set) var envelope: Envelope?
  private(set) var operations: [Operation] = []
  /// Whether the read model may have been touched: by the first write, also if that failed.
  private(set) var hasBegun = false
  /// The last write, which the read model does not have yet. It is brought in before anything is
  /// read; where nothing is, while the event is on its way to the disk.
  private var pending: (operation: Operation, handle: EntityHandle, index: Int)?
  /// The error that has ended the transaction, whether or not the closure has caught it.
  private(set) var failure: (any Error)?
  /// The read model could not be made: nobody in the group can go on.
  private var unprojected: (any Error)?
  /// Watches what the closure does with ``database``, once it has asked for it.
  private var guardian: DatabaseGuardian?
  private var isOpen = true

  init(projector: Projector, database: Database, place: EventPlace) {
    self.projector = projector
    connection = database
    authored = place.authored
    events = (place.shared, place.local)
    begin = place.begin
    project = place.project
  }

  /// Whether it writes to local collections, so that its event is of the private origin.
  var isLocal: Bool { first?.isLocal ?? false }

  /// The event that this transaction becomes, if it writes anything: a shared one, unless it has
  /// written to a local collection.
  public var event: EventID { isLocal ? events.local : events.shared }

  /// The read model within this transaction, for reading only. A statement that writes, or that begins
  /// or ends a transaction or a savepoint, makes the whole transaction fail with ``StoreError``
  /// `readOnly`: what it changed would stand in no event.
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

  /// After the closure: no more is accepted.
  /// - Throws: what has ended the transaction.
  func end() throws {
    isOpen = false
    begin = nil
    defer {
      guardian?.end()
      guardian = nil
    }
    try requireIntact()
  }

  /// Brings the last write into the read model.
  func settle() throws {
    try requireIntact()
    guard let (operation, handle, index) = pending else { return }
    pending = nil
    try changing { try projector.applyLocal(operation, id: event, index: index, to: handle) }
  }

  /// Brings the whole event into the read model.
  func complete() throws {
    try projected {
      try settle()
      try projector.finishEvent()
    }
  }

  // MARK: - What ends a transaction

  /// Runs one call of the closure. What it throws ends the transaction, unless it is a refusal that has
  /// changed nothing.
  func call<T>(_ body: () throws -> T) throws -> T {
    guard isOpen else {
      throw StoreError(.closed, "the transaction has ended; use it only inside its closure")
    }
    try requireIntact()
    let count = operations.count
    do { return try projected(body) } catch {
      let isRefusal = error is StoreError && operations.count == count
      if !isRefusal { failure = failure ?? error }
      throw error
    }
  }

  /// That nothing has ended the transaction, and that SQLite still has it: after a full disk, an error
  /// of the disk or lack of memory, SQLite takes a transaction back by itself.
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

  /// Runs what changes the read model.
  private func changing(_ body: () throws -> Void) throws {
    do {
      if let guardian { try guardian.allowing(body) } else { try body() }
    } catch let ended as DeferralEnded { throw ended } catch {
      failure = failure ?? error
      throw error
    }
  }

  /// - Throws: why the read model, of which the transaction wanted to know something, could not be made;
  ///   whatever became of that error in the closure.
  func requireProjected() throws { if let unprojected { throw unprojected } }

  /// Runs `body`. If that asks what only a read model knows, and none is made yet, it is made, with all
  /// that was written so far, and `body` runs again. The transaction's closure does not.
  private func projected<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch is DeferralEnded {
      // It is among the operations.
      pending = nil
      do {
        try project()
        if let envelope {
          try projector.beginLocalEvent(event, envelope)
          for (index, operation) in operations.enumerated() {
            try projector.applyLocal(operation, id: event, index: index)
          }
        }
      } catch {
        unprojected = error
        failure = failure ?? error
        throw error
      }
      return try body()
    }
  }

  /// Whether nothing has been written so far: such a transaction becomes no event.
  public var isEmpty: Bool { operations.isEmpty }

  /// The declared collections, definitions of this transaction included.
  public var schema: Schema { projector.schema }

  // MARK: - Within

  /// A transaction is one event, and an event is local or shared. The first write decides, also where
  /// it turns out to change nothing: what is refused must not depend on the data.
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

  /// Adds an operation to the event, and brings it into the read model by the next call.
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

/// Where a transaction's event goes, which is known only when it has begun to write.
struct EventPlace {
  let authored: HybridTime
  let shared: EventID
  let local: EventID
  /// Makes the event's envelope. To be called once, before the first write.
  let begin: (_ isLocal: Bool) throws -> Envelope
  /// Makes the read model, where that was deferred, with what the group has written so far.
  let project: () throws -> Void
}
