public import EventCore
private import HeapModule

/// What a hub has to know to stamp: which events have stamps, which wait for one, and what their
/// authors had seen.
///
/// Pure: events go in by origin and in sequence, the wall clock is handed in, stamps come out.
public struct StampLedger: Sendable {
  private struct Origin {
    var context: CausalContext
    /// The last event noted.
    var through: UInt64 = 0
    var chain: Hash256
    /// Certified by the authority: its stamps count, and its events need none.
    var isHub = false
    var stamped = SequenceRanges()
    /// Noted and not stamped, ascending.
    var pending: [Pending] = []

    init(_ id: ReplicaID) {
      context = CausalContext(author: id)
      chain = Chain(origin: id).value
    }

    /// How far every event counts as stamped.
    var settled: UInt64 { isHub ? through : stamped.contiguous }
  }

  private struct Pending {
    var sequence: UInt64
    var authored: HybridTime
    var chain: Hash256
    /// What the author had seen more than at its previous event.
    var seen: [(origin: ReplicaID, sequence: UInt64)]
  }

  private var origins: [ReplicaID: Origin] = [:]
  private let authority: [UInt8]
  private var clock = HybridClock()

  /// - Parameter authority: the public key that certifies hubs.
  public init(authority: [UInt8]) { self.authority = authority }

  /// The latest stamp known.
  public var latest: HybridTime { clock.latest }

  /// How many events wait for a stamp.
  public var pendingCount: Int { origins.values.reduce(0) { $0 + $1.pending.count } }

  /// How far the events of each origin were noted.
  public var vector: VersionVector { VersionVector(origins.map { ($0.key, $0.value.through) }) }

  /// How far an origin's events were noted.
  public func through(_ origin: ReplicaID) -> UInt64 { origins[origin]?.through ?? 0 }

  /// Notes an origin's next event; one that was noted before is left out.
  public mutating func note(_ event: EventView, id: EventID) {
    var origin = origins[id.origin] ?? Origin(id.origin)
    guard id.sequence == origin.through + 1 else { return }
    // The copy here is to be the only one while it changes.
    origins[id.origin] = nil
    defer { origins[id.origin] = origin }
    origin.through = id.sequence
    var chain = Chain(value: origin.chain)
    event.advance(&chain)
    origin.chain = chain.value
    let envelope = try? Envelope(decoding: event.envelope)
    // A context that makes no sense says nothing, here as in the projector.
    let seen = envelope.flatMap { try? origin.context.apply($0.context) } ?? []
    if let envelope, envelope.kind == .identity || envelope.kind == .stamps, !event.bodyIsHash,
      let body = try? Body(decoding: event.body, codec: envelope.bodyCodec)
    {
      for operation in body.operations {
        switch operation {
        case .identity(let claim) where id.sequence == 1 && envelope.kind == .identity:
          origin.isHub =
            claim.certifiesHub(id.origin) && claim.certificate?.authority == authority
        case .stamp(let stamp) where origin.isHub && envelope.kind == .stamps:
          // A hub cannot stamp itself, nor does it need to.
          if stamp.origin != id.origin { take(stamp) }
        default: break
        }
      }
    }
    guard !origin.isHub, !origin.stamped.contains(id.sequence) else { return }
    origin.pending.append(
      Pending(
        sequence: id.sequence, authored: envelope?.authored ?? .zero, chain: chain.value,
        seen: seen))
  }

  private mutating func take(_ stamp: Stamp) {
    guard stamp.from > 0, stamp.from <= stamp.through, stamp.through < UInt64(Int64.max) else {
      return
    }
    clock.observe(stamp.time)
    var origin = origins[stamp.origin] ?? Origin(stamp.origin)
    origins[stamp.origin] = nil
    origin.stamped.insert(stamp.from...stamp.through)
    origin.pending.removeAll { (stamp.from...stamp.through).contains($0.sequence) }
    origins[stamp.origin] = origin
  }

  // MARK: - Stamping

  /// Stamps what can be stamped, in pending order: by authored time, then origin. What an author had
  /// seen gets an earlier stamp, or has one; an event whose context is not all here waits.
  ///
  /// - Parameters:
  ///   - wallMilliseconds: the machine's clock, milliseconds since 1970; it may be wrong.
  ///   - limit: most stamps.
  /// - Returns: stamps with rising times; one for each run of an origin's events. They count as
  ///   given only when the hub's event with them is noted.
  public mutating func stamps(wallMilliseconds: Int64, limit: Int = 65_536) -> [Stamp] {
    var ready = Heap(
      origins.compactMap { id, origin in
        origin.pending.first.map { Ready(time: $0.authored, origin: id) }
      })
    var made: [Stamp] = []
    var settled: [ReplicaID: UInt64] = [:]
    var next: [ReplicaID: Int] = [:]
    var waiting: [ReplicaID: [(sequence: UInt64, origin: ReplicaID)]] = [:]
    var clock = clock
    while let id = ready.popMin()?.origin {
      let index = next[id] ?? 0
      guard let origin = origins[id], index < origin.pending.count else { continue }
      let event = origin.pending[index]
      let lacking = event.seen.first { seen in
        (settled[seen.origin] ?? origins[seen.origin]?.settled ?? 0) < seen.sequence
      }
      if let lacking {
        waiting[lacking.origin, default: []].append((lacking.sequence, id))
        continue
      }
      if let last = made.last, last.origin == id, last.through + 1 == event.sequence {
        made[made.count - 1].through = event.sequence
        made[made.count - 1].chain = event.chain
      } else {
        if made.count == limit { break }
        made.append(
          Stamp(
            origin: id, from: event.sequence, through: event.sequence, chain: event.chain,
            time: clock.tick(wallMilliseconds: wallMilliseconds)))
      }
      next[id] = index + 1
      settled[id] = settledThrough(origin, event.sequence, settled[id])
      if index + 1 < origin.pending.count {
        ready.insert(Ready(time: origin.pending[index + 1].authored, origin: id))
      }
      // Those that waited for this.
      guard var waiters = waiting[id] else { continue }
      let through = settled[id] ?? 0
      for waiter in waiters where waiter.sequence <= through {
        guard let other = origins[waiter.origin] else { continue }
        let time = other.pending[next[waiter.origin] ?? 0].authored
        ready.insert(Ready(time: time, origin: waiter.origin))
      }
      waiters.removeAll { $0.sequence <= through }
      waiting[id] = waiters
    }
    return made
  }

  /// How far all events count as stamped once `sequence` is too.
  private func settledThrough(_ origin: Origin, _ sequence: UInt64, _ before: UInt64?) -> UInt64 {
    let settled = before ?? origin.settled
    guard sequence == settled + 1 else { return settled }
    // What another hub has stamped beyond it.
    for range in origin.stamped.ranges where range.contains(sequence + 1) {
      return range.upperBound
    }
    return sequence
  }
}

/// An origin whose next event is to be stamped, or to wait.
private struct Ready: Comparable {
  var time: HybridTime
  var origin: ReplicaID

  static func < (a: Ready, b: Ready) -> Bool {
    a.time != b.time ? a.time < b.time : a.origin < b.origin
  }
}
