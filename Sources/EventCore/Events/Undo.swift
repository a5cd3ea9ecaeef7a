/// Events whose writes to one entity stop to count, or count again.
///
/// Whether an event counts for an entity is a register of its own: of the undos that name the
/// event, the one with the greatest ``turn`` decides; of equal turns, the one that was authored
/// last, then the one with the greater event.
package struct Undo: Hashable, Sendable {
  package var collection: String
  package var id: String
  /// Whether the events stop to count. If not, they count again.
  package var isUndone: Bool
  /// One more than the greatest turn among the undos of the entity that the author had seen. So an
  /// undo decides over all that its author had seen, whatever the clocks say.
  package var turn: UInt64
  /// The events; see ``EventRun/runs(of:)`` for their order.
  package var events: [EventRun]

  package init(
    collection: String, id: String, isUndone: Bool, turn: UInt64, events: [EventRun]
  ) {
    self.collection = collection
    self.id = id
    self.isUndone = isUndone
    self.turn = turn
    self.events = events
  }
}

/// Consecutive events of one origin.
package struct EventRun: Hashable, Sendable {
  package var origin: ReplicaID
  /// The first sequence is at least 1, and the last is below 2⁶³.
  package var sequences: ClosedRange<UInt64>

  package init(_ origin: ReplicaID, _ sequences: ClosedRange<UInt64>) {
    self.origin = origin
    self.sequences = sequences
  }

  /// Returns events as runs, ascending, and as few as possible.
  package static func runs(of events: some Sequence<EventID>) -> [EventRun] {
    var runs: [EventRun] = []
    for event in events.sorted() {
      if let last = runs.last, last.origin == event.origin,
        last.sequences.upperBound + 1 >= event.sequence
      {
        let upper = max(last.sequences.upperBound, event.sequence)
        runs[runs.count - 1].sequences = last.sequences.lowerBound...upper
      } else {
        runs.append(EventRun(event.origin, event.sequence...event.sequence))
      }
    }
    return runs
  }

  package func contains(_ event: EventID) -> Bool {
    origin == event.origin && sequences.contains(event.sequence)
  }
}

/// The part of an undo that follows its id.
package struct UndoView {
  package let isUndone: Bool
  package let turn: UInt64
  package let events: [EventRun]

  /// - Throws: ``EventError`` if the runs are none, are not ascending, or touch each other.
  package init(from reader: inout ByteReader) throws(EventError) {
    switch try reader.byte() {
    case 0: isUndone = false
    case 1: isUndone = true
    default: throw EventError(.malformed, "an undo of neither kind", offset: reader.offset)
    }
    turn = try reader.varint()
    let count = try reader.count()
    var events: [EventRun] = []
    for _ in 0..<count {
      let origin = try reader.replicaID()
      let first = try reader.varint()
      let (last, overflow) = first.addingReportingOverflow(try reader.varint())
      guard first > 0, !overflow, last < UInt64(Int64.max) else {
        throw EventError(.malformed, "an undo of no events", offset: reader.offset)
      }
      if let before = events.last {
        guard
          before.origin < origin
            || (before.origin == origin && before.sequences.upperBound + 1 < first)
        else {
          throw EventError(.notCanonical, "undone events out of order", offset: reader.offset)
        }
      }
      events.append(EventRun(origin, first...last))
    }
    guard !events.isEmpty else {
      throw EventError(.malformed, "an undo of no events", offset: reader.offset)
    }
    self.events = events
  }

  /// Writes what ``init(from:)`` reads.
  package static func encode(
    isUndone: Bool, turn: UInt64, events: [EventRun], to writer: inout ByteWriter
  ) {
    writer.byte(isUndone ? 1 : 0)
    writer.varint(turn)
    writer.varint(events.count)
    for run in events {
      writer.replicaID(run.origin)
      writer.varint(run.sequences.lowerBound)
      writer.varint(run.sequences.upperBound - run.sequences.lowerBound)
    }
  }
}
