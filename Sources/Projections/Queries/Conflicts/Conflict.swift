public import DaybookEventCore

/// A register to which several authors wrote different values without having
/// seen each other's writes.
public struct Conflict: Hashable, Sendable {
  /// The author of a write, and when it was made.
  public struct Author: Hashable, Sendable {
    /// Who wrote it, as the transaction says; often empty.
    public var actor: String
    /// The purpose of the write, in the author's words; often empty.
    public var label: String
    /// When it was written.
    public var times: EventTimes

    /// Makes an author, for example for a preview or a test.
    public init(actor: String = "", label: String = "", times: EventTimes = .unknown) {
      self.actor = actor
      self.label = label
      self.times = times
    }
  }

  /// One of the writes that are in conflict.
  public struct Write: Hashable, Sendable {
    /// The event of the write.
    public var event: EventID
    /// The index of the write within its event.
    public var operation: UInt32
    /// The value written; NULL if the write was a delete or an erase.
    public var value: Value
    /// Whether the write was a delete or an erase, which writes every field
    /// and the entity's existence.
    public var isDeletion: Bool
    /// Whether the register shows this write.
    public var wins: Bool
    /// Who wrote it, and when.
    public var author: Author

    /// Makes a write, for example for a preview or a test.
    public init(
      event: EventID, operation: UInt32, value: Value, isDeletion: Bool = false, wins: Bool,
      author: Author = Author()
    ) {
      self.event = event
      self.operation = operation
      self.value = value
      self.isDeletion = isDeletion
      self.wins = wins
      self.author = author
    }
  }

  /// The collection.
  public var collection: String
  /// The entity's id; nil if the conflict is about a definition.
  public var id: String?
  /// The field, by its first name; empty if the conflict is about an entity's existence, or
  /// a collection's own attribute.
  public var field: String
  /// The attribute, for a conflict about a definition; otherwise empty.
  public var attribute: String
  /// The writes that no other author had seen, ascending by event.
  public var writes: [Write]
  /// Whether the conflict is about a local collection.
  public var isLocal: Bool

  /// Makes a conflict, for example for a preview or a test.
  public init(
    collection: String, id: String?, field: String, attribute: String, writes: [Write],
    isLocal: Bool = false
  ) {
    self.collection = collection
    self.id = id
    self.field = field
    self.attribute = attribute
    self.writes = writes
    self.isLocal = isLocal
  }
}
