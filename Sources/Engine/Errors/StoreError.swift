public import DaybookEventCore
public import DaybookProjections
public import DaybookReplication
public import Foundation

/// An error of a store: what happened, and what to do next.
///
/// Every call of a store throws this type, whichever layer met the error; that layer's own error is
/// the ``cause``. Three kinds of errors pass through unchanged: those that the caller's closure
/// throws, GRDB's `DatabaseError` for the caller's own SQL, and `CancellationError`.
public struct StoreError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public enum Code: String, Sendable {
    /// There is no store at that place.
    case notAStore
    /// There is something at that place already, or in it.
    case alreadyExists
    /// The store was made by a newer version of Daybook.
    case newerFormat
    /// The log or the store's identity file is not what was written.
    case damaged
    /// The store or a transaction's database is for reading only, or the store is a hub's zone.
    case readOnly
    /// The store is closed, or the transaction has ended.
    case closed
    /// A file cannot be read or written.
    case ioFailed
    /// A disk is full.
    ///
    /// Nothing is damaged and no acknowledged write is lost: free some space and try again.
    case noSpace
    /// There is no such collection or field.
    case unknownName
    /// The name is not allowed for a collection or a field.
    case invalidName
    /// The id is not allowed for an entity.
    case invalidID
    /// The field is part of the key that an entity's id is derived from, and cannot change.
    case fixedKey
    /// The field is one that the store keeps, and cannot be written.
    case fixedField
    /// The value is not of the field's type.
    case wrongType
    /// The edit is not for the text that the field shows, or one of its places is not in the text.
    case invalidEdit
    /// The definition contradicts the store's.
    case contradiction
    /// There would be more collections, fields or searched fields than a read model shows, or
    /// SQLite on this machine refuses the definition.
    case overLimit
    /// A transaction writes to local collections and to shared ones.
    case mixedTransaction
    /// Another entity has the value of a unique field: see ``StoreError/clash``.
    case valueTaken
    /// There is nothing between two indexes of an order: see ``FractionalIndex``.
    case noPlace
    /// The reference would put an entity of a tree above itself.
    case wouldLoop
    /// There is a live entity with that id already.
    case entityExists
    /// There is no live entity with that id.
    case noSuchEntity
    /// The entity has changed since it was read.
    case versionMismatch
    /// A form and others have changed the same fields: see ``StoreError/fieldClashes``.
    case fieldClash
    /// What a form was opened with is of another entity or store, or this store does not know it.
    case invalidBase
    /// The conflict is settled already, or has other writes by now: see ``StoreError/conflict``.
    case staleConflict
    /// The event cannot be undone: see ``StoreError/blockingEvent``.
    case undoBlocked
    /// The event would exceed 16 MiB.
    case tooLarge
    /// A migration has thrown an error: see ``StoreError/cause``.
    case migrationFailed
    /// The position cannot be understood, or is not known here.
    case invalidPosition
    /// The search or graph query cannot be understood.
    case invalidQuery
    /// The call would wait for the transaction or read that it is made from.
    case reentrant
    /// Another process holds the store's lock, or has done so for the whole time to wait.
    case locked
    /// Another program moved, removed or replaced the store's folder while it was in use.
    case replaced
    /// A write or fsync failed, and the store refuses writes until every process has closed it and
    /// it is opened again. Reading goes on.
    ///
    /// The write that failed is then there completely or not at all. Read before you repeat it, or
    /// give new entities ids of your own, so that a second insert is refused.
    case poisoned
    /// The read model is not what was written. It can be made again from the log.
    case damagedReadModel
    /// Several collections hold the id, and none was given: see ``StoreError/choices``.
    case ambiguousID
    /// The sync with a peer failed: see ``StoreError/syncError``.
    case syncFailed
    /// Any other error of a lower layer.
    case other
  }

  /// The kind of the error.
  public var code: Code
  /// What happened, as a part of a sentence.
  public var message: String
  /// What to do next; nil if there is no advice.
  public var hint: String?
  /// With `valueTaken`: the value, and the entity that has it.
  public var clash: StoreError.UniqueClash?
  /// With `fieldClash`: the fields, each with the values of the base, the store and the form; empty
  /// otherwise.
  public var fieldClashes: [FieldClash] = []
  /// With `noSuchEntity`, if a form is saved: who deleted the entity since the form was opened, and
  /// what it was; nil if that is not known.
  public var deletion: DeletedEntity?
  /// With `staleConflict`: the conflict as it is now; nil if it is settled.
  public var conflict: Conflict?
  /// With `undoBlocked`: the later event that stands against the undoing; nil if nothing can be
  /// done about it.
  public var blockingEvent: EventID?
  /// With `ambiguousID`: the entities that may be meant; empty otherwise.
  public var choices: [GraphVertex] = []
  /// The error of the layer that met it first, such as a `LogError` with segment and offset; nil if
  /// the store itself refused, and with `noSpace`, whose message says what has become of the call.
  public package(set) var cause: (any Error)?

  /// With `syncFailed`: the error of the session or the transport, with its own code.
  public var syncError: SyncError? { cause as? SyncError }

  /// Makes an error, for example to refuse a write from within a transaction.
  /// - Parameters:
  ///   - code: the kind of the error.
  ///   - message: what happened, as a part of a sentence.
  ///   - hint: what to do next; nil if there is no advice.
  public init(_ code: Code, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The message and, if there is one, the hint.
  public var description: String { text(hintAfter: ". ") }

  /// What happened.
  public var errorDescription: String? { message }

  /// What to do next; nil if there is no advice.
  public var recoverySuggestion: String? { hint }

  /// Returns whether two errors say the same. Their causes are not compared.
  public static func == (a: StoreError, b: StoreError) -> Bool {
    a.code == b.code && a.message == b.message && a.hint == b.hint && a.clash == b.clash
      && a.conflict == b.conflict && a.choices == b.choices && a.blockingEvent == b.blockingEvent
      && a.fieldClashes == b.fieldClashes && a.deletion == b.deletion
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(message)
  }
}

extension StoreError: ExplainedError {}
