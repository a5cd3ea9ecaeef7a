import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import DaybookSimulation

extension FuzzTarget {
  /// Logs with the input of ``log``, repaired without other copies.
  ///
  /// After the repair a log must be sound and need no further repair. What was replaced must be in
  /// the quarantine.
  static let repair = FuzzTarget("repair", bytesMax: 8192, trials: 600) {
    try log.seeds()
  } check: { bytes in
    let disk = try logDisk(bytes)
    guard let first = try repair(disk) else { return }
    let segments = disk.files.filter { $0.key.hasSuffix(".segment") }
    if first.isNeeded {
      let copies = try first.apply()
      for number in first.segments {
        let name = SegmentCopy.path(number)
        guard let old = segments[name] else { continue }
        try require(
          copies.contains { disk.files[$0] == old }, "what was replaced is not in the quarantine")
      }
    }
    disk.killProcess()
    let (log, report) = try SampleLog.open(disk, isReadOnly: false)
    try require(report.damage.isEmpty, "a repaired log is damaged: \(report.damage)")
    let verification = try log.verify()
    try require(verification.isSound, "a repaired log is not sound: \(verification.findings)")
    try log.lock()
    log.unlock()
    try log.close()
    disk.killProcess()
    // A log without segments cannot show that it never had any.
    guard disk.files.keys.contains(where: { $0.hasSuffix(".segment") }) else { return }
    let again = try repair(disk)
    try require(
      again?.isNeeded == false, "a repaired log needs repair: \(again?.findings ?? [])")
  }

  /// Returns a repair of the log; nil if the log has a later format.
  ///
  /// - Throws: ``FuzzFinding`` for any other error.
  static func repair(_ disk: SimulatedDisk) throws -> LogRepair? {
    let nobody = [UInt8](repeating: 1, count: 16).withUnsafeBytes { ReplicaID(bytes: $0) }
    let lock = SimulatedLock(disk)
    do throws(LogError) {
      return try LogRepair.inspect(
        storage: SimulatedStorage(disk), lock: lock,
        evidence: .init(replica: nobody, applied: VersionVector(), chains: [:]),
        random: { 0x5EED })
    } catch {
      try require(error.code == .newerFormat, "a sound disk cannot be repaired: \(error)")
      return nil
    }
  }
}
