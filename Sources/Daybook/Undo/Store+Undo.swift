public import EventCore
import Foundation
import LogEngine
import Projections

extension Store {
  /// Takes back what an event has written, by a new event.
  ///
  /// Every field gets the value back that it had before, what was inserted is deleted, and what was
  /// deleted is restored. Undoing an undo does the event again; see ``redo(_:actor:)``.
  ///
  /// An edit of a text is taken out of the text as it is now: what it inserted goes, and what it
  /// alone has deleted comes back in its place. What others have edited since stays.
  /// - Parameters:
  ///   - event: an event of this store or of another replica.
  ///   - actor: who undoes it; ``Options/actor`` if nil.
  /// - Returns: the new event; nil if there was nothing to take back.
  /// - Throws: ``StoreError`` `undoBlocked` if a later write to the same field or entity stands
  ///   against it, which the message and ``StoreError/blockingEvent`` name, or if the event defines
  ///   or erases; `invalidPosition` if the event is not known here. The store is unchanged then.
  @discardableResult
  public func undo(_ event: EventID, actor: String? = nil) async throws -> EventID? {
    try await undo([event], actor: actor, label: Self.undoLabel)
  }

  /// Takes back everything that an actor has written since a moment, as one new event.
  ///
  /// Events of local collections are passed over.
  /// - Parameters:
  ///   - actor: the author of the events.
  ///   - start: the moment; the events behind it are taken back.
  /// - Returns: the new event; nil if there was nothing to take back.
  /// - Throws: what ``undo(_:actor:)`` throws.
  @discardableResult
  public func undo(by actor: String, since start: Position) async throws -> EventID? {
    let events = try await events(EventQuery(after: start, actor: actor)).all()
    let shared = Set(events.map(\.id).filter { !$0.origin.isPrivate })
    guard !shared.isEmpty else { return nil }
    return try await undo(shared, actor: actor, label: Self.undoLabel)
  }

  /// Does again what ``undo(_:actor:)`` has taken back.
  /// - Parameters:
  ///   - event: the event that was undone.
  ///   - actor: who does it again; ``Options/actor`` if nil.
  /// - Returns: the new event; nil if there was nothing to do.
  /// - Throws: ``StoreError`` `invalidPosition` if the event was not undone by itself; what
  ///   ``undo(_:actor:)`` throws.
  @discardableResult
  public func redo(_ event: EventID, actor: String? = nil) async throws -> EventID? {
    let undos = EventQuery(label: Self.undoLabel, isNewestFirst: true)
    for try await undo in events(undos)
    where undo.annotations[UndoPlan.annotation] == "\(event)" {
      return try await self.undo([undo.id], actor: actor, label: "redo")
    }
    throw StoreError(
      .invalidPosition, "event \(event) was not undone", hint: "Only what was undone can be redone")
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
    try await Blocking.surfacing { [self] in try log.refreshForReading() }
    try await write(actor, label, [:], readsLog: true) { tx in
      guard try also(tx), try tx.fetch(collection, id) != nil else { return }
      try tx.takeOut([event], collection, id, field)
    }
  }

  private static let undoLabel = "undo"

  private func undo(_ undone: Set<EventID>, actor: String?, label: String) async throws -> EventID?
  {
    let entities = try await Blocking.surfacing { [self] in
      try log.refreshForReading()
      return try undone.sorted().reduce(into: Set<UndoneEntity>()) { entities, event in
        entities.formUnion(try self.entities(of: event))
      }
    }
    let names = undone.sorted().map { "\($0)" }.joined(separator: ",")
    return try await write(actor, label, [UndoPlan.annotation: names], readsLog: true) { tx in
      try tx.undo(undone, of: entities.sorted())
      return tx.isEmpty ? nil : tx.event
    }
  }

  /// Returns the entities that an event has written to.
  private func entities(of event: EventID) throws -> Set<UndoneEntity> {
    guard event.sequence > 0, log.snapshot().whole.vector[event.origin] >= event.sequence else {
      throw StoreError(
        .invalidPosition, "event \(event) is not known here", hint: "`evtool log` lists events")
    }
    var entities: Set<UndoneEntity> = []
    try feed.forEachEvent(of: event.origin, in: event.sequence...event.sequence) { _, view in
      let body = try Event(id: event, decoding: view.encoded).body
      for operation in body?.operations ?? [] {
        guard let (collection, id) = operation.entity else {
          throw StoreError(
            .undoBlocked,
            "event \(event) defines collections, or is one that this version does "
              + "not know",
            hint: "Only events about entities can be undone")
        }
        entities.insert(UndoneEntity(collection: collection, id: id))
      }
    }
    return entities
  }
}

/// An entity that events to undo have written to.
struct UndoneEntity: Hashable, Comparable, Sendable {
  var collection: String
  var id: String

  static func < (a: UndoneEntity, b: UndoneEntity) -> Bool {
    a.collection == b.collection
      ? utf8Less(a.id, b.id) : utf8Less(a.collection, b.collection)
  }
}

extension WriteTransaction {
  /// Takes back what events have written to entities.
  func undo(_ undone: Set<EventID>, of entities: [UndoneEntity]) throws {
    var plans: [(entity: UndoneEntity, step: UndoPlan.Step, takenOut: Set<EventID>)] = []
    for entity in entities {
      let plan = UndoPlan(try history(of: entity), without: undone)
      if let obstacle = plan.obstacle { throw blocked(by: obstacle, entity) }
      if plan.step != .nothing { plans.append((entity, plan.step, plan.takenOut)) }
    }
    // What comes back is there before anything refers to it, and unique values are free before
    // they are taken again.
    for (entity, step, _) in plans where step == .delete {
      try deleteAlone(entity.collection, entity.id)
    }
    for (entity, step, takenOut) in plans {
      guard case .restore(let fields) = step else { continue }
      try restore(entity.collection, entity.id)
      try change(entity, fields, takenOut)
    }
    for (entity, step, takenOut) in plans {
      guard case .update(let fields) = step else { continue }
      try change(entity, fields, takenOut)
    }
  }

  private func change(_ entity: UndoneEntity, _ fields: UndoPlan.Fields, _ takenOut: Set<EventID>)
    throws
  {
    if !fields.values.isEmpty { try update(entity.collection, entity.id, fields.values) }
    for field in fields.texts.sorted(by: utf8Less) {
      try takeOut(takenOut, entity.collection, entity.id, field)
    }
  }

  private func blocked(by obstacle: UndoPlan.Obstacle, _ entity: UndoneEntity) -> StoreError {
    let place = "“\(entity.id)” of \(entity.collection)"
    if obstacle.isErasure {
      return StoreError(
        .undoBlocked, "event \(obstacle.event) has erased \(place)",
        hint: "An erasure is for ever")
    }
    let author = obstacle.actor.isEmpty ? "" : " by \(obstacle.actor)"
    let what = obstacle.field.map { "\($0) of \(place)" } ?? place
    var error = StoreError(
      .undoBlocked, "event \(obstacle.event)\(author) has written \(what) since",
      hint: "Undo that event first, or write the value yourself")
    error.blockingEvent = obstacle.event
    return error
  }
}
