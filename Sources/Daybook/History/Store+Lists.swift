public import DaybookProjections

extension Store {
  /// Returns the open conflicts: registers to which authors wrote without having seen each other's
  /// writes, each write with its author and time.
  ///
  /// The order is that of collection, id and field; conflicts about a collection's definition come
  /// before those about its entities. The list is the same on every replica that has the same
  /// events.
  ///
  /// A loop reads each conflict when it is asked for. So its body may settle conflicts: one that
  /// has gone with another, as with a deletion against several edits, does not occur any more.
  ///
  /// Cost: a page reads each event that is part of a conflict from the log, once. With an actor,
  /// that includes the events of conflicts that are passed over.
  ///
  /// Reading the list throws ``StoreError`` `unknownName` if the store knows no such collection.
  /// - Parameters:
  ///   - collection: the only collection; nil for all.
  ///   - id: the only entity; nil for all, and for definitions.
  ///   - field: the only field, by its current name or its first one; nil for all. The empty text
  ///     means whether entities exist.
  ///   - actor: the actor of one of the writes; nil for any.
  public func conflicts(
    in collection: String? = nil, id: String? = nil, field: String? = nil, by actor: String? = nil
  ) -> Listing<Conflict> {
    let filter = ConflictFilter(collection: collection, id: id, field: field, actor: actor)
    return list(isFresh: true) { view, key, limit in
      try view.conflicts(filter, after: key, limit: limit)
    }
  }

  /// Returns what the tables do not show of live entities, with the reason.
  ///
  /// There are three kinds: values that are not of their field's type, entities that are parked
  /// because an earlier one has the value of a unique field, and references that make a cycle in a
  /// tree. Each can be changed as if it were shown; it is shown as soon as the reason is gone.
  ///
  /// The order is that of collections; in each, of these kinds. The list is the same on every
  /// replica that has the same events.
  ///
  /// Cost: a look-up for each value of a unique field that the page passes, parked or not.
  ///
  /// Reading the list throws ``StoreError`` `unknownName` if the collection is not declared.
  /// - Parameters:
  ///   - collection: the only collection; nil for all.
  ///   - id: the only entity; nil for all.
  public func hidden(in collection: String? = nil, id: String? = nil) -> Listing<Store.HiddenValue>
  {
    list { view, key, limit in
      try view.hidden(in: collection, id: id, after: key, limit: limit)
    }
  }

  /// Returns what the tables do not show of a type's entities, and what the type's properties
  /// cannot show, with the reason.
  ///
  /// First come the values that ``hidden(in:id:)`` lists. Then come, by id, values
  /// that no property of this version of the app can have, such as a case of an enumeration that a
  /// newer version knows (`unreadable`). The property shows
  /// its default instead; the value stays in the store until an update sets the property.
  ///
  /// Cost: a page reads the rows of the type until it has found enough.
  public func hidden<E: Entity>(in type: E.Type) -> Listing<Store.HiddenValue> {
    Listing(of: self) {
      .readModel { view, db, key, limit in
        try UnreadablePages<E>(view: view, db: db).part(after: key, limit: limit)
      }
    }
  }

  /// Returns the deleted entities that can be restored, the newest deletion first, each with the
  /// values that it would show again.
  ///
  /// Entities that were erased are not among them. The time of a deletion is the earlier of those
  /// at which its event was authored and stamped, as for a ``Position``.
  ///
  /// Words are looked for in the texts among an entity's values, without a search index: all of
  /// them must occur, each anywhere, also in the middle of a word. Upper and lower case are the
  /// same.
  ///
  /// Cost: a page goes over all deleted entities of the collection, whatever its limit is; a loop
  /// does so once for every 32,768 of them. Then it reads the event of each returned entity. Words
  /// and actor are compared with one entity after the other, so few hits among many deleted
  /// entities take long.
  ///
  /// Reading the list throws ``StoreError`` `unknownName` if the collection is not declared, and
  /// `invalidPosition`.
  /// - Parameters:
  ///   - collection: the only collection; nil for all that are declared.
  ///   - actor: the actor who deleted them; nil for any.
  ///   - after: only deletions that this position does not select, for example `.time(lastWeek)`.
  ///   - until: only deletions that this position selects.
  ///   - words: words between white space; nil for any texts.
  public func deleted(
    in collection: String? = nil, by actor: String? = nil, after: Position? = nil,
    until: Position? = nil, matching words: String? = nil
  ) -> Listing<Store.DeletedEntity> {
    Listing(of: self) {
      let pages = DeletedPages(collection, actor, after, until, words)
      return .readModel { view, _, key, limit in
        try pages.part(of: view, after: key, limit: limit)
      }
    }
  }

  /// Returns the events of the log that a query selects, in the order of the log or from its end.
  ///
  /// A loop ends with the last event that the log has when the loop begins. ``EventQuery/limit``
  /// limits loops and pages.
  ///
  /// Cost: reads the frames of the log that may hold such an event. A page also finds out which
  /// these are, as a loop does once.
  ///
  /// Reading the list throws ``StoreError`` `invalidPosition` if a position, or the event behind
  /// which a page begins, is not known here.
  public func events(_ query: EventQuery = EventQuery()) -> Listing<LoggedEvent> {
    Listing(of: self, limit: query.limit) { [self] in
      let pages = EventPages(self, query)
      return .log { key, limit in try pages.part(after: key, limit: limit) }
    }
  }

  /// Returns a list whose pages need nothing but a snapshot and a key.
  private func list<Item: Sendable>(
    isFresh: Bool = false,
    _ page: @escaping @Sendable (ReadModelView, [Cell]?, Int) throws -> [Listed<Item>]
  ) -> Listing<Item> {
    Listing(of: self, isFresh: isFresh) {
      .readModel { view, _, key, limit in
        let found = try page(view, key, limit)
        return (found, found.count < limit)
      }
    }
  }
}
