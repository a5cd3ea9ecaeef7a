import DaybookEventCore

/// The undos that were written about one entity, and what follows from them.
///
/// Whether an event counts is a register; see ``Undo``. An undo does not undo another one: it names
/// the events that the other one names.
struct UndoHistory {
  struct Entry {
    var ref: WriteRef
    var author: ReplicaID
    var authored: HybridTime
    var isUndone: Bool
    var turn: UInt64
    var events: [EventRun]

    /// Whether another undo decides over this one where both name an event.
    fileprivate func isWeaker(than other: Entry) -> Bool {
      if turn != other.turn { return turn < other.turn }
      if authored != other.authored { return authored < other.authored }
      if author != other.author { return author < other.author }
      return other.ref.isLater(than: ref)
    }
  }

  /// The undos, each before those that decide over it.
  let entries: [Entry]
  let undone: UndoneEvents
  /// All events that an undo names, whether they count or not.
  private let named: [ReplicaID: SequenceRanges]

  init(_ entries: [Entry]) {
    self.entries = entries.sorted { $0.isWeaker(than: $1) }
    var named: [ReplicaID: SequenceRanges] = [:]
    var ranges: [ReplicaID: SequenceRanges] = [:]
    var undone = UndoneEvents()
    var last: [Int: WriteRef] = [:]
    for entry in self.entries {
      undone.turn = max(undone.turn, entry.turn)
      if last[entry.ref.origin].map({ entry.ref.isLater(than: $0) }) ?? true {
        last[entry.ref.origin] = entry.ref
      }
      for run in entry.events {
        named[run.origin, default: SequenceRanges()].insert(run.sequences)
        if entry.isUndone {
          ranges[run.origin, default: SequenceRanges()].insert(run.sequences)
        } else {
          ranges[run.origin]?.remove(run.sequences)
        }
      }
    }
    undone.last = last.values.sorted()
    undone.runs = UndoneEvents.runs(ranges)
    self.undone = undone
    self.named = named
  }

  /// Returns whether any undo names an event.
  func names(_ event: EventID) -> Bool { named[event.origin]?.contains(event.sequence) ?? false }

  /// Returns whether an event's writes do not count.
  func isUndone(_ event: EventID) -> Bool { undone.contains(event) }
}

extension Projector {
  /// Returns the undos among the writes to an entity; nil if there are none.
  ///
  /// Cost: reads each of them from the log.
  /// - Throws: ``ProjectionError``; what reading the log throws.
  func undoHistory(_ entries: some Sequence<HistoryEntry>) throws -> UndoHistory? {
    var undos: [UndoHistory.Entry] = []
    for entry in entries where entry.isUndo { undos.append(try undo(entry.ref)) }
    return undos.isEmpty ? nil : UndoHistory(undos)
  }

  private func undo(_ ref: WriteRef) throws -> UndoHistory.Entry {
    let author = index.origin(ref.origin).id
    let id = EventID(author, ref.sequence)
    let undo: Undo
    if let known = currentWrites[ref]?.undo {
      undo = known
    } else if case .undo(let read)? = try earlier.event(id).operation(ref.operation) {
      undo = read
    } else {
      throw ProjectionError(.missingEvent, "event \(id) has no undo \(ref.operation)")
    }
    return UndoHistory.Entry(
      ref: ref, author: author, authored: try index.authored(ref.origin, ref.sequence),
      isUndone: undo.isUndone, turn: undo.turn, events: undo.events)
  }
}

extension EventIndex {
  /// The name of a write's event.
  func event(of ref: WriteRef) -> EventID { EventID(origin(ref.origin).id, ref.sequence) }
}
