import DaybookEventCore

/// What the state of an entity keeps of the undos that were written about it.
struct UndoneEvents: Hashable {
  /// The greatest turn of an undo.
  var turn: UInt64 = 0
  /// Each origin's last undo, ascending.
  var last: [WriteRef] = []
  /// The events whose writes to the entity do not count, ascending.
  var runs: [EventRun] = []

  /// Cost: a binary search.
  func contains(_ event: EventID) -> Bool {
    let index = runs.partitioningIndex { run in
      run.origin == event.origin
        ? run.sequences.lowerBound > event.sequence : event.origin < run.origin
    }
    return index > 0 && runs[index - 1].contains(event)
  }

  /// Adds an undo that decides over all others.
  /// - Parameters:
  ///   - undo: the undo, whose turn is greater than that of all others.
  ///   - ref: where it was written.
  mutating func decide(_ undo: Undo, _ ref: WriteRef) {
    turn = undo.turn
    last.removeAll { $0.origin == ref.origin }
    last = (last + [ref]).sorted()
    var ranges: [ReplicaID: SequenceRanges] = [:]
    for run in runs { ranges[run.origin, default: SequenceRanges()].insert(run.sequences) }
    for run in undo.events {
      if undo.isUndone {
        ranges[run.origin, default: SequenceRanges()].insert(run.sequences)
      } else {
        ranges[run.origin]?.remove(run.sequences)
      }
    }
    runs = Self.runs(ranges)
  }

  /// Returns ranges of events as runs, ascending.
  static func runs(_ ranges: [ReplicaID: SequenceRanges]) -> [EventRun] {
    ranges.sorted { $0.key < $1.key }
      .flatMap { origin, known in known.ranges.map { EventRun(origin, $0) } }
  }

  func encode(to writer: inout ByteWriter) {
    writer.varint(turn)
    writer.varint(last.count)
    for ref in last { ref.encode(to: &writer) }
    writer.varint(runs.count)
    for run in runs {
      writer.replicaID(run.origin)
      writer.varint(run.sequences.lowerBound)
      writer.varint(run.sequences.upperBound - run.sequences.lowerBound)
    }
  }

  init() {}

  init(from reader: inout ByteReader) throws(EventError) {
    turn = try reader.varint()
    for _ in 0..<(try reader.count()) { last.append(try WriteRef(from: &reader)) }
    for _ in 0..<(try reader.count()) {
      let origin = try reader.replicaID()
      let first = try reader.varint()
      let (end, overflow) = first.addingReportingOverflow(try reader.varint())
      guard !overflow else {
        throw EventError(.malformed, "undone events beyond the last", offset: reader.offset)
      }
      runs.append(EventRun(origin, first...end))
    }
  }
}
