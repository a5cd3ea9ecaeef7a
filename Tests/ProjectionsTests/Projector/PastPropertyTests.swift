import DaybookEventCore
import DaybookSimulation
import Foundation
import Testing

@testable import DaybookProjections
@testable import DaybookReferenceModel

/// States of the past, compared with the reference model on random sets of events.
@Suite struct PastPropertyTests {
  @Test(
    "a rebuild of any vector or moment shows the same as the reference model",
    arguments: ProjectorPropertyTests.seeds)
  func rebuilds(seed: UInt64) throws {
    let set = EventSetGenerator.events(seed: seed)
    let folder = try ProjectionFolder()
    let source = ArrayEventSource(set)
    source.deliverAll()
    var generator = SelectionGenerator(seed: seed, set)
    for (selection, reference) in generator.selections(6) {
      let expected = ReferenceModel(events: set.events, until: reference).state
      let actual = try ReadModelProbe.rebuilt(
        source, folder: folder.url, selection: selection, partitionBytes: 1 << 20)
      let difference = ProjectedState.firstDifference(expected: expected, actual: actual)
      #expect(difference == nil, "seed \(seed), \(selection): \(difference ?? "")")
    }
  }

  @Test(
    "every entity reads as in the reference model, now and at any vector or moment",
    arguments: ProjectorPropertyTests.seeds)
  func entities(seed: UInt64) throws {
    let set = EventSetGenerator.events(seed: seed)
    let folder = try ProjectionFolder()
    let probe = try delivered(set, folder)
    var generator = SelectionGenerator(seed: seed &+ 1, set)
    let all = ReferenceModel(events: set.events)
    for (selection, reference) in [(.all, .everything)] + generator.selections(6) {
      let model = ReferenceModel(events: set.events, until: reference)
      try probe.view { view, _ in
        for (collection, ids) in all.entities {
          for id in ids.keys {
            let expected = model.entities[collection]?[id]?.shown(
              collection, id.text, by: all.schema)
            let actual = try view.entity(
              collection.shown.text, isLocal: collection.isLocal, id.text, at: selection)
            #expect(actual == expected, "seed \(seed), \(selection), \(collection)/\(id)")
            if case .all = selection {
              let now = try view.entity(
                collection.shown.text, isLocal: collection.isLocal, id.text)
              var shown = expected
              for cut in all.cycles where cut.collection == collection && cut.id == id {
                let columns = all.schema.collections[collection]?.columns ?? []
                for column in columns where column.identity == cut.field {
                  shown?.fields[column.name.text] = nil
                }
              }
              #expect(now == shown)
            }
          }
        }
      }
    }
  }

  @Test(
    "a history lists every write once, in the total order, with its changes",
    arguments: Array(ProjectorPropertyTests.seeds) + [1101, 1124])
  func histories(seed: UInt64) throws {
    let set = EventSetGenerator.events(seed: seed)
    let folder = try ProjectionFolder()
    let probe = try delivered(set, folder)
    let expected = ExpectedHistory(set.events, ReferenceModel(events: set.events))
    try probe.view { view, _ in
      for (collection, ids) in expected.items {
        for (id, items) in ids {
          let actual = try view.history(
            of: id.text, in: collection.shown.text, isLocal: collection.isLocal)
          let place = "seed \(seed), \(collection)/\(id)"
          #expect(actual.map(\.event) == items.map(\.reference.event), "\(place)")
          #expect(actual.map(\.operation) == items.map(\.reference.operation), "\(place)")
          #expect(actual.map(\.kind) == items.map { ExpectedHistory.kind($0.operation) })
          compareChanges(actual, items, collection, id, expected)
        }
      }
    }
  }

