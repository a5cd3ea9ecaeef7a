import DaybookEventCore
import DaybookLogEngine
import DaybookProjections

/// Events in memory, read as if from a log.
final class SampleSource: EventSource {
  struct Missing: Error {}

  private var events: [ReplicaID: [EncodedEvent]] = [:]
  private var chains: [ReplicaID: [Chain]] = [:]
  private var contexts: [ReplicaID: CausalContext] = [:]
  /// Number of events of each origin that can be read; nil for all.
  var limit: UInt64?

  func append(
    _ identity: Identity, at milliseconds: Int64, kind: Envelope.Kind = .transaction,
    seen: VersionVector = VersionVector(), _ operations: [Operation]
  ) throws {
    let origin = identity.id
    if events[origin] == nil, kind != .identity {
      try append(identity, at: 0, kind: .identity, [.identity(IdentityClaim(identity))])
    }
    var context = contexts[origin] ?? CausalContext(author: origin)
    let delta = context.delta(to: seen)
    try context.apply(delta)
    contexts[origin] = context
    let envelope = Envelope(
      kind: kind, authored: HybridTime(milliseconds: milliseconds), context: delta)
    append(origin, EncodedEvent(envelope, Body(operations: operations)))
  }

  /// Appends an event of any bytes.
  func append(_ origin: ReplicaID, _ event: EncodedEvent) {
    var chain = chains[origin]?.last ?? Chain(origin: origin)
    chain.append(event)
    events[origin, default: []].append(event)
    chains[origin, default: []].append(chain)
  }

  /// The events of each origin that can be read; nil for all.
  var shown: VersionVector?

  /// The number of events of an origin that can be read.
  func count(_ origin: ReplicaID) -> UInt64 {
    min(UInt64(events[origin]?.count ?? 0), limit ?? .max, shown?[origin] ?? .max)
  }

  var wholeVector: VersionVector {
    VersionVector(events.keys.map { ($0, count($0)) }.filter { $0.1 > 0 })
  }
  var rawBytes: Int { 1 << 10 }

  func forEachEvent(
    of origin: ReplicaID, in range: ClosedRange<UInt64>,
    _ body: (UInt64, EventView) throws -> Void
  ) throws {
    guard range.lowerBound > 0, range.upperBound <= count(origin) else { throw Missing() }
    for sequence in range {
      var writer = ByteWriter()
      events[origin]?[Int(sequence) - 1].encode(to: &writer)
      try writer.bytes.withUnsafeBytes {
        var reader = ByteReader($0)
        try body(sequence, try EventView(from: &reader))
      }
    }
  }

  func forEachFrame(after vector: VersionVector, _ body: (FrameView) throws -> Void) throws {
    for origin in events.keys.sorted() {
      let last = count(origin)
      guard vector[origin] < last else { continue }
      let first = vector[origin] + 1
      var writer = ByteWriter()
      for sequence in first...last { events[origin]?[Int(sequence) - 1].encode(to: &writer) }
      let chain = chains[origin]?[Int(last) - 1].value ?? .zero
      try writer.bytes.withUnsafeBytes {
        try body(
          FrameView(
            origin: origin, firstSequence: first, count: Int(last - first + 1), bytes: $0,
            chain: chain))
      }
    }
  }
}
