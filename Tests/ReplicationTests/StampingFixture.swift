import DaybookEventCore
import DaybookReplication
import DaybookSimulation

/// A hub and what it stamps: what suites about the ledger of stamps begin with.
class StampingFixture {
  let authority: Identity
  let hub: Identity

  init() throws {
    authority = try Identity(seed: Array(repeating: 8, count: 32))
    hub = try Identity(seed: Array(repeating: 9, count: 32))
  }

  func ledger() -> StampLedger { StampLedger(authority: authority.publicKey) }

  func note(_ event: EncodedEvent, _ id: EventID, in ledger: inout StampLedger) throws {
    var writer = ByteWriter()
    event.encode(to: &writer)
    try writer.bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      ledger.note(try EventView(from: &reader), id: id)
    }
  }

  /// Notes the hub's events with these stamps, as storing them would.
  func noteOwn(_ stamps: [Stamp], in ledger: inout StampLedger) throws {
    if ledger.through(hub.id) == 0 {
      let claim = try IdentityClaim(hub, certifiedBy: authority)
      try note(
        EncodedEvent(
          Envelope(kind: .identity, authored: .zero), Body(operations: [.identity(claim)])),
        EventID(hub.id, 1), in: &ledger)
    }
    guard !stamps.isEmpty else { return }
    try note(
      EncodedEvent(
        Envelope(kind: .stamps, authored: .zero), Body(operations: stamps.map { .stamp($0) })),
      EventID(hub.id, ledger.through(hub.id) + 1), in: &ledger)
  }

  /// Returns the offer of a peer that holds `vector` and no other branch.
  func offer(_ vector: VersionVector, to ledger: StampLedger) -> PeerOffer {
    func knowledge(_ vector: VersionVector) -> Knowledge {
      Knowledge(
        vector.entries.map { origin, sequence in
          (origin, Knowledge.Entry(.init(1...sequence, ChainTag(.zero))))
        })
    }
    return PeerOffer(mine: knowledge(ledger.vector), theirs: knowledge(vector))
  }
}

/// Devices that write, and that see the events of others.
struct Devices {
  var vectors: [VersionVector]
  var contexts: [CausalContext]
  var clock: [Int64]
  var random: SplitMix64
  /// For each event, the vector that its author had seen.
  var seen: [EventID: VersionVector] = [:]
  var events: [(id: EventID, event: EncodedEvent)] = []

  init(_ count: Int, seed: UInt64) {
    random = SplitMix64(seed: seed)
    vectors = Array(repeating: VersionVector(), count: count)
    contexts = (0..<count).map { CausalContext(author: Self.id($0)) }
    clock = (0..<count).map { _ in 0 }
    for device in 0..<count { clock[device] = Int64(random.pick(0...1000)) }
  }

  /// Four devices that have written 60 events, and have met at random between them.
  static func meeting(seed: UInt64) throws -> Devices {
    var devices = Devices(4, seed: seed)
    for _ in 0..<60 {
      let device = devices.random.pick(0...3)
      if devices.random.chance(40) { devices.meet(device, devices.random.pick(0...3)) }
      try devices.write(device)
    }
    return devices
  }

  static func id(_ device: Int) -> ReplicaID {
    ReplicaID(high: UInt64(device + 1) << 56, low: UInt64(device))
  }

  mutating func write(_ device: Int) throws {
    let origin = Self.id(device)
    let id = EventID(origin, vectors[device][origin] + 1)
    let delta = contexts[device].delta(to: vectors[device])
    try contexts[device].apply(delta)
    seen[id] = vectors[device]
    vectors[device].include(origin, id.sequence)
    clock[device] += Int64(random.pick(0...5))
    let envelope = Envelope(
      kind: .transaction, authored: HybridTime(milliseconds: clock[device]), context: delta)
    events.append((id, EncodedEvent(envelope, Body(operations: []))))
  }

  mutating func meet(_ a: Int, _ b: Int) {
    vectors[a].formUnion(vectors[b])
    clock[a] = max(clock[a], clock[b])
  }
}
