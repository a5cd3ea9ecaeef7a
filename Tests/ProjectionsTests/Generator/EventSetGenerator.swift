import DaybookEventCore
import DaybookSimulation

@testable import DaybookReferenceModel

/// Writes sets of events as replicas might, or as somebody might who wishes the projector ill: the
/// same seed gives the same bytes.
///
/// Authors see growing parts of each other's events, so contexts are contiguous for each origin and
/// need not be transitively closed. Authored times exceed everything in the context; stamps keep no
/// rule at all.
struct EventSetGenerator {
  private let seed: UInt64
  private var random: SplitMix64
  private var operations: OperationGenerator
  private var stamps = StampGenerator()
  private var edits = EditGenerator()
  private var undos = UndoGenerator()
  private var origins: [GeneratedOrigin] = []
  /// Whether every event is an ordinary one, so that the state is complete.
  private let isCalm: Bool
  private var opaque: Set<EventID> = []
  private var features: Set<EventFeature> = []

  init(seed: UInt64) {
    self.seed = seed
    random = SplitMix64(seed: seed)
    isCalm = random.chance(30)
    operations = OperationGenerator(random: SplitMix64(seed: random.next()))
  }

  static func events(seed: UInt64) -> EventSet {
    var generator = EventSetGenerator(seed: seed)
    return generator.generate()
  }

  mutating func generate() -> EventSet {
    let steps = random.pick(20...100)
    chooseOrigins(steps: steps)
    for step in 0..<steps {
      let ready = origins.indices.filter { origins[$0].start <= step }
      write(random.pick(ready), step: step)
    }
    // An origin that never had its turn says at least who it is.
    for index in origins.indices where origins[index].author.sequence == 0 {
      write(index, step: steps)
    }
    return EventSet(
      seed: seed,
      events: Dictionary(
        uniqueKeysWithValues: origins.map { ($0.author.origin, $0.author.events) }),
      chains: Dictionary(
        uniqueKeysWithValues: origins.map { ($0.author.origin, $0.author.chains) }),
      opaque: opaque,
      features: features.union(operations.features).union(stamps.features)
        .union(edits.features).union(undos.features))
  }

  private mutating func chooseOrigins(steps: Int) {
    let hubs = random.pick([0, 1, 1, 2, 2])
    features.insert([.noHub, .oneHub, .twoHubs][hubs])
    var roles: [GeneratedOrigin.Role] = Array(repeating: .device, count: random.pick(2...5))
    roles += Array(repeating: .hub, count: hubs)
    if random.chance(30) { roles.append(.impostor) }
    if random.chance(15) { roles.append(.thief) }
    let numbers = random.shuffled(Array(TestIdentities.pool.indices)).prefix(roles.count)
    for (index, (role, number)) in zip(roles, numbers).enumerated() {
      // A device or hub that begins later may be the new incarnation of one before.
      let isLate = index > 0 && random.chance(20)
      if isLate { features.insert(.lateOrigin) }
      let claim: IdentityClaim
      switch role {
      case .device, .local: claim = TestIdentities.poolClaims[number]
      case .hub: claim = TestIdentities.poolHubClaims[number]
      case .impostor:
        features.insert(.impostor)
        claim = TestIdentities.poolClaims[number]
      case .thief:
        features.insert(.stolenCertificate)
        claim = TestIdentities.poolHubClaims[(number + 1) % TestIdentities.pool.count]
      }
      origins.append(
        GeneratedOrigin(
          role: role, wall: wall(), claim: claim, origin: TestIdentities.pool[number].id,
          start: isLate ? steps / 2 : 0))
    }
    addPrivateOrigins(steps: steps)
  }

  /// The replica whose events these are may have local collections, and have had another identity.
  private mutating func addPrivateOrigins(steps: Int) {
    guard random.chance(60) else { return }
    features.insert(.privateOrigin)
    let count = random.chance(30) ? 2 : 1
    if count == 2 { features.insert(.twoPrivateOrigins) }
    for (index, replica) in origins.prefix(count).enumerated() {
      origins.append(
        GeneratedOrigin(
          role: .local, wall: wall(), claim: replica.claim,
          origin: replica.author.origin.privateOrigin, start: index * steps / 2))
    }
  }

  private mutating func wall() -> GeneratedOrigin.Wall {
    switch random.pick(0...9) {
    case 0:
      features.insert(.frozenClock)
      return .frozen
    case 1:
      features.insert(.futureClock)
      return random.chance(70) ? .future : .end
    case 2:
      features.insert(.clockAhead)
      return .ahead
    case 3...4:
      features.insert(.skewedClock)
      return .skewed(Int64(random.pick(-90_000...90_000)))
    default: return .right
    }
  }

  private mutating func write(_ index: Int, step: Int) {
    var origin = origins[index]
    receive(&origin)
    let authored = origin.authored(step: step)
    if origin.author.sequence == 0, origin.role != .local {
      writeIdentity(&origin, authored)
    } else if origin.role != .device, origin.role != .local, random.chance(80) {
      let operations = stamps.stamps(by: &origin, of: origins, step: step, &random)
      origin.author.append(
        .stamps, authored: authored, seen: origin.seen, Body(operations: operations))
    } else if !isCalm, random.chance(14) {
      var hostile = HostileEvent(random: random, operations: operations)
      let id = hostile.write(&origin, authored, nobody: origins.map(\.author.origin))
      (random, operations) = (hostile.random, hostile.operations)
      features.formUnion(hostile.features)
      if hostile.isOpaque { opaque.insert(id) }
    } else {
      writeTransaction(&origin, authored, step)
    }
    origin.didAppend(authored: authored)
    origins[index] = origin
  }

  private mutating func receive(_ origin: inout GeneratedOrigin) {
    for other in origins where other.author.origin != origin.author.origin {
      // What is private, nobody else hears of.
      if other.role == .local, origin.role != .local { continue }
      let known = origin.seen[other.author.origin]
      guard other.author.sequence > known, random.chance(45) else { continue }
      let more = random.pick(1...Int(other.author.sequence - known))
      origin.receive(other, through: known + UInt64(more))
    }
  }

  private mutating func writeIdentity(_ origin: inout GeneratedOrigin, _ authored: HybridTime) {
    origin.author.append(
      .identity, authored: authored, seen: origin.seen,
      Body(actor: "device", operations: [.identity(origin.claim)]))
  }

  private mutating func writeTransaction(
    _ origin: inout GeneratedOrigin, _ authored: HybridTime, _ step: Int
  ) {
    var written = operations.transaction()
    if step < 8, random.chance(60) {
      written.insert(operations.define(random.pick(["notes", "links", "tasks"])), at: 0)
    }
    if random.chance(45) { written += edits.edits(&random) }
    if random.chance(20) { written += undos.undos(&random) }
    let event = EventID(origin.author.origin, origin.author.sequence + 1)
    edits.note(written, event)
    undos.note(written, event)
    var body = Body(operations: written)
    if random.chance(20) {
      body.actor = "Ann"
      body.label = "edit"
      body.annotations = ["source": "file.csv", "line": "\(step)"]
    }
    origin.author.append(authored: authored, seen: origin.seen, body)
  }
}