  private func compareChanges(
    _ actual: [HistoryItem], _ items: [ExpectedHistory.Item], _ collection: ReferenceName,
    _ id: ReferenceName, _ expected: ExpectedHistory
  ) {
    let entity = expected.model.entities[collection]?[id]
    let conflicts = expected.model.conflicts.filter { $0.collection == collection && $0.id == id }
    let undos = items.map(\.change).filter { $0.kind == .undo }
    var shown: [String: Value] = [:]
    for (number, (actual, item)) in zip(actual, items).enumerated() {
      let before = shown
      // What an undo changes follows from all writes before it.
      if item.change.kind == .undo {
        shown = ReferenceEntity(items[...number].map(\.change)).fields
          .reduce(into: [:]) { $0[$1.key.text] = $1.value.value }
      }
      let counts = !ReferenceEntity.isUndone(item.change, by: items[...number].map(\.change))
      let isUndone = ReferenceEntity.isUndone(item.change, by: undos)
      #expect(
        actual.isUndone == (isUndone && item.change.kind != .undo && item.change.kind != .erase))
      var fields = ExpectedHistory.fields(items, at: number)
      if item.change.kind == .undo {
        fields = Set(before.keys).union(shown.keys).reduce(into: [:]) { changed, name in
          let (old, new) = (before[name] ?? .null, shown[name] ?? .null)
          if old != new { changed[name] = new }
        }
      }
      #expect(Set(actual.changes.map(\.field)) == Set(fields.keys))
      for change in actual.changes {
        let name = ReferenceName(change.field)
        #expect(change.to == fields[change.field])
        #expect(change.from == before[change.field] ?? .null)
        #expect(change.isCurrent == ExpectedHistory.isCurrent(item, name, entity))
        let isConflict = conflicts.contains {
          $0.field == name && $0.frontier.contains(item.reference)
        }
        #expect(change.isConflict == isConflict)
        if counts, item.change.kind != .undo { shown[change.field] = change.to }
      }
      if actual.kind == .erase { shown = [:] }
    }
  }

  @Test(
    "conflicts name their writes, the written values and the winner",
    arguments: ProjectorPropertyTests.seeds)
  func conflicts(seed: UInt64) throws {
    let set = EventSetGenerator.events(seed: seed)
    let folder = try ProjectionFolder()
    let probe = try delivered(set, folder)
    let model = ReferenceModel(events: set.events)
    let expected = ExpectedHistory(set.events, model)
    let actual = try probe.view { view, _ in try view.conflicts() }
    let wanted = model.conflicts.map(expected.conflict)
    #expect(actual.count == wanted.count, "seed \(seed)")
    // Shared collections come before local ones of the same name.
    let ordered = wanted.enumerated().sorted {
      $0.element.collection != $1.element.collection
        ? utf8Less($0.element.collection, $1.element.collection)
        : $0.element.isLocal != $1.element.isLocal ? $1.element.isLocal : $0.offset < $1.offset
    }
    for (a, b) in zip(actual, ordered) {
      #expect(a.withoutAuthors == b.element, "seed \(seed)")
    }
  }

  @Test(
    "the bounds of a run of events and a selection hold for each event",
    arguments: ProjectorPropertyTests.seeds)
  func bounds(seed: UInt64) throws {
    let set = EventSetGenerator.events(seed: seed)
    let folder = try ProjectionFolder()
    let probe = try delivered(set, folder)
    var generator = SelectionGenerator(seed: seed &+ 2, set)
    var random = SplitMix64(seed: seed)
    try probe.view { view, _ in
      for selection in [.all, .time(.min), .time(.max)] + generator.selections(10).map(\.0) {
        let bounds = try SelectionBounds(selection, view)
        for (origin, last) in view.wholeVector.entries {
          let held = try (1...last).map { try holds(selection, EventID(origin, $0), view) }
          let certain = Int(bounds.certain(of: origin))
          #expect(certain <= held.count && held[..<certain].allSatisfy(\.self))
          for _ in 0..<20 {
            let first = random.pick(1...Int(last))
            let run = first...random.pick(first...Int(last))
            let said = bounds.holds(origin, UInt64(run.lowerBound)...UInt64(run.upperBound))
            let each = held[(run.lowerBound - 1)...(run.upperBound - 1)]
            #expect(said != true || each.allSatisfy(\.self), "seed \(seed), \(selection)")
            #expect(said != false || !each.contains(true), "seed \(seed), \(selection)")
          }
          // Only a vector tells anything of events that have not been projected.
          let beyond = bounds.holds(origin, (last + 1)...(last + 1))
          if case .time = selection { #expect(beyond == nil) }
        }
      }
    }
  }

  private func holds(_ selection: Selection, _ event: EventID, _ view: ReadModelView) throws -> Bool
  {
    switch selection {
    case .all: return true
    case .vector(let vector): return vector[event.origin] >= event.sequence
    case .time(let moment):
      let times = try #require(try view.times(of: event))
      return min(times.authored, times.stamped ?? times.authored).milliseconds <= moment
    }
  }

  @Test(
    "the events on an entity are all shared and local events that name it",
    arguments: ProjectorPropertyTests.seeds)
  func eventsOnEntities(seed: UInt64) throws {
    let set = EventSetGenerator.events(seed: seed)
    let folder = try ProjectionFolder()
    let probe = try delivered(set, folder)
    let expected = ExpectedHistory(set.events, ReferenceModel(events: set.events))
    // Ids are compared by bytes: texts that are equivalent in Unicode are different ids.
    var events: [String: [[UInt8]: Set<EventID>]] = [:]
    for (collection, ids) in expected.items {
      for (id, items) in ids {
        events[collection.shown.text, default: [:]][Array(id.text.utf8), default: []]
          .formUnion(items.map(\.reference.event))
      }
    }
    try probe.view { view, _ in
      for (collection, ids) in events {
        for (id, expected) in ids {
          let found = try view.events(on: String(decoding: id, as: UTF8.self), in: collection)
          #expect(found == expected, "seed \(seed)")
        }
        let none = try view.events(on: "nobody", in: collection)
        #expect(none == [])
      }
      let unknown = try view.events(on: "n1", in: "nowhere")
      #expect(unknown == nil)
    }
  }

  /// Returns a read model with all events, delivered in the order of some plan.
  private func delivered(_ set: EventSet, _ folder: ProjectionFolder) throws -> ReadModelProbe {
    let source = ArrayEventSource(set)
    let probe = try ReadModelProbe(source, folder: folder.url)
    for step in DeliveryPlan(seed: set.seed, events: set.events).steps {
      guard case .deliver(let origin, let range) = step else { continue }
      source.deliver(origin, range)
      try probe.catchUp()
    }
    return probe
  }
}

extension Conflict {
  /// The conflict as the reference model knows it.
  fileprivate var withoutAuthors: Conflict {
    var conflict = self
    for index in writes.indices { conflict.writes[index].author = Author() }
    return conflict
  }
}
