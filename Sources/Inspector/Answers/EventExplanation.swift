import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookProjections

/// Why an event counts where it counts: what its author had seen, what each of its writes has
/// overridden, and what has overridden it.
struct EventExplanation {
  private let read: ReadEvent
  private let view: ReadModelView
  private let seen: VersionVector
  private var vectors: [EventID: VersionVector] = [:]

  /// The most entities of an event that are explained.
  static let entitiesMax = 40

  /// - Throws: what reading the log throws.
  init(_ read: ReadEvent, _ view: ReadModelView) throws {
    self.read = read
    self.view = view
    seen = try view.vector(at: read.event.id)
  }

  /// The latest events of other origins that the author had seen.
  var causes: JSONValue {
    .array(
      seen.entries.filter { $0.origin != read.event.id.origin && $0.sequence > 0 }
        .sorted { $0.origin < $1.origin }
        .map { .text("\(EventID($0.origin, $0.sequence))") })
  }

  /// Returns what the event wrote to each entity, and the number of entities.
  mutating func entities() throws -> (explained: [JSONValue], count: Int) {
    struct Key: Hashable {
      var collection: String
      var id: [UInt8]
    }
    var known: Set<Key> = []
    var explained: [JSONValue] = []
    for operation in read.event.body?.operations ?? [] {
      guard let (collection, id) = operation.entity,
        known.insert(Key(collection: collection, id: Array(id.utf8))).inserted,
        known.count <= Self.entitiesMax
      else { continue }
      explained.append(try entity(collection, id))
    }
    return (explained, known.count)
  }

  private mutating func entity(_ collection: String, _ id: String) throws -> JSONValue {
    let items = try view.history(
      of: id, in: collection, isLocal: read.event.id.origin.isPrivate)
    let fields = view.schema[collection]
    var writes: [JSONValue] = []
    for (place, item) in items.enumerated() where item.event == read.event.id {
      var changes: [JSONValue] = []
      for change in item.changes {
        changes.append(
          .object(
            [
              ("field", .text(fields?[field: change.field]?.name ?? change.field)),
              ("from", InspectorValue.json(change.from)), ("to", InspectorValue.json(change.to)),
              ("current", .boolean(change.isCurrent)),
              ("conflict", .boolean(change.isConflict)),
            ] + (try reasons(change, item, before: items[..<place], after: items[(place + 1)...]))))
      }
      writes.append(
        .object([
          ("kind", .text(item.kind.rawValue)), ("undone", .boolean(item.isUndone)),
          ("changes", .array(changes)),
        ]))
    }
    return .object([
      ("collection", .text(collection)), ("id", .text(id)), ("writes", .array(writes)),
    ])
  }

  /// Says which write a change has overridden, which one has overridden it, and why.
  private mutating func reasons(
    _ change: HistoryItem.Change, _ item: HistoryItem, before: ArraySlice<HistoryItem>,
    after: ArraySlice<HistoryItem>
  ) throws -> Members {
    func writes(_ other: HistoryItem) -> Bool {
      !other.isUndone && other.changes.contains { $0.field.isSame(as: change.field) }
    }
    let overrode = before.last(where: writes)
    let overridden = after.last(where: writes)
    var overrodeJSON = JSONValue.null
    if let overrode {
      overrodeJSON = .object(
        InspectorValue.event(overrode.event, overrode.times, overrode.actor, overrode.label)
          + [("seen", .boolean(seen.contains(overrode.event)))])
    }
    var overriddenJSON = JSONValue.null
    var sawThis = false
    if let overridden, !change.isCurrent {
      sawThis = try vector(overridden.event).contains(item.event)
      overriddenJSON = .object(
        InspectorValue.event(
          overridden.event, overridden.times, overridden.actor, overridden.label)
          + [("seen", .boolean(sawThis))])
    }
    return [
      ("overrode", overrodeJSON), ("overriddenBy", overriddenJSON),
      ("why", .text(why(change, item, overrode, overridden, sawThis))),
    ]
  }

  private func why(
    _ change: HistoryItem.Change, _ item: HistoryItem, _ overrode: HistoryItem?,
    _ overridden: HistoryItem?, _ sawThis: Bool
  ) -> String {
    if item.isUndone { return "It does not count: the event is undone." }
    if change.isCurrent {
      guard let overrode else { return "It counts: it is the only write to this field." }
      if seen.contains(overrode.event) {
        return "It counts: its author had seen the value before it, and nothing was written since."
      }
      return "It counts, though its author had not seen the write before it: "
        + Self.order(later: item, earlier: overrode)
    }
    guard let overridden else { return "It does not count any more." }
    return sawThis
      ? "A later write replaced it, by somebody who had seen it."
      : "Another write ranks above it, whose author had not seen it: "
        + Self.order(later: overridden, earlier: item)
  }

  /// Says in words why a write ranks above another.
  private static func order(later: HistoryItem, earlier: HistoryItem) -> String {
    switch (later.times.stamped, earlier.times.stamped) {
    case (.some, .some): "the hub stamped it later."
    case (nil, .some): "no hub has stamped it yet, and what is not stamped ranks above what is."
    default: "its author's clock was later, and no hub has stamped the two."
    }
  }

  private mutating func vector(_ event: EventID) throws -> VersionVector {
    if let known = vectors[event] { return known }
    let vector = try view.vector(at: event)
    vectors[event] = vector
    return vector
  }
}
