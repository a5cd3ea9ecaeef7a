package import DaybookEngine
public import DaybookEventCore
import DaybookLogEngine
import DaybookProjections
import Foundation

extension Store {
  /// Takes back what an event has written.
  ///
  /// ```swift
  /// let event = try await store.write { tx in
  ///   try tx.update("notes", "n1", ["title": "two"])
  ///   return tx.event
  /// }
  /// try await store.undo(event)
  /// ```
  /// The store shows what it would show without the event: a field has the value of the last write
  /// among the others, and a text what the other edits make of it. So it does not matter in which
  /// order events are undone, by whom, or on which device. The undo is an event, too; the undone
  /// event stays in the log and in the history. A later write to the same field stays.
  ///
  /// The undo of an undo lets the events count again; see ``redo(_:actor:)``.
  ///
  /// Cost: reads the history of each entity that the event has written to.
  /// - Parameters:
  ///   - event: an event of this store or of another replica.
  ///   - actor: who undoes it; ``Options/actor`` if nil.
  /// - Returns: the new event; nil if the event was undone already, or has written nothing.
  /// - Throws: ``StoreError`` `undoBlocked` if the event has brought an entity to life to which
  ///   others have written since, which the message and ``StoreError/blockingEvent`` name, or if
  ///   the event defines or erases; `valueTaken` or `wouldLoop` if another entity has taken a
  ///   unique value or a place in a tree meanwhile; `invalidPosition` if the event is not known
  ///   here. The store is unchanged then.
  @discardableResult
  public func undo(_ event: EventID, actor: String? = nil) async throws -> EventID? {
    try await setUndone([event], true, actor: actor)
  }

  /// Takes back everything that an actor has written since a moment, as one new event.
  ///
  /// Undos and events of local collections are passed over, and so is what was undone already.
  /// - Parameters:
  ///   - actor: the author of the events.
  ///   - start: the moment; the events behind it are taken back.
  /// - Returns: the new event; nil if there was nothing to take back.
  /// - Throws: what ``undo(_:actor:)`` throws.
  @discardableResult
  public func undo(by actor: String, since start: Position) async throws -> EventID? {
    let events = try await events(EventQuery(after: start, actor: actor)).all()
    let shared = events.filter { event in
      !event.id.origin.isPrivate && !(event.event.body?.operations ?? []).contains { $0.isUndo }
    }
    guard !shared.isEmpty else { return nil }
    return try await setUndone(shared.map(\.id), true, actor: actor)
  }

  /// Lets an event count again that was undone.
  ///
  /// It does not matter whether the event was undone by itself or with others.
  /// - Parameters:
  ///   - event: the event that was undone.
  ///   - actor: who does it again; ``Options/actor`` if nil.
  /// - Returns: the new event.
  /// - Throws: ``StoreError`` `invalidPosition` if the event was not undone; what
  ///   ``undo(_:actor:)`` throws.
  @discardableResult
  public func redo(_ event: EventID, actor: String? = nil) async throws -> EventID? {
    try Self.requireUndone(try await setUndone([event], false, actor: actor), event)
  }

  /// Takes what an event has written in one text out of it, and nothing else of the event. What
  /// others have edited since stays.
  /// - Parameters:
  ///   - event: the event.
  ///   - collection: the collection.
  ///   - id: the id of the entity; nothing is taken out if it is not there.
  ///   - field: the text field, by its first name.
  ///   - also: what else is written; it runs first, and returns whether to go on.
  package func takeOut(
    _ event: EventID, of collection: String, _ id: String, _ field: String, actor: String?,
    label: String, also: @escaping @Sendable (WriteTransaction) throws -> Bool
  ) async throws {
    try await Blocking.surfacing { [self] in try core.log.refreshForReading() }
    try await write(actor, label, [:], readsLog: true) { tx in
      guard try also(tx), try tx.fetch(collection, id) != nil else { return }
      try tx.takeOut([event], collection, id, field)
    }
  }

  /// Writes an undo, or a redo, of events as one event.
  /// - Returns: the event; nil if there was nothing to do.
  func setUndone(_ events: [EventID], _ isUndone: Bool, actor: String?) async throws
    -> EventID?
  {
    let steps = try await Blocking.surfacing { [self] in try self.steps(of: events, isUndone) }
    guard !steps.isEmpty else { return nil }
    let label = Self.label(isUndone)
    return try await write(actor, label, [:], readsLog: true) { try $0.undone(steps) }
  }

  /// The same on the calling thread, which may block.
  func setUndoneNow(_ events: [EventID], _ isUndone: Bool, actor: String?) throws -> EventID? {
    try core.refuseReentry()
    let steps = try StoreError.surfacing { () throws in try self.steps(of: events, isUndone) }
    guard !steps.isEmpty else { return nil }
    let label = Self.label(isUndone)
    return try writeNow(actor, label, [:], readsLog: true) { try $0.undone(steps) }
  }

  private static func label(_ isUndone: Bool) -> String { isUndone ? "undo" : "redo" }

  static func requireUndone(_ redo: EventID?, _ event: EventID) throws -> EventID {
    guard let redo else {
      throw StoreError(
        .invalidPosition, "event \(event) was not undone",
        hint: "Only what was undone can be redone")
    }
    return redo
  }

  private func steps(of events: [EventID], _ isUndone: Bool) throws -> [UndoStep] {
    try core.log.refreshForReading()
    return try UndoStep.steps(
      try events.map { ($0, try operations(of: $0)) }, isUndone: isUndone)
  }

