import DaybookEventCore
import DaybookSimulation

@testable import DaybookReferenceModel

/// One event that is not an ordinary one: beyond this version, damaged, or lying.
struct HostileEvent {
  var random: SplitMix64
  var operations: OperationGenerator
  private(set) var features: Set<EventFeature> = []
  /// Whether nobody of this version can read it.
  private(set) var isOpaque = true

  init(random: SplitMix64, operations: OperationGenerator) {
    self.random = random
    self.operations = operations
  }

  /// - Parameter nobody: every origin there is.
  mutating func write(
    _ origin: inout GeneratedOrigin, _ authored: HybridTime, nobody origins: [ReplicaID]
  ) -> EventID {
    let (kind, codec, body) = content(origin)
    if random.chance(6) { return writeUnknownVersion(&origin, authored) }
    if random.chance(6) { return writeBadContext(&origin, authored) }
    return origin.author.append(kind, authored: authored, seen: origin.seen, codec: codec, body)
  }

  private mutating func content(
    _ origin: GeneratedOrigin
  ) -> (Envelope.Kind, Envelope.BodyCodec, EncodedEvent.Body) {
    let plain = Body(operations: operations.transaction())
    switch random.pick(0...8) {
    case 0:
      features.insert(.unknownKind)
      return (.unknown(UInt64(random.pick(4...300))), .plain, .present(plain.encoded()))
    case 1:
      features.insert(.sealed)
      return (.transaction, .unknown(2), .present(random.bytes(random.pick(0...60))))
    case 2:
      features.insert(.salted)
      isOpaque = false
      return (.transaction, .salted, .present(plain.encoded(salt: random.bytes(16))))
    case 3:
      features.insert(.bodyHash)
      return (.transaction, .plain, .hash(Hash256.sha256(of: plain.encoded())))
    case 4:
      features.insert(.malformedBody)
      return (.transaction, .plain, .present(malformed(plain.encoded())))
    case 5:
      features.insert(.malformedOperation)
      // An insert, by its number, whose payload is none, among others that are sound.
      let broken = Operation.unknown(kind: OperationKind.insert, payload: [0xFF, 1, 2])
      let body = Body(operations: plain.operations + [broken] + operations.transaction())
      return (.transaction, .plain, .present(body.encoded()))
    case 6:
      features.insert(.unknownOperation)
      isOpaque = false
      let later = Operation.unknown(
        kind: UInt64(random.pick(11...500)), payload: random.bytes(random.pick(0...9)))
      let body = Body(operations: [later] + plain.operations)
      return (.transaction, .plain, .present(body.encoded()))
    case 7:
      features.insert(.secondIdentity)
      isOpaque = false
      let body = Body(operations: [.identity(origin.claim)] + plain.operations)
      return (.identity, .plain, .present(body.encoded()))
    default:
      features.insert(.misplacedOperation)
      isOpaque = false
      let stamp = Stamp(
        origin: origin.author.origin, from: 1, through: 99, chain: .zero,
        time: HybridTime(milliseconds: 1))
      let isStamps = random.chance(50)
      let body = Body(
        operations: isStamps
          ? plain.operations : [.identity(origin.claim), .stamp(stamp)] + plain.operations)
      return (isStamps ? .stamps : .transaction, .plain, .present(body.encoded()))
    }
  }

  private mutating func malformed(_ body: [UInt8]) -> [UInt8] {
    switch random.pick(0...3) {
    case 0: body + [0]
    case 1: body.dropLast()
    case 2: [2] + body.dropFirst()
    default: []
    }
  }

  /// Like any event, but its envelope is of a later version; the context is not read.
  private mutating func writeUnknownVersion(
    _ origin: inout GeneratedOrigin, _ authored: HybridTime
  ) -> EventID {
    begin(.unknownVersion)
    var envelope = Envelope(kind: .transaction, authored: authored).encoded()
    envelope[0] = 2
    let body = Body(operations: operations.transaction())
    return origin.author.append(
      EncodedEvent(envelope: envelope, body: .present(body.encoded())))
  }

  /// Its causal context mentions what cannot be; the next event's follows from the one before.
  private mutating func writeBadContext(
    _ origin: inout GeneratedOrigin, _ authored: HybridTime
  ) -> EventID {
    begin(.badContext)
    let new = ReplicaID(high: random.next(), low: 2)
    let deltas: [[ContextDelta.Advance]] = [
      [.init(origin: .known(1000), by: 1)],
      [.init(origin: .new(origin.author.origin), by: 1)],
      [.init(origin: .new(new), by: 1), .init(origin: .new(new), by: 1)],
      [.init(origin: .new(new), by: .max)],
      [.init(origin: .new(new), by: 1), .init(origin: .known(0), by: 1)],
    ]
    let envelope = Envelope(
      kind: .transaction, authored: authored, context: ContextDelta(random.pick(deltas)))
    return origin.author.append(
      EncodedEvent(envelope, Body(operations: operations.transaction())))
  }

  /// What was noted of a body that is not used does not count.
  private mutating func begin(_ feature: EventFeature) {
    features = [feature]
    isOpaque = true
  }
}
