import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import DaybookSimulation

extension FuzzTarget {
  /// A whole log: three segments, the mark and the lock file.
  ///
  /// Each file follows a byte that selects it and two bytes with its length. If the first byte of
  /// the input is odd, the segments' checksums are not corrected.
  static let log = FuzzTarget("log", bytesMax: 8192) {
    let names = Self.logFiles
    return try [false, true].flatMap { sealing -> [[UInt8]] in
      let files = try SampleLog.files(sealing: sealing)
      let parts = names.enumerated().compactMap { number, name -> [UInt8]? in
        guard let file = files[name] else { return nil }
        // Without the reserved space.
        let end = name == "log/mark" ? 512 + 32 : (file.lastIndex { $0 != 0 } ?? -1) + 1
        return [UInt8(number), UInt8(end & 255), UInt8(end >> 8)] + file[..<end]
      }
      return [[0] + parts.joined(), [0] + (parts.first ?? []), [1] + parts.joined()]
    }
  } check: { bytes in
    try checkLog(logDisk(bytes))
  }

  /// Returns the disk that an input of ``log`` describes.
  static func logDisk(_ bytes: UnsafeRawBufferPointer) throws -> SimulatedDisk {
    var input = FuzzInput(bytes)
    let isMended = input.byte() & 1 == 0
    let disk = SimulatedDisk(seed: 1)
    try SimulatedStorage(disk).makeFolder("log")
    while !input.isAtEnd {
      let name = logFiles[Int(input.byte()) % logFiles.count]
      var file = Array(input.take(Int(input.integer(UInt16.self))))
      if name == "log/mark", file.count > 512 { file += [UInt8](repeating: 0, count: 480) }
      if isMended, name.hasSuffix(".segment") { Mending.segment(&file) }
      disk.put(name, file)
    }
    return disk
  }

  private static let logFiles =
    (1...3).map { "log/000000000000000\($0).segment" } + ["log/mark", "lock"]

  static func checkLog(_ disk: SimulatedDisk) throws {
    let reader = try opened(disk, isReadOnly: true)
    let before = try reader.map { try events(of: $0.log) } ?? [:]
    guard let (log, report) = try opened(disk, isReadOnly: false) else { return }
    let recovered = try events(of: log)
    for (id, event) in before {
      try require(recovered[id] == event, "recovery has changed event \(id), or lost it")
    }
    let verification = try log.verify()
    try require(
      verification.bytesCovered <= verification.bytesTotal, "more bytes than there are")
    try require(
      report.damage.isEmpty || !verification.isSound, "damage that opening found is not verified")
    if report.mustRenewIdentity { try log.identityRenewed() }
    disk.killProcess()
    guard let (again, second) = try opened(disk, isReadOnly: false) else {
      throw FuzzFinding("what was recovered does not open again")
    }
    try require(try events(of: again) == recovered, "recovering twice is not recovering once")
    try require(
      second.tornTail == nil && !second.isAmbiguous, "recovery leaves something to recover")
    try require(
      second.damage.isEmpty == report.damage.isEmpty, "damage comes or goes with recovery")
  }

  /// Opens the log; nil if the open fails with an expected error.
  ///
  /// Expected are a later format, a missing log and a damaged one.
  ///
  /// - Throws: ``FuzzFinding`` for any other error.
  private static func opened(_ disk: SimulatedDisk, isReadOnly: Bool) throws
    -> (log: EventLog, report: RecoveryReport)?
  {
    do throws(LogError) { return try SampleLog.open(disk, isReadOnly: isReadOnly) } catch {
      let expected: [LogError.Code] = [.newerFormat, .notFound, .damaged]
      try require(expected.contains(error.code), "a sound disk fails to open: \(error)")
      return nil
    }
  }

  /// Returns every event in a readable frame; unreadable frames are skipped whole.
  private static func events(of log: EventLog) throws -> [EventID: EncodedEvent] {
    let snapshot = log.snapshot().whole
    var events: [EventID: EncodedEvent] = [:]
    for entry in snapshot.entries {
      guard let frame = try? snapshot.frame(at: entry), let read = try? frame.events() else {
        continue
      }
      for (index, event) in read.enumerated() {
        events[EventID(entry.origin, entry.firstSequence + UInt64(index))] = event
      }
      _ = try? snapshot.chain(after: EventID(entry.origin, entry.lastSequence))
      _ = try? snapshot.chain(after: EventID(entry.origin, entry.firstSequence))
    }
    for head in snapshot.heads { _ = try? snapshot.head(at: head) }
    for (origin, last) in snapshot.vector.entries where last > 0 {
      try? snapshot.forEachEvent(of: origin, in: 1...last) { _, _ in }
    }
    return events
  }
}
