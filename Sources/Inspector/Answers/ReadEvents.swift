import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookProjections

/// An event as the log has it, with its times.
struct ReadEvent: Sendable {
  var event: Event
  var times: Store.EventTimes

  /// Reads events of the log, in the order given. Those that this version cannot read are left out.
  ///
  /// Cost: reads the frames that hold them.
  static func read(_ ids: [EventID], _ store: Store) async throws -> [ReadEvent] {
    guard !ids.isEmpty else { return [] }
    let feed = store.core.feed
    return try await store.core.reads.asynchronously { snapshot in
      let view = try snapshot.view
      var found: [EventID: ReadEvent] = [:]
      for (origin, run) in runs(ids) {
        try feed.forEachEvent(of: origin, in: run) { sequence, event in
          let id = EventID(origin, sequence)
          guard let read = try? Event(id: id, decoding: event.encoded) else { return }
          let times = try view.times(of: id) ?? .init(authored: read.envelope.authored)
          found[id] = ReadEvent(event: read, times: times)
        }
      }
      return ids.compactMap { found[$0] }
    }
  }

  /// Returns the events as runs of each origin's numbers, so that each frame is read once.
  private static func runs(_ ids: [EventID]) -> [(ReplicaID, ClosedRange<UInt64>)] {
    var runs: [(ReplicaID, ClosedRange<UInt64>)] = []
    for id in ids.sorted() {
      if let last = runs.last, last.0 == id.origin, id.sequence <= last.1.upperBound &+ 1 {
        runs[runs.count - 1].1 = last.1.lowerBound...max(last.1.upperBound, id.sequence)
      } else {
        runs.append((id.origin, id.sequence...id.sequence))
      }
    }
    return runs
  }

  /// The event in short: who, when, what for, and what it wrote, by kind and collection.
  var brief: JSONValue {
    struct Kind: Hashable {
      var word: String
      var collection: String
    }
    var order: [Kind] = []
    var counts: [Kind: (count: Int, id: String?)] = [:]
    for operation in event.body?.operations ?? [] {
      guard let (word, collection, id) = Self.words(operation) else { continue }
      let kind = Kind(word: word, collection: collection)
      if counts[kind] == nil { order.append(kind) }
      counts[kind, default: (0, id)].count += 1
    }
    let writes: [JSONValue] = order.prefix(8).map { kind in
      let (count, id) = counts[kind] ?? (0, nil)
      return .object([
        ("kind", .text(kind.word)), ("collection", .text(kind.collection)),
        ("count", .integer(Int64(count))), ("id", id.map { .text($0) } ?? .null),
      ])
    }
    return .object(
      InspectorValue.event(
        event.id, times, event.body?.actor ?? "", event.body?.label ?? "") + [
          ("readable", .boolean(event.body != nil)),
          ("local", .boolean(event.id.origin.isPrivate)), ("writes", .array(writes)),
        ])
  }

  /// What an operation is in a word, with its collection and entity; nil if it writes nothing.
  static func words(_ operation: DaybookEventCore.Operation) -> (String, String, String?)? {
    switch operation {
    case .define(let definition): ("define", definition.collection, nil)
    case .drop(let collection, _): ("drop", collection, nil)
    case .insert(let collection, let id, _): ("insert", collection, id)
    case .update(let collection, let id, _): ("update", collection, id)
    case .delete(let collection, let id): ("delete", collection, id)
    case .restore(let collection, let id): ("restore", collection, id)
    case .erase(let collection, let id): ("erase", collection, id)
    case .edit(let edit): ("edit", edit.collection, edit.id)
    case .undo(let undo): (undo.isUndone ? "undo" : "redo", undo.collection, undo.id)
    case .stamp: ("stamp", "", nil)
    case .identity: ("identity", "", nil)
    case .unknown: nil
    }
  }
}
