import Daybook
import DaybookEventCore

/// A replica of the attacker, which can sign anything.
struct AttackAuthor {
  let identity: Identity
  private let zone: ZoneID
  private(set) var sequence: UInt64 = 0
  private var chain: Chain
  /// Frames that were written since the last range.
  private var frames: [AttackFrame] = []
  private var first: UInt64 = 1

  var origin: ReplicaID { identity.id }

  /// - Parameter number: A different number for each replica of an attack.
  init(_ number: Int, in zone: ZoneID) throws {
    var seed = ByteWriter()
    for word in 0..<4 { seed.integer(UInt64(number) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(word)) }
    identity = try Identity(seed: seed.bytes)
    self.zone = zone
    chain = Chain(origin: identity.id)
  }

  static let began: Int64 = 1_790_000_000_000

  var identityEvent: EncodedEvent {
    EncodedEvent(
      Envelope(kind: .identity, authored: HybridTime(milliseconds: Self.began)),
      Body(operations: [.identity(IdentityClaim(identity))]))
  }

  static func transaction(
    _ operations: [DaybookEventCore.Operation] = [], context: ContextDelta = ContextDelta(),
    at later: Int64 = 1
  ) -> EncodedEvent {
    EncodedEvent(
      Envelope(
        kind: .transaction, authored: HybridTime(milliseconds: began + later), context: context),
      Body(operations: operations))
  }

  /// Adds a frame of events.
  mutating func write(_ events: [EncodedEvent], compressed: Bool = true) {
    var writer = ByteWriter()
    for event in events {
      event.encode(to: &writer)
      chain.append(event)
    }
    sequence += UInt64(events.count)
    frames.append(AttackFrame(writer.bytes, events: events.count, compressed: compressed))
  }

  /// Adds a frame that repeats one event `count` times.
  mutating func write(_ event: EncodedEvent, times count: Int) {
    var one = ByteWriter()
    event.encode(to: &one)
    var all = ByteWriter(capacity: one.count * count)
    for _ in 0..<count {
      all.raw(one.bytes)
      chain.append(event)
    }
    sequence += UInt64(count)
    frames.append(AttackFrame(all.bytes, events: count))
  }

  /// Returns a range of all frames written since the last range.
  mutating func range(isSigned: Bool = true) throws -> [UInt8] {
    let head = try Head(zone: zone.bytes, sequence: sequence, chain: chain.value, by: identity)
    defer { (frames, first) = ([], sequence + 1) }
    return isSigned
      ? AttackMessage.range(origin, first: first, frames, signature: head.signature)
      : AttackMessage.range(origin, first: first, frames)
  }
}
