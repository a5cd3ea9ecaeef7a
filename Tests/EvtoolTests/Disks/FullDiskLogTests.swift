import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import Testing

/// A log of small segments on a disk that is nearly full: segments begin, and are sealed as a new
/// file if that fits, and in place if it does not.
@Suite(.enabled(if: SmallDisk.isPermitted, SmallDisk.reason))
struct FullDiskLogTests {
  private static let origin = ReplicaID(high: 7, low: 7)

  private func open(_ folder: String) throws -> (log: EventLog, report: RecoveryReport) {
    var options = EventLog.Options(random: { UInt64.random(in: 0...UInt64.max) })
    options.segmentBytes = 48 << 10
    options.sealOnCloseBytes = 4 << 10
    options.preallocationStep = 64 << 10
    return try EventLog.open(
      storage: FileStorage(folder: folder), lock: CommitLock(folder: folder),
      options: options)
  }

  /// Writes events that do not compress, with one event per frame.
  private struct Author {
    var chain = Chain(origin: FullDiskLogTests.origin)
    var sequence: UInt64 = 0

    func next(_ size: Int) throws -> (Frame, Author) {
      let noise = (0..<size).map { _ in UInt8.random(in: 0...255) }
      let event = EncodedEvent(
        Envelope(kind: .transaction, authored: HybridTime(milliseconds: Int64(sequence) + 1)),
        Body(operations: [.insert(collection: "n", id: "\(sequence)", fields: ["v": .blob(noise)])])
      )
      var after = self
      after.chain.append(event)
      after.sequence += 1
      return (
        try Frame(
          origin: FullDiskLogTests.origin, firstSequence: sequence + 1, events: [event],
          chainBefore: chain), after
      )
    }
  }

  /// - Returns: The error that ended the writing; nil if none did.
  private func fill(_ log: EventLog, _ author: inout Author, upTo count: Int) throws -> LogError? {
    for _ in 0..<count {
      let (frame, after) = try author.next(Int.random(in: 100...3000))
      do throws(LogError) {
        try log.lock()
        defer { log.unlock() }
        try log.append(frame)
        try log.sync()
        author = after
        _ = try log.rollIfNeeded()
      } catch { return error }
    }
    return nil
  }

  @Test("segments that begin and are sealed on a full disk keep all acknowledged events")
  func rolling() throws {
    var refused = 0
    for round in 0..<FullDiskSweepTests.rounds * 3 {
      let disk = try SmallDisk(kibibytes: 2048)
      try disk.fill(leaving: (12 << 10) + round * 900 / FullDiskSweepTests.rounds * 256)
      var author = Author()
      let (log, _) = try open(disk.path(""))
      if let error = try fill(log, &author, upTo: 120) {
        refused += 1
        #expect(error.code == .noSpace, "\(error)")
      }
      // The log opens while there is no room, too.
      _ = try? log.close()
      let full = try open(disk.path(""))
      #expect(full.report.damage.isEmpty && full.log.vector[Self.origin] == author.sequence)
      _ = try? full.log.close()

      try disk.grow(toKibibytes: 8192)
      let (again, report) = try open(disk.path(""))
      #expect(report.damage.isEmpty && !report.isAmbiguous, "\(report)")
      #expect(again.vector[Self.origin] == author.sequence)
      #expect(try again.chain(after: EventID(Self.origin, author.sequence)) == author.chain.value)
      #expect(try fill(again, &author, upTo: 60) == nil)
      try again.close()
      let (whole, _) = try open(disk.path(""))
      #expect(try whole.segments.filter(\.isSealed).count > 1)
      let verified = try whole.verify()
      #expect(verified.isSound, "\(verified)")
      #expect(whole.vector[Self.origin] == author.sequence)
      try whole.close()
    }
    #expect(refused > 2)
  }
}
