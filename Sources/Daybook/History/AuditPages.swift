import DaybookEngine
import DaybookEventCore
import DaybookLocks
import DaybookProjections

/// The pages of an audit.
///
/// An entry's key is that of its event, and its number among the entries of that event.
final class AuditPages: Sendable {
  private let store: Store
  private let query: EventQuery
  private let field: String?
  private let events: EventPages
  /// What is left of the event that the last page has ended in, behind the page's last key.
  private let rest = Mutex<(key: [Cell], entries: [Listed<Store.AuditEntry>])>(([], []))

  /// The most events that are read at once: one event may have many entries.
  private static let eventsMax = 256

  init(_ store: Store, _ query: EventQuery, field: String?) {
    (self.store, self.query, self.field) = (store, query, field)
    events = EventPages(store, query)
  }

  /// Only for threads that may block.
  func part(after key: [Cell]?, limit: Int) throws -> ListReader<Store.AuditEntry>.Part {
    if query.collection == nil, query.id ?? field != nil {
      throw StoreError(
        .invalidQuery, "an audit of one entity or field needs its collection",
        hint: "Name the collection as well")
    }
    let schema = try store.core.reads.blocking { try $0.view.schema }
    var found: [Listed<Store.AuditEntry>] = []
    var event: [Cell]?
    if let key {
      event = Array(key.dropLast())
      found = try entries(behind: key, schema)
    }
    var isAll = false
    while found.count < limit, !isAll {
      let part = try events.part(after: event, limit: min(limit, Self.eventsMax))
      found += part.found.flatMap { entries(of: $0, schema) }
      event = part.found.last?.key ?? event
      isAll = part.isAll
    }
    guard found.count > limit else { return (found, isAll) }
    let page = Array(found[..<limit])
    if let last = page.last?.key {
      let left = found[limit...].filter { $0.key.dropLast() == last.dropLast() }
      rest.withLock { $0 = (last, left) }
    }
    return (page, false)
  }

  /// Returns the entries of an event that come behind one of them.
  private func entries(behind key: [Cell], _ schema: StoreSchema) throws -> [Listed<
    Store.AuditEntry
  >] {
    guard case .integer(let number)? = key.last else { return [] }
    let known = rest.withLock { $0 }
    if known.key == key { return known.entries }
    let event = Array(key.dropLast())
    guard let id = EventPages.event(event) else { return [] }
    var entries: [Listed<Store.AuditEntry>] = []
    try store.core.feed.forEachEvent(of: id.origin, in: id.sequence...id.sequence) { _, view in
      guard let read = try? Event(id: id, decoding: view.encoded) else { return }
      let times = try store.core.reads.blocking { try $0.view.times(of: id) }
      let logged = LoggedEvent(
        event: read, times: times ?? Store.EventTimes(authored: read.envelope.authored))
      entries = self.entries(of: Listed(key: event, item: logged), schema)
    }
    return entries.filter { $0.item.number > Int(number) }
  }

  private func entries(of event: Listed<LoggedEvent>, _ schema: StoreSchema) -> [Listed<
    Store.AuditEntry
  >] {
    let field = field.map { name in
      query.collection.flatMap { schema[$0]?[field: name]?.name } ?? name
    }
    func isWanted(_ entry: Store.AuditEntry) -> Bool {
      if let collection = query.collection, !entry.collection.isSame(as: collection) {
        return false
      }
      if let id = query.id, entry.id?.isSame(as: id) != true { return false }
      return field.map { entry.field?.isSame(as: $0) ?? false } ?? true
    }
    return event.item.auditEntries(schema).filter(isWanted).map {
      Listed(key: event.key + [.integer(Int64($0.number))], item: $0)
    }
  }
}
