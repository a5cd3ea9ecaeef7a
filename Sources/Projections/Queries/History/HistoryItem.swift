public import DaybookEventCore

/// One write to an entity, and what it changed.
public struct HistoryItem: Hashable, Sendable {
  /// The kind of a write.
  public enum Kind: String, Sendable {
    /// The kinds of writes.
    case insert, update, delete, restore, erase, edit
    /// Events stop to count for the entity, or count again.
    case undo, redo
  }

  /// What a write has changed in one field.
  public struct Change: Hashable, Sendable {
    /// The name of the field.
    public var field: String
    /// The value that the field showed before, in the total order.
    public var from: Value
    /// The value that the write gave the field.
    public var to: Value
    /// Whether the entity still shows this write.
    public var isCurrent: Bool
    /// Whether another author wrote another value, and neither had seen the other's write.
    public var isConflict: Bool

    /// Makes a change, for example for a preview or a test.
    public init(field: String, from: Value, to: Value, isCurrent: Bool, isConflict: Bool) {
      self.field = field
      self.from = from
      self.to = to
      self.isCurrent = isCurrent
      self.isConflict = isConflict
    }
  }

  /// The event of the write.
  public var event: EventID
  /// The operation's index within the event.
  public var operation: UInt32
  /// When it was written.
  public var times: EventTimes
  /// Who wrote it, as the transaction says; often empty.
  public var actor: String
  /// What it was written for, as the transaction says; often empty.
  public var label: String
  /// Facts about the event, as its author gave them.
  public var annotations: [String: String]
  /// The kind of the write.
  public var kind: Kind
  /// What the write has changed, by fields.
  public var changes: [Change]
  /// Whether the event was undone, so that the write does not count.
  public var isUndone: Bool

  /// Makes a write, for example for a preview or a test.
  public init(
    event: EventID, operation: UInt32, times: EventTimes, actor: String, label: String,
    annotations: [String: String] = [:], kind: Kind, changes: [Change], isUndone: Bool = false
  ) {
    self.event = event
    self.operation = operation
    self.times = times
    self.actor = actor
    self.label = label
    self.annotations = annotations
    self.kind = kind
    self.changes = changes
    self.isUndone = isUndone
  }
}
