public import EventCore

/// One write to an entity, and what it changed.
public struct HistoryItem: Hashable, Sendable {
  public enum Kind: String, Sendable {
    case insert, update, delete, restore, erase
  }

  public struct Change: Hashable, Sendable {
    public var field: String
    /// The value that the field showed before, in the total order.
    public var from: Value
    public var to: Value
    /// Whether the entity still shows this write.
    public var isCurrent: Bool
    /// Whether another author wrote another value, and neither had seen the other's write.
    public var isConflict: Bool

    public init(field: String, from: Value, to: Value, isCurrent: Bool, isConflict: Bool) {
      self.field = field
      self.from = from
      self.to = to
      self.isCurrent = isCurrent
      self.isConflict = isConflict
    }
  }

  public var event: EventID
  /// The operation's index within the event.
  public var operation: UInt32
  public var times: EventTimes
  public var actor: String
  public var label: String
  /// Facts about the event, as its author gave them.
  public var annotations: [String: String]
  public var kind: Kind
  public var changes: [Change]

  public init(
    event: EventID, operation: UInt32, times: EventTimes, actor: String, label: String,
    annotations: [String: String] = [:], kind: Kind, changes: [Change]
  ) {
    self.event = event
    self.operation = operation
    self.times = times
    self.actor = actor
    self.label = label
    self.annotations = annotations
    self.kind = kind
    self.changes = changes
  }
}
