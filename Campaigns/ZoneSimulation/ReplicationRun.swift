import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import DaybookReferenceModel
import DaybookReplication
import DaybookSimulation

/// One seeded life of a zone: stores that sync over a hub, with each other, and over a folder.
///
/// Machines, disks, clocks, the network and the shared folder fail. At the end all of them work,
/// and all replicas must converge.
///
/// A run has one thread and no clock but its own: the seed alone decides what happens.
package final class ReplicationRun {
  package let seed: UInt64
  package internal(set) var statistics = ReplicationStatistics()
  var random: SplitMix64
  let bytes: RandomBytes
  let zone: ZoneID
  let authority: Identity
  var trace: Trace
  /// Whether the story includes the calls of the disks.
  let showsCalls: Bool
  var operations: OperationGenerator
  /// Edits of any text, also such that do not fit.
  var edits = EditGenerator()
  /// Edits of texts of local collections.
  var localEdits = EditGenerator()
  /// What authors type in the pages.
  var texts = TextLedger()
  /// The number of transactions that type in pages.
  var typedCount = 0

  var machines: [Machine] = []
  /// The number of the hub's machine; nil if there is no hub.
  var hubNumber: Int?
  var network = Network()
  /// The shared folder; nil if stores sync over the network alone.
  var folder: SimulatedFolder?
  /// Whether machines run software of different protocol versions.
  var mixesVersions = false
  /// Authors that sign false statements.
  var hostileAuthors: [HostileAuthor] = []
  var isHostile = false
  /// Whether stores sync only through the folder.
  var isFolderOnly = false
  var sessions: [Session] = []
  var sessionCount = 0
  var truth: Truth
  /// The digest of the state that each vector shows.
  var digests: [VersionVector: StateDigest] = [:]
  /// Milliseconds since the run began.
  var now: Int64 = 0
  let temper: FaultPlan.Temper
  /// Heads whose signatures were verified.
  var verified: Set<Head> = []
  /// Whether messages and machines work without failures, at the end of a run.
  var isCalm = false
  /// A violation found where no error can be thrown.
  var broken: ReplicationViolation?
  /// Number of requests that are handled while another one waits to be stored.
  var depth = 0

  package init(seed: UInt64, isTraced: Bool = false, showsCalls: Bool = false) throws {
    self.seed = seed
    self.showsCalls = showsCalls
    var random = SplitMix64(seed: seed)
    bytes = RandomBytes(seed: random.next())
    zone = ZoneID(bytes: bytes.next(16))
    authority = try Identity(seed: bytes.next(32))
    operations = OperationGenerator(random: SplitMix64(seed: random.next()))
    truth = Truth(authority: authority.publicKey)
    temper = random.below(3) == 0 ? .failures : .crashes
    trace = Trace(isOn: isTraced)
    self.random = random
  }

  /// The steps so far, one line each.
  package var story: [String] { trace.lines }

  package func run() throws(ReplicationViolation) {
    do {
      try begin()
      for _ in 0..<random.pick(40...140) { try step() }
      try heal()
      try finish()
      statistics.events = truth.eventCount
      statistics.stamps = truth.audit.count
      statistics.calls += machines.reduce(0) { $0 + $1.disk.calls }
      statistics.failures += machines.reduce(0) { $0 + $1.disk.failures }
    } catch let violation as ReplicationViolation {
      throw violation
    } catch {
      throw ReplicationViolation(.explained, "\(error)")
    }
  }

  func tell(_ machine: Machine?, _ text: @autoclosure () -> String) {
    guard trace.isOn else { return }
    trace.step(machine?.name ?? "-", text(), calls: machine?.disk.takeJournal() ?? [])
  }

  // MARK: - Setup

  private func begin() throws {
    let stores = random.pick([2, 2, 3, 3, 4, 6])
    for _ in 0..<stores { addMachine(.store) }
    let way = random.below(100)
    isFolderOnly = way < 20
    if way < 40 { shareFolder() }
    if !isFolderOnly, random.chance(75) { hubNumber = addMachine(.hub).number }
    mixesVersions = random.chance(30)
    isHostile = random.chance(35)
    for machine in machines { try start(machine) }
    if random.chance(5) { try addCrowd(to: machines[0]) }
    // One store defines the collections.
    try write(machines[0], defining: ["notes", "links", "tasks"])
  }

  @discardableResult
  func addMachine(_ role: Machine.Role, disk: SimulatedDisk? = nil) -> Machine {
    let number = machines.count
    let stores = machines.filter { $0.role == .store }.count
    let name = role == .hub ? "hub" : String(UnicodeScalar(UInt8(65 + stores % 26)))
    let disk = disk ?? SimulatedDisk(seed: random.next())
    if showsCalls { disk.startJournal() }
    let machine = Machine(
      number, name, role, disk, SimulatedClock(&random), logOptions())
    if role == .store { machine.folder = folder?.addCopy(for: number, machine.clock) }
    machines.append(machine)
    return machine
  }

  private func logOptions() -> EventLog.Options {
    let salts = SaltSource(seed: random.next())
    var options = EventLog.Options { salts.next() }
    options.segmentBytes = UInt64(2000 + random.below(20_000))
    options.preallocationStep = UInt64(1 + random.below(6000))
    options.sealBatchBytes = 200 + random.below(4000)
    options.sealCopyBytes = 200 + random.below(2000)
    options.sealOnCloseBytes = random.below(2) == 0 ? 1000 : .max
    options.lockTimeout = .zero
    options.syncsOnOtherThread = false
    return options
  }

  /// Opens the store or hub on a machine's disk.
  func start(_ machine: Machine) throws {
    guard machine.process == nil else { return }
    do {
      switch machine.role {
      case .store:
        let readModel = try machine.readModel ?? SimulatedReadModel()
        machine.readModel = readModel
        machine.process = try SimulatedStore(
          machine.disk, machine.options, readModel, machine.clock, bytes)
      case .hub:
        machine.process = try SimulatedHub(
          machine.disk, machine.options, zone, authority: authority, machine.clock, bytes)
      }
      tell(machine, "starts as \(machine.process?.replica.description.prefix(6) ?? "")")
    } catch {
      tell(machine, "starts ✗ \(error)")
      machine.readModel?.rollBack()
      try explain(error, machine)
      return try checkAfterStep(machine)
    }
    install(machine)
    machine.process?.beforeStoring = { [unowned self, unowned machine] in interleave(machine) }
    try checkAfterStep(machine)
  }

  /// Selects the protocol versions that a machine's software knows, at each start.
  ///
  /// The software may know the current version, later ones too, or only later ones. In the calm
  /// phase all machines have a common version.
  func install(_ machine: Machine) {
    guard mixesVersions else { return }
    let newest = SyncProtocol.versions.upperBound
    var choices = [SyncProtocol.versions, newest...newest + 1, newest...newest + 2]
    if !isCalm { choices += [newest + 1...newest + 2, newest + 2...newest + 3] }
    machine.speaks = random.pick(choices)
    tell(machine, "speaks \(machine.speaks)")
  }

  /// Gives a store more origins than a request lists one by one.
  private func addCrowd(to machine: Machine) throws {
    guard let store = machine.store else { return }
    var check = RangeCheck(store, knowledge: try store.knowledge())
    var ranges: [CheckedRange] = []
    for _ in 0..<random.pick(60...90) {
      let identity = try Identity(seed: bytes.next(32))
      let envelope = Envelope(kind: .identity, authored: HybridTime(milliseconds: 1))
      let event = EncodedEvent(
        envelope, Body(operations: [.identity(IdentityClaim(identity))]))
      truth.attempt(EventID(identity.id, 1), [event])
      let frame = try Frame(
        origin: identity.id, firstSequence: 1, events: [event],
        chainBefore: Chain(origin: identity.id))
      let head = try Head(
        zone: ZoneID.none.bytes, sequence: 1, chain: frame.header.chain, by: identity)
      let range = EventRange(
        origin: identity.id, first: 1, chainBefore: nil, frames: [.init(frame)], isZoneless: true,
        signature: head.signature)
      if case .take(let checked) = try check.judge(range) { ranges.append(checked) }
      machine.identities.insert(identity.id)
    }
    try store.store(ranges)
    tell(machine, "is given \(ranges.count) origins of one event")
    try checkAfterStep(machine)
  }
}
