/// One change within an event.
public enum Operation: Hashable, Sendable {
  case define(Definition)
  /// Ends a collection, or one field of it.
  case drop(collection: String, field: String?)
  case insert(collection: String, id: String, fields: [String: Value])
  case update(collection: String, id: String, fields: [String: Value])
  case delete(collection: String, id: String)
  case restore(collection: String, id: String)
  case erase(collection: String, id: String)
  case stamp(Stamp)
  case identity(IdentityClaim)
  /// Of a later version: kept and forwarded.
  case unknown(kind: UInt64, payload: [UInt8])
}

/// The number that stands for an operation's kind in canonical bytes.
package enum OperationKind {
  package static let define: UInt64 = 1
  package static let drop: UInt64 = 2
  package static let insert: UInt64 = 3
  package static let update: UInt64 = 4
  package static let delete: UInt64 = 5
  package static let restore: UInt64 = 6
  package static let erase: UInt64 = 7
  package static let stamp: UInt64 = 8
  package static let identity: UInt64 = 9
}

/// Says that a collection exists, and what it and its fields are like. What is not mentioned stays
/// as it was.
public struct Definition: Hashable, Sendable {
  public struct Field: Hashable, Sendable {
    /// The field's first name, which is its identity; the one that it is shown under may be another.
    public var name: String
    /// Attribute to value: `type`, `search`, `index`, `unique`, `references`, `tree`, `name` (see
    /// ``formerly(_:)``), `position`, and whatever later versions know.
    public var attributes: [String: Value]

    public init(_ name: String, _ attributes: [String: Value] = [:]) {
      self.name = name
      self.attributes = attributes
    }
  }

  public var collection: String
  /// `local` (it never leaves this replica), `relationship`, `key` (fields from which ids are derived, separated by commas), and whatever later
  /// versions know.
  public var attributes: [String: Value]
  public var fields: [Field]

  public init(collection: String, attributes: [String: Value] = [:], fields: [Field] = []) {
    self.collection = collection
    self.attributes = attributes
    self.fields = fields
  }
}

/// A hub's statement that events `from…through` of an origin have a server time.
public struct Stamp: Hashable, Sendable {
  public var origin: ReplicaID
  public var from: UInt64
  public var through: UInt64
  /// The origin's chain value after event `through`: which branch was stamped, should there be two.
  public var chain: Hash256
  public var time: HybridTime

  public init(
    origin: ReplicaID, from: UInt64, through: UInt64, chain: Hash256, time: HybridTime
  ) {
    self.origin = origin
    self.from = from
    self.through = through
    self.chain = chain
    self.time = time
  }
}
