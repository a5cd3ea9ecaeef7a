package import DaybookEventCore

/// What an undo, or a redo, of events has to write about one entity.
package struct UndoableWrites: Sendable {
  /// Those of the events whose writes to the entity change their counting, ascending.
  package var events: [EventRun]
  /// The turn of the undo.
  package var turn: UInt64
  /// The first event among them that has erased the entity; nil if none has.
  package var erasure: EventID?
}

/// A write that stands against an undo.
package struct UndoObstacle: Sendable {
  package var event: EventID
  package var actor: String
  /// The first name of a field that it has written; nil if it has written none.
  package var field: String?
}

extension Projector {
  /// Returns which of some events count for an entity and shall not, or the other way round.
  ///
  /// Cost: the entity's history, without values.
  /// - Parameters:
  ///   - runs: the events, ascending; those that have not written to the entity are passed over.
  ///   - isUndone: whether they shall not count.
  ///   - handle: the entity.
  package func undoable(_ runs: [EventRun], isUndone: Bool, _ handle: EntityHandle) throws
    -> UndoableWrites
  {
    let state = handle.record.state
    let wanted = UndoneEvents(runs)
    var events: Set<EventID> = []
    var erasures: [WriteRef] = []
    for entry in try entities.history.entries(of: handle.record) where !entry.isUndo {
      let event = index.event(of: entry.ref)
      guard wanted.contains(event), state.undone?.contains(event) ?? false != isUndone else {
        continue
      }
      events.insert(event)
      if !entry.canBeUndone { erasures.append(entry.ref) }
    }
    let (turn, overflow) = (state.undone?.turn ?? 0).addingReportingOverflow(1)
    return UndoableWrites(
      events: EventRun.runs(of: events), turn: overflow ? .max : turn,
      erasure: erasures.min().map(index.event))
  }

  /// Returns the last write of another event that would go with an entity if events that have
  /// brought it to life do not count; nil if there is none.
  ///
  /// Cost: the entity's history, without values.
  /// - Parameters:
  ///   - runs: the events, ascending.
  ///   - handle: the entity before the undo.
  package func obstacle(to runs: [EventRun], _ handle: EntityHandle) throws -> UndoObstacle? {
    let events = UndoneEvents(runs)
    let undone = handle.record.state.undone
    var keyed: [(key: OrderKey, entry: HistoryEntry)] = []
    for entry in try entities.history.entries(of: handle.record) where !entry.isUndo {
      if undone?.contains(index.event(of: entry.ref)) ?? false { continue }
      keyed.append((try index.key(entry.ref), entry))
    }
    keyed.sort { $0.key < $1.key }
    func isNamed(_ entry: HistoryEntry) -> Bool { events.contains(index.event(of: entry.ref)) }
    let births = [OperationKind.insert, OperationKind.restore]
    guard
      let birth = keyed.firstIndex(where: {
        births.contains(UInt64($0.entry.kind)) && isNamed($0.entry)
      }), let later = keyed[birth...].last(where: { !isNamed($0.entry) })?.entry
    else { return nil }
    let event = index.event(of: later.ref)
    return UndoObstacle(
      event: event, actor: try earlier.event(event).actor,
      field: later.fields.first.map { handle.record.table.fieldNames[$0] })
  }
}

// MARK: - What went along

extension Projector {
  /// Returns the operations of an event that the read model shows, and that has ended.
  ///
  /// Cost: a read of the log.
  /// - Throws: ``ProjectionError`` `missingEvent` if the log lacks the event; what reading throws.
  package func operations(of event: EventID) throws -> [DaybookEventCore.Operation] {
    try earlier.event(event).operations()
  }

  /// Returns the event of the last undo, or redo, that was written about an entity; nil if there is
  /// none.
  ///
  /// Cost: the entity's history, without values.
  package func lastUndo(_ handle: EntityHandle) throws -> EventID? {
    var last: (key: OrderKey, ref: WriteRef)?
    for entry in try entities.history.entries(of: handle.record) where entry.isUndo {
      let key = try index.key(entry.ref)
      if last.map({ $0.key < key }) ?? true { last = (key, entry.ref) }
    }
    return last.map { index.event(of: $0.ref) }
  }

  /// Returns what a field would show without the write that it shows; NULL if there is no other.
  ///
  /// Cost: the entity's history, and a read of the log.
  func earlierValue(of field: Int, _ record: EntityRecord) throws -> Value {
    guard let winner = record.state[field: field] else { return .null }
    let end = try index.key(winner)
    var best: (key: OrderKey, ref: WriteRef)?
    for entry in try entities.history.entries(of: record) where !entry.isEdit && !entry.isUndo {
      guard entry.fields.contains(field),
        !(record.state.undone?.contains(index.event(of: entry.ref)) ?? false)
      else { continue }
      let key = try index.key(entry.ref)
      guard key < end, best.map({ $0.key < key }) ?? true else { continue }
      best = (key, entry.ref)
    }
    guard let best else { return .null }
    return try WriteReader(projector: self, table: record.table).value(best.ref, field)
  }
}

extension UndoneEvents {
  /// - Parameter runs: ascending, without overlaps.
  fileprivate init(_ runs: [EventRun]) { self.runs = runs }
}
