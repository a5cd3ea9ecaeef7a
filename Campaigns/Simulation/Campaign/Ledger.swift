import DaybookEventCore
import DaybookLogEngine

/// What the store was asked to write and what it answered: the truth that a log is compared with.
struct Ledger {
  /// An event that must be present.
  struct Fact {
    var event: EncodedEvent
    /// The segment that holds the event. Sealing moves an event only within its segment.
    var segment: UInt64
  }

  /// The state of a write that was not acknowledged.
  enum Fate: Hashable {
    /// Appended by a process that is alive.
    case inFlight(process: Int)
    /// Its process died, or its write failed: the event may be present, in part or whole.
    case uncertain
    /// Cut off again, but the cut may not be durable.
    ///
    /// The event may reappear once, after a power failure.
    case lingering
    /// Abandoned, and the writer was told.
    case takenBack
  }

  struct Attempt {
    var id: EventID
    var event: EncodedEvent
    var fate: Fate
  }

  private struct HeadSigner: Hashable {
    var origin: ReplicaID
    var zone: [UInt8]
  }

  private(set) var facts: [EventID: Fact] = [:]
  private(set) var heads: [Head: UInt64] = [:]
  private(set) var attempts: [Attempt] = []
  private var headsInFlight: [(head: Head, process: Int)] = []
  /// Attempts that the log has indexed but cannot read.
  private var seenUnreadable: Set<EventID> = []
  /// Every head that was to be written.
  private var headsAttempted: Set<Head> = []

  // MARK: - Writing

  mutating func attempt(_ first: EventID, _ events: [EncodedEvent], by process: Int) {
    for (i, event) in events.enumerated() {
      let id = EventID(first.origin, first.sequence + UInt64(i))
      attempts.append(Attempt(id: id, event: event, fate: .inFlight(process: process)))
    }
  }

  mutating func attempt(_ head: Head) { headsAttempted.insert(head) }

  mutating func appended(_ head: Head, by process: Int) { headsInFlight.append((head, process)) }

  /// Records that the last attempted frame was refused and is not in the log.
  mutating func refused(count: Int, fate: Fate) {
    for i in attempts.indices.suffix(count) { attempts[i].fate = fate }
  }

  /// Records that a sync has returned, so that the process's writes are facts.
  mutating func acknowledge(_ process: Int, segment: UInt64) {
    for attempt in attempts where attempt.fate == .inFlight(process: process) {
      facts[attempt.id] = Fact(event: attempt.event, segment: segment)
    }
    for head in headsInFlight where head.process == process { heads[head.head] = segment }
    headsInFlight.removeAll { $0.process == process }
    removeKnown()
  }

  mutating func takeBack(_ process: Int) {
    headsInFlight.removeAll { $0.process == process }
    for i in attempts.indices where attempts[i].fate == .inFlight(process: process) {
      attempts[i].fate = .takenBack
    }
  }

  /// Records that the fate of the process's writes is unknown.
  mutating func lose(_ process: Int, as fate: Fate = .uncertain) {
    headsInFlight.removeAll { $0.process == process }
    for i in attempts.indices where attempts[i].fate == .inFlight(process: process) {
      attempts[i].fate = fate
    }
  }

  mutating func loseAll() {
    headsInFlight = []
    for i in attempts.indices {
      if case .inFlight = attempts[i].fate { attempts[i].fate = .uncertain }
    }
  }

  /// Removes attempts whose sequence numbers belong to facts now.
  private mutating func removeKnown() { attempts.removeAll { facts[$0.id] != nil } }

  /// Removes uncertain attempts that a recovered log does not serve: they cannot come back.
  ///
  /// - Parameter unreadable: Events that are present but cannot be read now. They stay, because the
  ///   cause may pass.
  mutating func forgetUncertain(but unreadable: Set<EventID>) {
    attempts.removeAll { $0.fate == .uncertain && !unreadable.contains($0.id) }
  }

  /// Removes events that the log has reported as possibly lost.
  mutating func writeOff(_ ids: Set<EventID>) {
    for id in ids { facts[id] = nil }
    // A log that was open all the while may still list them.
    seenUnreadable.formUnion(ids)
  }
  mutating func writeOffHeads(_ lost: [Head]) { for head in lost { heads[head] = nil } }

  var isEmpty: Bool { facts.isEmpty && attempts.isEmpty }

  /// The contiguous facts of each origin: what a read model would have applied.
  var vector: VersionVector {
    var vector = VersionVector()
    var ranges: [ReplicaID: SequenceRanges] = [:]
    for id in facts.keys { ranges[id.origin, default: .init()].insert(id.sequence...id.sequence) }
    for (origin, ranges) in ranges { vector[origin] = ranges.contiguous }
    return vector
  }

  // MARK: - Looking

  /// Compares a snapshot with the facts; every event in it counts as durable from now on.
  ///
  /// - Returns: The facts that the snapshot does not serve.
  /// - Throws: ``Violation`` if it serves an event or a head that it must not.
  mutating func compare(_ served: Served) throws(Violation) -> (events: Set<EventID>, heads: [Head])
  {
    for (id, item) in served.events {
      if let fact = facts[id] {
        guard fact.event == item.event else {
          throw Violation(.genuine, "event \(id) is another than the one that was acknowledged")
        }
      } else {
        try accept(id, item)
      }
    }
    removeKnown()
    for id in served.unreadable.keys where facts[id] == nil && !seenUnreadable.contains(id) {
      guard attempts.contains(where: { $0.id == id }) else {
        throw Violation(.genuine, "event \(id), which cannot be read, was never written")
      }
      seenUnreadable.insert(id)
    }
    for head in served.heads where heads[head] == nil {
      guard headsAttempted.contains(head) else {
        throw Violation(.genuine, "a head of \(head.event) was never written")
      }
    }
    let lost = Set(facts.keys.filter { served.events[$0] == nil })
    let present = Set(served.heads)
    var last: [HeadSigner: UInt64] = [:]
    for head in present {
      let signer = HeadSigner(origin: head.event.origin, zone: head.zone)
      last[signer] = max(last[signer] ?? 0, head.event.sequence)
    }
    // Sealing leaves out a head if a later one signs its event, too.
    let lostHeads = heads.keys.filter { head in
      let later = last[HeadSigner(origin: head.event.origin, zone: head.zone)] ?? 0
      return !present.contains(head) && head.event.sequence >= later
    }
    return (lost, lostHeads)
  }

  private mutating func accept(_ id: EventID, _ item: Served.Item) throws(Violation) {
    let same = attempts.filter { $0.id == id && $0.event == item.event }
    guard !same.isEmpty else {
      throw Violation(.genuine, "event \(id) was never written, or its number is taken")
    }
    if !same.contains(where: { $0.fate == .uncertain || $0.fate == .lingering }) {
      if same.allSatisfy({ $0.fate == .takenBack }) {
        throw Violation(.takenBack, "event \(id) was taken back, and is there")
      }
      throw Violation(.durableFirst, "event \(id) is seen, and nobody has made it durable")
    }
    facts[id] = Fact(event: item.event, segment: item.segment)
  }
}
