package import DaybookEventCore
package import DaybookSimulation

/// A generator of undos and redos of earlier events, most of them with a turn that fits.
package struct UndoGenerator {
  private struct Target {
    var collection: String
    var id: String
    var events: [EventID] = []
    var turn: UInt64 = 0
  }

  private var targets: [Target] = []
  private(set) var features: Set<EventFeature> = []

  package init() {}

  /// Notes what an event writes to, so that later undos may name it.
  package mutating func note(_ operations: [Operation], _ event: EventID) {
    for operation in operations {
      guard let (collection, id) = operation.entity else { continue }
      let index = targets.firstIndex {
        $0.collection.utf8.elementsEqual(collection.utf8) && $0.id.utf8.elementsEqual(id.utf8)
      }
      if let index {
        targets[index].events.append(event)
      } else {
        targets.append(Target(collection: collection, id: id, events: [event]))
      }
    }
  }

  /// Returns some undos, or none if nothing was written yet.
  package mutating func undos(_ random: inout SplitMix64) -> [Operation] {
    guard !targets.isEmpty else { return [] }
    let most = targets.indices.max { targets[$0].events.count < targets[$1].events.count } ?? 0
    return (0..<random.pick([1, 1, 1, 2])).map { _ in
      undo(random.chance(60) ? most : random.pick(targets.indices.map { $0 }), &random)
    }
  }

  private mutating func undo(_ index: Int, _ random: inout SplitMix64) -> Operation {
    let target = targets[index]
    let isUndone = random.chance(65)
    features.insert(isUndone ? .undo : .redo)
    var events: Set<EventID> = []
    for _ in 0..<random.pick([1, 1, 2, 4, 8]) { events.insert(random.pick(target.events)) }
    var runs = EventRun.runs(of: events)
    if random.chance(10) {
      // Events that are not written yet, or that no one will ever write.
      features.insert(.undoOfUnknownEvent)
      let event = random.pick(target.events)
      let last = random.pick([event.sequence + 3, event.sequence + 40, UInt64(Int64.max) - 1])
      runs = [EventRun(event.origin, event.sequence...max(last, event.sequence))]
    }
    var turn = target.turn + 1
    if random.chance(15) {
      features.insert(.undoOfStrangeTurn)
      turn = random.pick([0, target.turn, UInt64.max, UInt64(random.pick(0...5))])
    }
    targets[index].turn = turn == .max ? target.turn : max(turn, target.turn)
    return .undo(
      Undo(
        collection: target.collection, id: target.id, isUndone: isUndone, turn: turn, events: runs))
  }
}
