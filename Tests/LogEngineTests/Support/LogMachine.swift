import DaybookEventCore
import DaybookFrames
import DaybookLocks
import DaybookLogEngine
import DaybookSimulation
import Testing

/// A store's log on a simulated disk, and what the tests ask of it.
struct LogMachine {
  let disk: SimulatedDisk

  init(seed: UInt64 = 1) { disk = SimulatedDisk(seed: seed) }
  init(_ disk: SimulatedDisk) { self.disk = disk }

  static func options(_ change: (inout EventLog.Options) -> Void = { _ in }) -> EventLog.Options {
    let random = Mutex(SplitMix64(seed: 42))
    let shared = Box(random)
    var options = EventLog.Options { shared.next() }
    options.preallocationStep = 4096
    options.sealOnCloseBytes = .max
    change(&options)
    return options
  }

  private final class Box: Sendable {
    let random: Mutex<SplitMix64>
    init(_ random: consuming Mutex<SplitMix64>) { self.random = random }
    func next() -> UInt64 { random.withLock { $0.next() } }
  }

  func open(
    _ options: EventLog.Options = LogMachine.options(), applied: VersionVector? = nil
  ) throws(LogError) -> (log: EventLog, report: RecoveryReport) {
    try EventLog.open(
      storage: SimulatedStorage(disk), lock: SimulatedLock(disk), options: options,
      applied: applied)
  }

  /// The process dies; what it wrote stays.
  func kill() { disk.killProcess() }

  var names: [String] { disk.files.keys.filter { $0.hasPrefix("log/") }.sorted() }
  func size(_ name: String) -> Int { disk.files[name]?.count ?? -1 }
}

let segment1 = "log/0000000000000001.segment"
let segment2 = "log/0000000000000002.segment"

extension EventLog {
  /// One commit.
  func commit(_ frames: Frame...) throws(LogError) {
    try lock()
    defer { unlock() }
    for frame in frames { try append(frame) }
    try sync()
  }

  /// All events of an origin that the log holds without a gap, decoded from what it stored.
  func events(of origin: ReplicaID) throws -> [EncodedEvent] {
    let snapshot = self.snapshot()
    let last = snapshot.vector[origin]
    guard last > 0 else { return [] }
    var events: [EncodedEvent] = []
    try snapshot.forEachEvent(of: origin, in: 1...last) { _, event in
      events.append(event.encoded)
    }
    return events
  }
}

/// Expects a ``LogError`` with `code`.
func expect(
  _ code: LogError.Code, _ location: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) {
  do {
    try body()
    Issue.record("nothing was thrown", sourceLocation: location)
  } catch let error as LogError {
    #expect(error.code == code, "\(error)", sourceLocation: location)
  } catch { Issue.record("threw \(error)", sourceLocation: location) }
}
