import DaybookEventCore
import DaybookLogEngine

/// One seeded life of a store on a simulated disk.
///
/// Up to three processes append, group, sync, abandon, seal, close, open and read, with repeated
/// failures. A run has one thread and no clock: the seed alone decides what happens. After each
/// step, what the log reports and serves is compared with a ``Ledger``.
package struct DiskRun {
  package let seed: UInt64
  package internal(set) var statistics = DiskStatistics()
  let disk: SimulatedDisk
  var random: SplitMix64
  var options: EventLog.Options
  let temper: FaultPlan.Temper
  var processes: [SimulatedProcess]
  var ledger = Ledger()
  var trace: Trace

  var plan: FaultPlan?
  /// Whether a fault was injected in this run; false again in the final checks.
  var mayFail = false
  /// Whether the disk has lied; see ``DiskRun/touchedSegments``.
  var isTainted: Bool { !disk.spoiled.isEmpty }
  var powerLossesWhileTainted = 0
  /// Whether the mark was lost, so that the log may not know what was acknowledged.
  var isMarkLost = false
  /// Whether a writer has written the mark since the last power failure.
  var isMarkCurrent = false
  /// Events that the log could not read when it was last observed.
  var unreadable: Set<EventID> = []
  /// The bytes that recovery cut off, by the names of their copies.
  var copies: [String: [UInt8]] = [:]
  /// The index of the store's current identity.
  var identity = 0
  /// Whether the log knows that a new identity is due.
  var renewal = Renewal.none
  private var serial: UInt64 = 0

  /// An earlier content of the lock file.
  private var olderLock: [UInt8]?

  enum Renewal { case none, due, uncertain }

  package init(seed: UInt64, isTraced: Bool = false) {
    self.seed = seed
    var random = SplitMix64(seed: seed)
    disk = SimulatedDisk(seed: random.next())
    options = Self.options(&random)
    temper = FaultPlan.Temper.allCases[min(2, random.below(5) / 2)]
    processes = (0..<3).map { SimulatedProcess(number: $0) }
    trace = Trace(isOn: isTraced)
    self.random = random
    if isTraced { disk.startJournal() }
  }

  /// The steps so far, one line each.
  package var story: [String] { trace.lines }

  private static func options(_ random: inout SplitMix64) -> EventLog.Options {
    let salts = SaltSource(seed: random.next())
    var options = EventLog.Options { salts.next() }
    options.segmentBytes = UInt64(600 + random.below(3000))
    options.preallocationStep = UInt64(1 + random.below(3000))
    options.sealBatchBytes = 100 + random.below(2000)
    options.sealCopyBytes = 100 + random.below(1000)
    options.sealOnCloseBytes = random.below(2) == 0 ? 500 : .max
    options.lockTimeout = .zero
    return options
  }

  package mutating func run() throws(Violation) {
    for _ in 0..<6 + random.below(24) { try step() }
    try finish()
    statistics.calls = disk.calls
  }

  // MARK: - Steps

  private mutating func step() throws(Violation) {
    if random.below(16) == 0 { meddle() }
    planFault()
    let who = random.below(processes.count)
    if processes[who].log == nil {
      try open(who, isReader: random.below(6) == 0)
    } else if processes[who].isWriting {
      try goOn(who)
    } else if processes[who].isPoisoned {
      close(who)
    } else if processes[who].isReader {
      if random.below(4) == 0 { close(who) } else { try refresh(who) }
    } else {
      switch random.below(12) {
      case 0: close(who)
      case 1: die(who)
      case 2: try refresh(who)
      case 3: losePower()
      default: try begin(who)
      }
    }
    try endFault(who)
  }

  /// Meddles with the store's files as cleaners and folder synchronization do.
  ///
  /// Takes the lock file away under running processes, replaces it by an older one, or adds stray
  /// files.
  private mutating func meddle() {
    statistics.meddled += 1
    let lock = disk.files["lock"]
    switch random.below(4) {
    case 0:
      let strays = [
        "log/.DS_Store", "log/mark.bak", "log/000000000000000A.segment", "log/x.tmp", "y",
      ]
      let name = strays[random.below(strays.count)]
      disk.put(name, (0..<random.below(200)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
      trace.step("-", "somebody puts \(name) there")
    case 1 where olderLock != nil:
      disk.put("lock", olderLock ?? [])
      trace.step("-", "the lock file is an older one")
    default:
      disk.removeFile("lock")
      trace.step("-", "the lock file is removed")
    }
    if random.below(2) == 0 { olderLock = lock }
  }

  private mutating func planFault() {
    guard plan == nil, random.below(4) == 0 else { return }
    let plan = FaultPlan.random(temper, &random)
    self.plan = plan
    plan.inject(into: disk)
    mayFail = true
    trace.step("-", "planned: \(plan)")
  }

  /// Checks whether the planned fault has stopped the machine or one process, and restarts it.
  private mutating func endFault(_ who: Int) throws(Violation) {
    guard disk.isOff else {
      if plan != nil, random.below(4) == 0 { heal() }
      return
    }
    if case .death = plan {
      statistics.deaths += 1
      disk.revive(keepsLock: true)
      disk.clearFailures()
      plan = nil
      die(who)
    } else {
      statistics.crashes += 1
      losePower()
    }
  }

  /// Ends the planned fault, so that the disk works again.
  mutating func heal() {
    guard plan != nil else { return }
    plan = nil
    disk.clearFailures()
    disk.setCapacity(nil)
    trace.step("-", "the disk works again")
  }

  mutating func losePower() {
    ledger.loseAll()
    if isTainted { powerLossesWhileTainted += 1 }
    disk.loseAndRestorePower()
    disk.setCapacity(nil)
    plan = nil
    isMarkCurrent = false
    for i in processes.indices { processes[i].die() }
    trace.step("-", "the power goes, and comes back")
    if random.below(12) == 0 { loseMark() }
    if let mark = disk.files["log/mark"], !Self.hasSoundSlot(mark) { isMarkLost = true }
  }

  /// Whether one slot of the mark has a valid checksum.
  ///
  /// Neither slot is synced with each commit, so both can tear (docs/log-format.md).
  private static func hasSoundSlot(_ mark: [UInt8]) -> Bool {
    [0, 512].contains { start in
      guard mark.count >= start + 32 else { return false }
      let said = (0..<4).reduce(UInt32(0)) { $0 | UInt32(mark[start + 28 + $1]) << (8 * $1) }
      return CRC32C.checksum(Array(mark[start..<start + 28])) == said
    }
  }

  mutating func loseMark() {
    guard disk.files["log/mark"] != nil else { return }
    isMarkLost = true
    isMarkCurrent = false
    if random.below(2) == 0 {
      disk.removeFile("log/mark")
    } else {
      disk.tamper("log/mark") { $0 = [UInt8](repeating: 0, count: $0.count) }
    }
    trace.step("-", "the mark is lost")
  }

  mutating func die(_ who: Int) {
    trace.step(processes[who].name, "dies", calls: disk.takeJournal())
    ledger.lose(who)
    processes[who].die()
  }

  // MARK: - What processes write

  var ownOrigin: ReplicaID { Authors.own[identity].id }

  /// Returns new events of the store's own replica, after sequence number `last`.
  mutating func ownEvents(after last: UInt64) -> [EncodedEvent] {
    let size = random.below(5) == 0 ? 300 + random.below(1000) : 8 + random.below(150)
    return (1...1 + random.below(3)).map { i in
      serial += 1
      return Authors.own[identity].event(Int(last) + i, serial: serial, size: size)
    }
  }
}
