import DaybookEventCore
import DaybookProjections

extension Store {
  /// Returns the writes of the log, in the order of the log or from its end: who wrote what to
  /// which field, and when.
  ///
  /// ```swift
  /// for try await entry in store.audit(in: "notes", by: "ann", after: .time(lastWeek)) {
  ///   print(entry.json)
  /// }
  /// ```
  /// An event that writes several fields has an entry for each. What a field showed before is part
  /// of ``history(of:_:)``. The entries of local collections are part of the list.
  ///
  /// Cost: reads the frames of the log that may hold such an event.
  ///
  /// Reading the list throws ``StoreError`` `invalidPosition` if a position is not known here, and
  /// `invalidQuery` for an id or a field without a collection.
  /// - Parameters:
  ///   - collection: the only collection; nil for all.
  ///   - id: the only entity of the collection; nil for all, and for definitions.
  ///   - field: the only field, by its current name or its first one; nil for all, and for writes
  ///     that concern no single field.
  ///   - actor: the only actor; nil for all.
  ///   - after: only events that this position does not select, for example `.time(lastWeek)`.
  ///   - until: only events that this position selects.
  ///   - isNewestFirst: whether the newest event comes first. The entries of one event are always
  ///     in its own order.
  public func audit(
    in collection: String? = nil, id: String? = nil, field: String? = nil,
    by actor: String? = nil, after: Position? = nil, until: Position? = nil,
    isNewestFirst: Bool = false
  ) -> Listing<Store.AuditEntry> {
    let query = EventQuery(
      after: after, until: until, collection: collection, id: id, actor: actor,
      isNewestFirst: isNewestFirst)
    return Listing(of: self) { [self] in
      let pages = AuditPages(self, query, field: field)
      return .log { key, limit in try pages.part(after: key, limit: limit) }
    }
  }

  /// Returns the writes to the entities of a type; see
  /// ``audit(in:id:field:by:after:until:isNewestFirst:)``.
  /// - Parameters:
  ///   - type: the type.
  ///   - actor: the only actor; nil for all.
  ///   - after: only events that this position does not select, for example `.time(lastWeek)`.
  ///   - until: only events that this position selects.
  ///   - isNewestFirst: whether the newest event comes first.
  public func audit<E: Entity>(
    in type: E.Type, by actor: String? = nil, after: Position? = nil, until: Position? = nil,
    isNewestFirst: Bool = false
  ) -> Listing<Store.AuditEntry> {
    audit(
      in: E.collection, by: actor, after: after, until: until, isNewestFirst: isNewestFirst)
  }
}
