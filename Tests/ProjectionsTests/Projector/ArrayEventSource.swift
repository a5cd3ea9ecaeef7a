import DaybookEventCore

@testable import DaybookProjections

/// Events in memory, handed out as a log would: what has been delivered, in frames, each origin's
/// contiguous prefix.
final class ArrayEventSource: EventSource {
  private var events: [ReplicaID: [EncodedEvent]]
  private var chains: [ReplicaID: [Hash256]]
  private var ranges: [ReplicaID: SequenceRanges] = [:]
  private var frames: [(origin: ReplicaID, range: ClosedRange<UInt64>)] = []
  /// How many frames and single events it hands out before it fails; nil for never.
  var readsUntilFailure: Int?

  /// The bytes of all events that it has handed out, each as often as it was.
  private(set) var handedBytes = 0

  struct Failure: Error {}

  init(_ set: EventSet) {
    events = set.events
    chains = set.chains
  }

  init(_ history: TestHistory) {
    events = history.events
    chains = Dictionary(
      uniqueKeysWithValues: history.authors.values.map { ($0.origin, $0.chains) })
  }

  /// Goes on with a history that has become longer, all of it delivered.
  func follow(_ history: TestHistory) {
    events = history.events
    for author in history.authors.values { chains[author.origin] = author.chains }
    deliverAll()
  }

  private func mayFail() throws {
    guard let left = readsUntilFailure else { return }
    guard left > 0 else { throw Failure() }
    readsUntilFailure = left - 1
  }

  /// Takes up what is not known yet of a range.
  func deliver(_ origin: ReplicaID, _ range: ClosedRange<UInt64>) {
    for missing in ranges[origin, default: SequenceRanges()].missing(in: range) {
      ranges[origin, default: SequenceRanges()].insert(missing)
      frames.append((origin, missing))
    }
  }

  func deliverAll() {
    for origin in events.keys.sorted() {
      if let count = events[origin]?.count, count > 0 { deliver(origin, 1...UInt64(count)) }
    }
  }

  var wholeVector: VersionVector { VersionVector(ranges.map { ($0.key, $0.value.contiguous) }) }

  var rawBytes: Int { 1 << 10 }

  func forEachEvent(
    of origin: ReplicaID, in range: ClosedRange<UInt64>,
    _ body: (UInt64, EventView) throws -> Void
  ) throws {
    guard range.upperBound <= UInt64(events[origin]?.count ?? 0) else { throw Failure() }
    for sequence in range {
      try mayFail()
      var writer = ByteWriter()
      events[origin]?[Int(sequence) - 1].encode(to: &writer)
      handedBytes += writer.bytes.count
      try writer.bytes.withUnsafeBytes {
        var reader = ByteReader($0)
        try body(sequence, try EventView(from: &reader))
      }
    }
  }

  func forEachFrame(after vector: VersionVector, _ body: (FrameView) throws -> Void) throws {
    var next = wholeVector.entries.reduce(into: [ReplicaID: UInt64]()) { $0[$1.origin] = 1 }
    var waiting = frames
    // Frames in the order of their delivery, those beyond a gap when it has been filled.
    while true {
      guard let i = waiting.firstIndex(where: { $0.range.lowerBound == next[$0.origin] }) else {
        return
      }
      let frame = waiting.remove(at: i)
      next[frame.origin] = frame.range.upperBound + 1
      guard frame.range.upperBound > vector[frame.origin] else { continue }
      try hand(frame.origin, frame.range, body)
    }
  }

  private func hand(
    _ origin: ReplicaID, _ range: ClosedRange<UInt64>, _ body: (FrameView) throws -> Void
  ) throws {
    try mayFail()
    var writer = ByteWriter()
    for sequence in range { events[origin]?[Int(sequence) - 1].encode(to: &writer) }
    handedBytes += writer.bytes.count
    let chain = chains[origin]?[Int(range.upperBound) - 1] ?? .zero
    try writer.bytes.withUnsafeBytes {
      try body(
        FrameView(
          origin: origin, firstSequence: range.lowerBound, count: range.count, bytes: $0,
          chain: chain))
    }
  }
}
