import DaybookEventCore
import DaybookFrames
import DaybookLogEngine

/// Everything that a snapshot serves.
struct Served {
  struct Item {
    var event: EncodedEvent
    var segment: UInt64
  }

  private(set) var events: [EventID: Item] = [:]
  /// Events that the log has indexed but cannot read.
  private(set) var unreadable: [EventID: LogError] = [:]
  private(set) var heads: [Head] = []

  /// - Throws: ``Violation`` if an event is present twice, or the snapshot contradicts itself.
  init(_ snapshot: LogSnapshot) throws(Violation) {
    var count = 0
    for entry in snapshot.entries {
      count += entry.count
      let events: [EncodedEvent]
      do throws(LogError) {
        let frame = try snapshot.frame(at: entry)
        events = try LogError.ofFrames { () throws(FrameError) in try frame.events() }
      } catch {
        for sequence in entry.sequences { unreadable[EventID(entry.origin, sequence)] = error }
        continue
      }
      for (sequence, event) in zip(entry.sequences, events) {
        let id = EventID(entry.origin, sequence)
        let item = Item(event: event, segment: entry.position.segment)
        guard self.events.updateValue(item, forKey: id) == nil else {
          throw Violation(.once, "event \(id) is in the log twice")
        }
      }
    }
    let ranges = snapshot.ranges.values.reduce(0) { sum, ranges in
      sum + ranges.ranges.reduce(0) { $0 + $1.count }
    }
    guard ranges == count, count == events.count + unreadable.count else {
      throw Violation(
        .once,
        "the log's frames hold \(count) events, its ranges \(ranges), served are "
          + "\(events.count)")
    }
    for entry in snapshot.heads {
      if let head = try? snapshot.head(at: entry) { heads.append(head) }
    }
  }
}
