import DaybookEngine
import DaybookEventCore

/// Events that stop to count for an entity, or count again.
struct UndoStep: Equatable {
  var entity: EntityKey
  var isUndone: Bool
  /// The events; those that have not written to the entity are passed over.
  var events: [EventRun]
}

extension UndoStep {
  /// Returns what the undo, or the redo, of some events has to write.
  ///
  /// An undo that is among them names events itself: these count again, or stop to count again.
  /// - Parameters:
  ///   - events: the events, each with its operations.
  ///   - isUndone: whether the events shall not count.
  /// - Throws: ``StoreError`` `undoBlocked` if an event is about something else than entities.
  static func steps(
    _ events: [(id: EventID, operations: [Operation])], isUndone: Bool
  ) throws(StoreError) -> [UndoStep] {
    var named: [EntityKey: Set<EventID>] = [:]
    var steps: [UndoStep] = []
    for (event, operations) in events {
      for operation in operations {
        guard let (collection, id) = operation.entity else {
          // It cannot have been undone, so there is nothing to redo.
          guard isUndone else { continue }
          throw StoreError(
            .undoBlocked,
            "event \(event) defines collections, or is one that this version does not know",
            hint: "Only events about entities can be undone")
        }
        let entity = EntityKey(collection: collection, id: id)
        if case .undo(let undo) = operation {
          steps.append(
            UndoStep(
              entity: entity, isUndone: undo.isUndone != isUndone, events: undo.events))
        } else {
          named[entity, default: []].insert(event)
        }
      }
    }
    for (entity, events) in named {
      steps.append(
        UndoStep(entity: entity, isUndone: isUndone, events: EventRun.runs(of: events)))
    }
    return steps.sorted { $0.entity < $1.entity }
  }

  /// Returns steps with those of one entity together.
  /// - Parameter steps: sorted by their entities.
  static func byEntity(_ steps: [UndoStep]) -> [(entity: EntityKey, steps: ArraySlice<UndoStep>)] {
    var groups: [(entity: EntityKey, steps: ArraySlice<UndoStep>)] = []
    var start = 0
    for index in steps.indices {
      if index + 1 < steps.count, steps[index + 1].entity == steps[start].entity { continue }
      groups.append((steps[start].entity, steps[start...index]))
      start = index + 1
    }
    return groups
  }

  /// Returns the events that some steps name, ascending.
  static func events(of steps: ArraySlice<UndoStep>) -> [EventRun] {
    if steps.count == 1, let only = steps.first { return only.events }
    var ranges: [ReplicaID: SequenceRanges] = [:]
    for run in steps.flatMap(\.events) {
      ranges[run.origin, default: SequenceRanges()].insert(run.sequences)
    }
    return ranges.sorted { $0.key < $1.key }
      .flatMap { origin, known in known.ranges.map { EventRun(origin, $0) } }
  }
}
