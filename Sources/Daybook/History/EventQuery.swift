/// A query for events of the log, for ``Store/events(_:)`` and ``Store/forEachEvent(_:_:)``.
public struct EventQuery: Hashable, Sendable {
  /// Only events that this position does not select, for example `.time(lastWeek)`.
  public var after: Position?
  /// Only events that this position selects.
  public var until: Position?
  /// Only events with an operation on this collection; with ``id``, on that entity of it.
  public var collection: String?
  /// Only events with an operation on the entity of this id; needs ``collection``.
  public var id: String?
  /// Only events by this actor. An event whose body cannot be read has none.
  public var actor: String?
  /// Only events with this label.
  public var label: String?
  /// The most events; nil for all.
  public var limit: Int?
  /// Whether the newest event comes first.
  public var isNewestFirst: Bool

  /// Makes a query. Without arguments it is for all events, oldest first.
  /// - Parameters:
  ///   - after: only events that this position does not select.
  ///   - until: only events that this position selects.
  ///   - collection: only events with an operation on this collection.
  ///   - id: only events with an operation on this entity of the collection.
  ///   - actor: only events by this actor.
  ///   - label: only events with this label.
  ///   - limit: the most events; nil for all.
  ///   - isNewestFirst: whether the newest event comes first.
  public init(
    after: Position? = nil, until: Position? = nil, collection: String? = nil,
    id: String? = nil, actor: String? = nil, label: String? = nil, limit: Int? = nil,
    isNewestFirst: Bool = false
  ) {
    self.after = after
    self.until = until
    self.collection = collection
    self.id = id
    self.actor = actor
    self.label = label
    self.limit = limit
    self.isNewestFirst = isNewestFirst
  }
}
