public import Projections

/// Why a store could not do what it was asked: what happened, and what to do next.
///
/// Errors of the log (`LogError`) and of the read model (`ProjectionError`) pass through as they
/// are, but for a full disk, which is one error whichever layer met it.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// There is no store at that place.
    case notAStore
    /// There is something at that place already.
    case alreadyExists
    /// Made by a newer version of this software.
    case newerFormat
    /// The store's identity file is not what was written.
    case damaged
    case readOnly
    case closed
    case ioFailed
    /// A disk is full. Nothing is broken and nothing that was acknowledged is lost: free some space
    /// and try again.
    case noSpace
    /// No such collection or field.
    case unknownName
    /// A name that no collection or field may have.
    case invalidName
    /// An id that no entity may have.
    case invalidID
    /// A field of the key that an entity's id is derived from cannot change.
    case fixedKey
    /// A value that is not of the field's type.
    case wrongType
    /// The definition says something else than the store's.
    case contradiction
    /// More collections, fields or searched fields than a read model shows, or a definition that SQLite on
    /// this machine refuses.
    case overLimit
    /// A transaction that writes to local collections and to shared ones.
    case mixedTransaction
    /// Another entity has the value of a unique field: see ``StoreError/clash``.
    case valueTaken
    /// A reference that would put an entity of a tree above itself.
    case wouldLoop
    /// An entity of that id is live already.
    case entityExists
    /// No live entity of that id.
    case noSuchEntity
    /// The entity has changed since it was read.
    case versionMismatch
    /// A conflict that is to be settled is settled already, or has other writes by now: see
    /// ``StoreError/conflict``.
    case staleConflict
    /// An event over 16 MiB.
    case tooLarge
    /// A position that cannot be understood, or is not known here.
    case invalidPosition
    /// A search or graph query that cannot be understood.
    case invalidQuery
    /// A call that waits, made from within a transaction that it would wait for.
    case reentrant
    /// Anything else that a lower layer said.
    case other
  }

  public var code: Code
  public var message: String
  public var hint: String?
  /// With `valueTaken`: which value, and the entity that has it.
  public var clash: UniqueClash?
  /// With `staleConflict`: the conflict as it is now; nil if it is settled.
  public var conflict: Conflict?

  public init(_ code: Code, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  public var description: String { hint.map { "\(message). \($0)" } ?? message }
}
