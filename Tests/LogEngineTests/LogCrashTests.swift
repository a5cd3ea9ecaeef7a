import DaybookEventCore
import DaybookSimulation
import Testing

@testable import DaybookLogEngine

/// The power fails, or the process dies, at every single call of the log to the disk.
///
/// After each crash, every acknowledged event is there, byte for byte; no event is there that no
/// author wrote; no damage is reported; and a second recovery changes nothing.
@Suite struct LogCrashTests {
  @Test(
    "a crash at any call of a workload loses no acknowledged event",
    arguments: 0..<10 as Range<UInt64>)
  func everyCall(seed: UInt64) throws {
    var call = 1
    var crashes = 0
    while true {
      var run = try Run(seed: seed &* 7919 &+ UInt64(call))
      run.machine.disk.inject(.powerLoss, at: .call(call))
      let finished = (try? run.work(seed: seed)) != nil
      if !run.machine.disk.isOff, finished { break }
      crashes += 1
      try run.crashAndCheck(call: call, keepsMemory: (UInt64(call) &+ seed) % 3 == 0)
      // Each seed hits other calls, and all seeds together hit every call.
      call += crashes < 40 ? 1 : 3
      if call % 3 != Int(seed % 3), crashes >= 40 { call += 1 }
    }
    #expect(crashes > 60)
  }

  @Test("a simulated crash may lose a renamed file whose folder was not synced")
  func renameNeedsFolderSync() throws {
    var losses = 0
    for seed in 0..<50 as Range<UInt64> {
      let disk = SimulatedDisk(seed: seed)
      let storage = SimulatedStorage(disk)
      try storage.makeFolder("log")
      try storage.syncFolder("")
      let file = try storage.open("log/a", .create)
      try file.write([1, 2, 3], at: 0)
      try file.sync()
      try storage.rename("log/a", to: "log/b")
      if seed % 2 == 0 { try storage.syncFolder("log") }
      disk.loseAndRestorePower()
      if seed % 2 == 0 { #expect(disk.files["log/b"] == [1, 2, 3]) }
      if disk.files["log/b"] == nil { losses += 1 }
    }
    #expect(losses > 5)
  }

  @Test("a simulated crash may lose bytes that were not synced")
  func writeNeedsSync() throws {
    var losses = 0
    for seed in 0..<50 as Range<UInt64> {
      let disk = SimulatedDisk(seed: seed)
      let storage = SimulatedStorage(disk)
      try storage.makeFolder("log")
      try storage.syncFolder("")
      let file = try storage.open("log/a", .create)
      try storage.syncFolder("log")
      let bytes = [UInt8](repeating: 9, count: 2000)
      try file.write(bytes, at: 0)
      if seed % 2 == 0 { try file.sync() }
      disk.loseAndRestorePower()
      if seed % 2 == 0 { #expect(disk.files["log/a"] == bytes) }
      if disk.files["log/a"] != bytes { losses += 1 }
    }
    #expect(losses > 15)
  }
}

/// One life of a store, and the events that were acknowledged in it.
private struct Run {
  let machine: LogMachine
  var random: SplitMix64
  var authors: [Author]
  var acknowledged = VersionVector()
  var acknowledgedBeyond: [ReplicaID: [ClosedRange<UInt64>]] = [:]

  init(seed: UInt64) throws {
    machine = LogMachine(seed: seed)
    random = SplitMix64(seed: seed)
    authors = [try Author(1), try Author(2)]
  }

  var options: EventLog.Options {
    LogMachine.options {
      $0.segmentBytes = 2600
      $0.preallocationStep = 2048
      $0.sealOnCloseBytes = 1500
    }
  }

  /// Makes the same calls for the same seed, whenever the power fails.
  mutating func work(seed: UInt64) throws {
    var plan = SplitMix64(seed: seed)
    for session in 0..<3 {
      let (log, report) = try machine.open(options)
      #expect(report.damage.isEmpty)
      for _ in 0..<8 {
        let author = Int(plan.next() % 2)
        let frames = Int(plan.next() % 3) + 1
        let size = Int(plan.next() % 300) + 20
        try log.lock()
        defer { log.unlock() }
        for _ in 0..<frames {
          try log.append(try authors[author].frame(2, size: size, isNoise: true))
        }
        if plan.next() % 3 == 0 { try log.append(try authors[author].head()) }
        try log.sync()
        acknowledged[authors[author].origin] = authors[author].next - 1
        try log.rollIfNeeded()
        if plan.next() % 5 == 0 { try log.seal() }
      }
      if session == 1 { machine.kill() } else { try log.close() }
    }
  }

  /// Restarts and recovers, perhaps with another crash in the middle, and checks what is there.
  mutating func crashAndCheck(call: Int, keepsMemory: Bool) throws {
    restart(keepsMemory)
    for _ in 0..<2 where random.next() % 2 == 0 {
      machine.disk.inject(.powerLoss, at: .call(Int(random.next() % 30) + 1))
      if let (log, _) = try? machine.open(options) {
        _ = try? log.lock()
        _ = try? log.seal()
        log.unlock()
      }
      restart(keepsMemory)
    }
    let applied = random.next() % 2 == 0 ? acknowledged : nil
    let (log, report) = try machine.open(options, applied: applied)
    #expect(report.damage.isEmpty, "call \(call): \(report)")
    try check(log, "call \(call)")
    let vector = log.vector
    machine.disk.killProcess()
    let before = machine.disk.files.filter { $0.key != "log/mark" }
    let (again, second) = try machine.open(options, applied: applied)
    #expect(second.isClean, "call \(call), second time: \(second)")
    #expect(machine.disk.files.filter { $0.key != "log/mark" } == before)
    #expect(again.vector == vector)
    try goOn(again, call)
  }

  private func restart(_ keepsMemory: Bool) {
    if keepsMemory { machine.disk.killProcess() } else { machine.disk.loseAndRestorePower() }
  }

  /// Expects every acknowledged event, and no event that was not written.
  private func check(_ log: EventLog, _ place: String) throws {
    for author in authors {
      let found = try log.events(of: author.origin)
      #expect(found.count >= Int(acknowledged[author.origin]), "\(place): acknowledged events lost")
      #expect(found == Array(author.events.prefix(found.count)), "\(place): events invented")
      #expect(log.ranges[author.origin]?.beyondGaps.isEmpty ?? true)
      let chain = try log.chain(after: EventID(author.origin, log.vector[author.origin]))
      var expected = Chain(origin: author.origin)
      for event in found { expected.append(event) }
      #expect(chain == expected.value, "\(place): chain")
    }
    let verification = try log.verify()
    #expect(verification.isSound, "\(place): \(verification.findings)")
    #expect(verification.bytesCovered == verification.bytesTotal, "\(place): bytes")
  }

  /// Expects that the store still takes events, and has them after another power failure.
  private mutating func goOn(_ log: EventLog, _ call: Int) throws {
    var writer = try Author(3)
    try log.commit(try writer.frame(2))
    machine.disk.loseAndRestorePower()
    let (last, report) = try machine.open(options)
    #expect(report.damage.isEmpty, "call \(call), going on: \(report)")
    try check(last, "call \(call), going on")
    #expect(try last.events(of: writer.origin) == writer.events)
  }
}