  private func operations(of event: EventID) throws -> [DaybookEventCore.Operation] {
    guard event.sequence > 0, core.log.snapshot().whole.vector[event.origin] >= event.sequence
    else {
      throw StoreError(
        .invalidPosition, "event \(event) is not known here", hint: "`evtool log` lists events")
    }
    var operations: [DaybookEventCore.Operation] = []
    try core.feed.forEachEvent(of: event.origin, in: event.sequence...event.sequence) { _, view in
      operations = try Event(id: event, decoding: view.encoded).body?.operations ?? []
    }
    return operations
  }
}

extension DaybookEventCore.Operation {
  fileprivate var isUndo: Bool {
    if case .undo = self { true } else { false }
  }
}

extension WriteTransaction {
  /// Writes an undo, or a redo, that was written elsewhere: nothing stands against it.
  ///
  /// The transaction must read the log; see `SeriesWrite`.
  /// - Parameters:
  ///   - events: the events; those that have not written to the entity are passed over.
  ///   - isUndone: whether the events shall not count.
  package func setUndone(
    _ events: [EventRun], _ isUndone: Bool, of collection: String, _ id: String
  ) throws {
    let entity = EntityKey(collection: collection, id: id)
    try undo(
      [UndoStep(entity: entity, isUndone: isUndone, events: events)], isForeign: true)
  }

  /// Writes undos, and returns the event; nil if they change nothing.
  fileprivate func undone(_ steps: [UndoStep]) throws -> EventID? {
    try undo(steps)
    return isEmpty ? nil : event
  }

  /// Writes undos, and checks what they make of the entities.
  /// - Parameter isForeign: whether they were written elsewhere, so that nothing stands against
  ///   them.
  func undo(_ steps: [UndoStep], isForeign: Bool = false) throws {
    try call {
      let rules = ReferenceRules(self.schema, writer.types)
      var restricted: [(before: EntityHandle, schema: StoreSchema.Collection)] = []
      let referenced = Set(self.schema.sorted.flatMap(\.fields).compactMap(\.references))
      var gone: [(StoreSchema.Collection, String)] = []
      // By the undo that may have taken something along with them when they went.
      var back: [EventID: [(StoreSchema.Collection, String)]] = [:]
      for (entity, steps) in UndoStep.byEntity(steps) {
        let (schema, before) = try load(entity.collection, entity.id)
        var after = before
        for step in steps {
          let writes = try projected().undoable(step.events, isUndone: step.isUndone, after)
          guard !writes.events.isEmpty else { continue }
          if let erasure = writes.erasure { throw blocked(byErasure: erasure, entity) }
          let undo = Undo(
            collection: schema.name, id: entity.id, isUndone: step.isUndone, turn: writes.turn,
            events: writes.events)
          after = try applyNow(.undo(undo), to: after, of: schema)
        }
        if isForeign { continue }
        if after.isLive {
          if schema.hasRules { restricted.append((before, schema)) }
          if !before.isLive, referenced.contains(schema.name),
            let undo = try projected().lastUndo(before)
          {
            back[undo, default: []].append((schema, entity.id))
          }
        } else if before.isLive {
          if let other = try projected().obstacle(to: UndoStep.events(of: steps), before) {
            throw blocked(by: other, entity)
          }
          if !rules.references(to: schema.name).isEmpty { gone.append((schema, entity.id)) }
        }
      }
      // All at once: what comes back may refer to what comes back with it, and take a unique value
      // that is given up with it.
      for (before, schema) in restricted {
        let after = try handle(schema, before.id)
        let values = after.values
        let differing =
          before.isLive ? values.filter { before.values[$0.key] != $0.value } : values
        try requireRules(differing, schema, after)
      }
      for (schema, id) in gone { try carryOut(rules, afterDeletionOf: id, in: schema) }
      for (undo, entities) in back.sorted(by: { $0.key < $1.key }) {
        try bringBack(whatWentWith: entities, in: undo)
      }
    }
  }

  /// Takes back what an undo has taken along with entities, which have come back.
  private func bringBack(
    whatWentWith entities: [(StoreSchema.Collection, String)], in undo: EventID
  )
    throws
  {
    let taken = try TakenAlong(undo, transaction: self).all(with: entities)
    let touched = taken.deleted + taken.released.map { ($0.schema, $0.id) }
    let steps = Set(touched.map { EntityKey(collection: $0.schema.name, id: $0.id) }).sorted()
      .map { UndoStep(entity: $0, isUndone: true, events: EventRun.runs(of: [undo])) }
    if !steps.isEmpty { try self.undo(steps) }
  }

  private func blocked(byErasure event: EventID, _ entity: EntityKey) -> StoreError {
    StoreError(
      .undoBlocked, "event \(event) has erased “\(entity.id)” of \(entity.collection)",
      hint: "An erasure is for ever")
  }

  private func blocked(by obstacle: UndoObstacle, _ entity: EntityKey) -> StoreError {
    let author = obstacle.actor.isEmpty ? "" : " by \(obstacle.actor)"
    let place = "“\(entity.id)” of \(entity.collection)"
    let what = obstacle.field.map { "\($0) of \(place)" } ?? place
    var error = StoreError(
      .undoBlocked, "event \(obstacle.event)\(author) has written \(what) since",
      hint: "Undo that event first, or delete the entity yourself")
    error.blockingEvent = obstacle.event
    return error
  }
}
