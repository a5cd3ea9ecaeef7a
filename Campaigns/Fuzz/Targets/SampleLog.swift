import DaybookEventCore
import DaybookFrames
import DaybookLocks
import DaybookLogEngine
import DaybookSimulation

/// A small log on a simulated disk: two authors, a head of each, and three segments if it is
/// sealed.
enum SampleLog {
  /// Returns the content of every file by its name.
  static func files(sealing: Bool) throws -> [String: [UInt8]] {
    let disk = SimulatedDisk(seed: 1)
    let log = try open(disk, isReadOnly: false).log
    for seed: UInt8 in 1...2 {
      let identity = try Identity(seed: [UInt8](repeating: seed, count: 32))
      var chain = Chain(origin: identity.id)
      for first: UInt64 in [1, 3] {
        try commit(to: log, identity, &chain, first...first + 1)
      }
      try log.lock()
      try log.append(
        Head(
          zone: [UInt8](repeating: 7, count: 16), sequence: 4, chain: chain.value, by: identity))
      try log.sync()
      if sealing { try log.seal() }
      log.unlock()
    }
    let files = disk.files
    disk.killProcess()
    return files
  }

  static func open(_ disk: SimulatedDisk, isReadOnly: Bool) throws(LogError)
    -> (log: EventLog, report: RecoveryReport)
  {
    let source = RandomSource()
    var options = EventLog.Options { source.next() }
    options.preallocationStep = 512
    options.sealOnCloseBytes = .max
    options.isReadOnly = isReadOnly
    return try EventLog.open(
      storage: SimulatedStorage(disk), lock: SimulatedLock(disk), options: options)
  }

  private static func commit(
    to log: EventLog, _ identity: Identity, _ chain: inout Chain, _ range: ClosedRange<UInt64>
  ) throws {
    let before = chain
    let events = range.map { sequence in
      let event = EncodedEvent(
        Envelope(kind: .transaction, authored: HybridTime(milliseconds: Int64(sequence))),
        Body(operations: [
          .insert(
            collection: "notes", id: "n\(sequence)",
            fields: ["title": .text(String(repeating: "milk \(sequence) ", count: 8))])
        ]))
      chain.append(event)
      return event
    }
    try log.lock()
    defer { log.unlock() }
    try log.append(
      Frame(
        origin: identity.id, firstSequence: range.lowerBound, events: events, chainBefore: before))
    try log.sync()
  }

  private final class RandomSource: Sendable {
    private let random = Mutex(SplitMix64(seed: 42))
    func next() -> UInt64 { random.withLock { $0.next() } }
  }
}
