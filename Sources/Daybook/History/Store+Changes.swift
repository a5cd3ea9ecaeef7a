import DaybookEngine
import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
public import DaybookProjections
import GRDB

extension Store {
  /// The difference of an entity between two positions.
  public struct EntityChange: Hashable, Sendable {
    /// The collection of the entity.
    public var collection: String
    /// The id of the entity.
    public var id: String
    /// The entity at the first position; nil if it was not live.
    public var before: StoredEntity?
    /// The entity at the second position; nil if it was not live.
    public var after: StoredEntity?

    /// The fields whose values differ, by name.
    public var fields: [String] {
      let names = Set(before?.fields.keys.map(\.self) ?? []).union(
        after?.fields.keys.map(\.self) ?? [])
      return names.filter { before?[$0] ?? .null != after?[$0] ?? .null }.sorted(by: utf8Less)
    }
  }
}

extension Store {
  /// Returns the entities that differ between two positions, by collection and id.
  ///
  /// These are entities that came, went, or have other values. Entities that were written in
  /// between and ended as they were are left out.
  ///
  /// Cost: reads the events that one position has and the other has not, then the history of each
  /// entity that they name. Memory grows with those entities.
  /// - Parameters:
  ///   - from: the position of the first state.
  ///   - to: the position of the second state, earlier or later; nil for the current state.
  ///   - collection: the only collection to compare; nil for all.
  /// - Throws: ``StoreError`` `invalidPosition` if an event is
  ///   not known here; what reading the log throws.
  public func changes(
    from: Position, to: Position? = nil, in collection: String? = nil
  ) async throws -> [Store.EntityChange] {
    let before = try await known(from)
    let now = try await core.reads.asynchronously { try $0.view.wholeVector }
    let after: Selection = try await {
      if let to { try await known(to) } else { core.past ?? .vector(now) }
    }()
    return try await Blocking.surfacing { [self] in
      var touched = TouchedEntities(collection: collection)
      // The read model shows what other processes have written; this process's log must hold it as
      // well.
      try core.log.refreshForReading()
      let snapshot = core.log.snapshot().whole
      for entry in snapshot.entries {
        try touched.take(try snapshot.frame(at: entry), core.feed) { events in
          try core.reads.blocking { snapshot in
            let view = try snapshot.view
            return try events.map { event in
              let times = try view.times(of: event)
              return times.map { before.contains(event, $0) != after.contains(event, $0) } ?? false
            }
          }
        }
      }
      return try core.reads.blocking { snapshot in
        let view = try snapshot.view
        return try touched.sorted.compactMap { collection, isLocal, id in
          let change = Store.EntityChange(
            collection: collection, id: id,
            before: try view.entity(collection, isLocal: isLocal, id, at: before),
            after: try view.entity(collection, isLocal: isLocal, id, at: after))
          let isLive = (change.before != nil, change.after != nil)
          return isLive.0 == isLive.1 && change.fields.isEmpty ? nil : change
        }
      }
    }
  }
}

extension Store {
  /// The difference of an entity of a type between two positions.
  public struct EntityDifference<Model: Entity>: Sendable {
    /// The id of the entity.
    public var id: Model.ID
    /// The entity at the first position; nil if it was not live.
    public var before: Model?
    /// The entity at the second position; nil if it was not live.
    public var after: Model?
    /// The names of the fields whose values differ.
    public var fields: [String]
  }
}

extension Store {
  /// Returns the entities of a type that differ between two positions, by id; see
  /// ``changes(from:to:in:)->[Store.EntityChange]``.
  ///
  /// ```swift
  /// for change in try await store.core.changes(from: .time(lastWeek), in: Note.self) {
  ///   print(change.before?.title ?? "new", change.after?.title ?? "deleted")
  /// }
  /// ```
  /// - Parameters:
  ///   - from: the position of the first state.
  ///   - to: the position of the second state, earlier or later; nil for the current state.
  ///   - type: the type of the entities.
  /// - Throws: ``StoreError`` `invalidPosition` if an event is not known here; what reading the
  ///   log throws.
  public func changes<E: Entity>(
    from: Position, to: Position? = nil, in type: E.Type
  ) async throws -> [Store.EntityDifference<E>] {
    let layout = EntityLayout<E>.shared
    return try await changes(from: from, to: to, in: E.collection).map {
      Store.EntityDifference(
        id: E.ID(rawValue: $0.id), before: $0.before.map { layout.model($0).model },
        after: $0.after.map { layout.model($0).model }, fields: $0.fields)
    }
  }
}

/// The entities that a set of events may have changed.
private struct TouchedEntities {
  let collection: String?
  /// Ids as bytes: texts that Unicode regards as equivalent are different ids.
  private var ids: [Key: Set<[UInt8]>] = [:]

  /// The key of a collection: a shared and a local collection may have the same name.
  private struct Key: Hashable {
    var collection: String
    var isLocal: Bool
  }

  init(collection: String?) { self.collection = collection }

  /// Adds the entities that the events of a frame may have changed.
  /// - Parameter differs: returns for each event whether exactly one of the two states has it.
  mutating func take(
    _ frame: Frame, _ feed: LogFeed, differs: ([EventID]) throws -> [Bool]
  ) throws {
    let events = try frame.events()
    let names = events.indices.map {
      EventID(frame.header.origin, frame.header.firstSequence + UInt64($0))
    }
    for (index, isDifferent) in try differs(names).enumerated() where isDifferent {
      guard let event = try? Event(id: names[index], decoding: events[index]) else { continue }
      for operation in event.body?.operations ?? [] {
        try take(operation, feed, isLocal: frame.header.origin.isPrivate)
      }
    }
  }

  private mutating func take(_ operation: Operation, _ feed: LogFeed, isLocal: Bool) throws {
    if let (name, id) = operation.entity {
      guard collection ?? name == name else { return }
      ids[Key(collection: name, isLocal: isLocal), default: []].insert(Array(id.utf8))
      return
    }
    switch operation {
    case .stamp(let stamp):
      // The stamped events have another rank from then on.
      let last = min(stamp.through, feed.wholeVector[stamp.origin])
      guard stamp.from > 0, stamp.from <= last else { return }
      var operations: [Operation] = []
      try feed.forEachEvent(of: stamp.origin, in: stamp.from...last) { sequence, view in
        let event = try? Event(id: EventID(stamp.origin, sequence), decoding: view.encoded)
        operations += event?.body?.operations ?? []
      }
      for operation in operations {
        if case .stamp = operation { continue }
        try take(operation, feed, isLocal: isLocal)
      }
    default: break
    }
  }

  var sorted: [(collection: String, isLocal: Bool, id: String)] {
    let keys = ids.keys.sorted {
      $0.collection == $1.collection
        ? !$0.isLocal && $1.isLocal : utf8Less($0.collection, $1.collection)
    }
    return keys.flatMap { key in
      (ids[key] ?? []).sorted { $0.lexicographicallyPrecedes($1) }
        .map { (key.collection, key.isLocal, String(decoding: $0, as: UTF8.self)) }
    }
  }
}
