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
  /// An operation of a later version: kept and forwarded.
  case unknown(kind: UInt64, payload: [UInt8])
}

/// The numbers of the operations' kinds in canonical bytes.
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

/// The definition of a collection: that it exists, and its attributes and fields.
///
/// Attributes and fields that it does not mention stay as they are.
public struct Definition: Hashable, Sendable {
  public struct Field: Hashable, Sendable {
    /// The field's first name, which is its identity; the name that is shown may differ.
    public var name: String
    /// The field's attributes and their values.
    ///
    /// Known are `type`, `search`, `index`, `unique`, `references`, `tree`, `name` (see
    /// ``formerly(_:)``) and `position`; later versions may know more.
    public var attributes: [String: Value]

    public init(_ name: String, _ attributes: [String: Value] = [:]) {
      self.name = name
      self.attributes = attributes
    }
  }

  public var collection: String
  /// The collection's attributes and their values.
  ///
  /// Known are `local` (the collection is never synced), `relationship`, and `key` (the fields from
  /// which ids are derived, separated by commas); later versions may know more.
  public var attributes: [String: Value]
  public var fields: [Field]

  public init(collection: String, attributes: [String: Value] = [:], fields: [Field] = []) {
    self.collection = collection
    self.attributes = attributes
    self.fields = fields
  }
}

/// A hub's statement that the events `from…through` of an origin have a server time.
public struct Stamp: Hashable, Sendable {
  public var origin: ReplicaID
  public var from: UInt64
  public var through: UInt64
  /// The origin's chain value after event `through`: it names the stamped branch of a fork.
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
