public import Projections

/// An error of a store: what happened, and what to do next.
///
/// Errors of the log (`LogError`) and of the read model (`ProjectionError`) pass through unchanged.
/// Only a full disk is always ``Code/noSpace``, whichever layer met it.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public enum Code: String, Sendable {
    /// There is no store at that place.
    case notAStore
    /// There is something at that place already, or in it.
    case alreadyExists
    /// The store was made by a newer version of Daybook.
    case newerFormat
    /// The store's identity file is not what was written.
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
    /// The definition contradicts the store's.
    case contradiction
    /// There would be more collections, fields or searched fields than a read model shows, or
    /// SQLite on this machine refuses the definition.
    case overLimit
    /// A transaction writes to local collections and to shared ones.
    case mixedTransaction
    /// Another entity has the value of a unique field: see ``StoreError/clash``.
    case valueTaken
    /// The reference would put an entity of a tree above itself.
    case wouldLoop
    /// There is a live entity with that id already.
    case entityExists
    /// There is no live entity with that id.
    case noSuchEntity
    /// The entity has changed since it was read.
    case versionMismatch
    /// The conflict is settled already, or has other writes by now: see ``StoreError/conflict``.
    case staleConflict
    /// The event would exceed 16 MiB.
    case tooLarge
    /// The position cannot be understood, or is not known here.
    case invalidPosition
    /// The search or graph query cannot be understood.
    case invalidQuery
    /// The call would wait for the transaction or read that it is made from.
    case reentrant
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
  public var clash: UniqueClash?
  /// With `staleConflict`: the conflict as it is now; nil if it is settled.
  public var conflict: Conflict?

  public init(_ code: Code, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The message and, if there is one, the hint.
  public var description: String { hint.map { "\(message). \($0)" } ?? message }
}
