import DaybookEventCore
import DaybookFrames
import DaybookSimulation
import Testing

@testable import DaybookLogEngine

@Suite struct VerifyTests {
  @Test("a flipped bit in any byte of a closed store is found")
  func everyBit() throws {
    let disk = try smallStore()
    let files = disk.files.filter { !$0.key.hasPrefix("quarantine") }
    #expect(Set(files.keys) == [segment1, segment2, "log/mark", "lock"])
    let options = LogMachine.options { $0.isReadOnly = true }
    for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
      for byte in bytes.indices {
        // All bits of each byte would take long, so the bits change from byte to byte.
        for bit in Set([byte % 8, (byte * 5 + 3) % 8]) {
          disk.tamper(name) { $0[byte] ^= 1 << bit }
          #expect(try finds(disk, options), "bit \(bit) of byte \(byte) of \(name)")
          disk.tamper(name) { $0[byte] ^= 1 << bit }
        }
      }
    }
    #expect(try !finds(disk, options))
  }

  @Test("a missing or additional byte at the end of a file is found")
  func sizes() throws {
    let disk = try smallStore()
    let options = LogMachine.options { $0.isReadOnly = true }
    for name in [segment1, segment2, "log/mark", "lock"] {
      let bytes = disk.files[name] ?? []
      disk.tamper(name) { $0.removeLast() }
      #expect(try finds(disk, options), "\(name), one byte less")
      // Zeros after the end of an unsealed segment are reserved space.
      disk.tamper(name) { $0 = bytes + [0] }
      #expect(try finds(disk, options) == (name != segment2), "\(name), one byte more")
      disk.tamper(name) { $0 = bytes }
    }
  }

  /// `verify` reported such an event as damage on every replica, and `repair` planned to lose it,
  /// although its author has signed it.
  @Test("an event that cannot be decoded is no damage")
  func notDecodable() throws {
    let disk = SimulatedDisk(seed: 1)
    let (log, _) = try LogMachine(disk).open()
    let origin = ReplicaID(high: 1, low: 2)
    try log.lock()
    var chain = Chain(origin: origin)
    let envelopes: [[UInt8]] = [[], [0xFF], Array(repeating: 7, count: 40)]
    for (sequence, envelope) in envelopes.enumerated() {
      let event = EncodedEvent(envelope: envelope, body: .present([1, 2, 3]))
      var builder = FrameBuilder(
        origin: origin, firstSequence: UInt64(sequence) + 1, chainBefore: chain)
      try builder.append(event)
      chain.append(event)
      try log.append(try builder.finish())
    }
    try log.sync()
    log.unlock()
    let result = try log.verify()
    #expect(result.isSound && result.events == 3, "\(result.findings)")
    try log.close()
    #expect(try !finds(disk, LogMachine.options { $0.isReadOnly = true }))
  }

  @Test("every byte of every segment is counted (KurrentDB 1653)")
  func coverage() throws {
    let disk = try smallStore()
    let (log, _) = try LogMachine(disk).open()
    var seen: [UInt64] = []
    let result = try log.verify { done, total in
      #expect(done <= total)
      seen.append(done)
    }
    #expect(result.isSound)
    #expect(result.segments == 2)
    #expect(result.events == 17)
    #expect(
      result.bytesTotal
        == UInt64((disk.files[segment1]?.count ?? 0) + (disk.files[segment2]?.count ?? 0)))
    #expect(result.bytesCovered == result.bytesTotal)
    #expect(seen == seen.sorted() && !seen.isEmpty)
  }

  // Found by fuzzing (Tools/fuzz, target log): more bytes were counted than there are.
  @Test(
    "a segment that names a false end of the one before it hides no events",
    arguments: [0, 1, 63])
  func impossibleEnd(end: UInt64) throws {
    let scene = try Scene(commits: 3)
    scene.machine.disk.put(
      SegmentName.file(2), SegmentHeader(number: 2, salt: 1, previousEnd: end).encoded())
    for isReadOnly in [true, false] {
      let (log, report) = try scene.machine.open(LogMachine.options { $0.isReadOnly = isReadOnly })
      #expect(report.damage.isEmpty == (end == 0))
      #expect(log.vector == scene.vector(6))
      let result = try log.verify()
      #expect(result.bytesCovered <= result.bytesTotal)
      #expect(!result.isSound)
      try log.close()
    }
  }

  @Test("a footer with wrong records and a right checksum is found")
  func lyingFooter() throws {
    let lies: [(inout SegmentFooter) -> Void] = [
      { $0.entries.removeLast() }, { $0.heads.removeLast() },
      { footer in footer.last = footer.last.mapValues { .init(sequence: $0.sequence, chain: .zero) }
      },
    ]
    for lie in lies {
      let disk = try smallStore()
      disk.tamper(segment1) { file in
        let header = try? SegmentHeader(decoding: Array(file[..<SegmentHeader.size]))
        let trailer = SegmentTrailer(
          Array(file.suffix(SegmentTrailer.size)), salt: header?.salt ?? 0)
        guard let header, let trailer else { return }
        let start = Int(trailer.footer)
        let payload = file[(start + RecordHeader.size)..<(file.count - SegmentTrailer.size - 4)]
        var footer =
          Array(payload).withUnsafeBytes {
            try? SegmentFooter(decoding: $0, segment: 1, end: trailer.footer)
          } ?? SegmentFooter()
        lie(&footer)
        var out = ByteWriter()
        RecordHeader.append(
          kind: RecordHeader.Kind.footer, footer.encoded(), offset: trailer.footer,
          durable: trailer.footer, salt: header.salt, to: &out)
        file = Array(file[..<start]) + out.bytes + trailer.encoded(salt: header.salt)
      }
      let (log, _) = try LogMachine(disk).open(LogMachine.options { $0.isReadOnly = true })
      #expect(try log.verify().findings.contains { $0.message.contains("footer") })
    }
  }

  @Test("a frame whose events do not give its chain value is found")
  func brokenChain() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    let stranger = try Author(9)
    let wrong = try Frame(
      origin: author.origin, firstSequence: 3, events: [author.event()],
      chainBefore: Chain(origin: stranger.origin))
    try log.commit(wrong)
    try log.commit(try author.frame(1))
    let findings = try log.verify().findings
    #expect(findings.first?.events?.sequences == 3...3)
    #expect(findings.first?.message.contains("chain") == true)
  }

  @Test("a frame beyond a gap counts as unchecked until the gap is filled, then is checked")
  func beyondGap() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let frames = try (0..<3).map { _ in try author.frame(2) }
    let (log, _) = try machine.open()
    try log.commit(frames[0], frames[2])
    var result = try log.verify()
    #expect(result.isSound)
    #expect(result.eventsUnchained == 2)
    try log.commit(frames[1])
    result = try log.verify()
    #expect(result.isSound)
    #expect(result.eventsUnchained == 0)
  }

  @Test("a head with a wrong signature is found")
  func forgedHead() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.lock()
    try log.append(try author.frame(2))
    var head = try author.head()
    head.signature[3] ^= 1
    try log.append(head)
    try log.sync()
    log.unlock()
    let findings = try log.verify().findings
    #expect(findings.count == 1)
    #expect(findings.first?.message.contains("signature") == true)
  }

  @Test("a read error makes verify fail, and is no finding")
  func readError() throws {
    let (log, _) = try LogMachine(try smallStore()).open()
    // The log is open before the failure.
    let machine = LogMachine(try smallStore())
    let (failing, _) = try machine.open()
    machine.disk.inject(.ioFailed, at: .next(.read, 3))
    expect(.ioFailed) { _ = try failing.verify() }
    #expect(try log.verify().isSound)
  }

  /// Returns a closed store with a sealed segment, an unsealed one, two authors and heads.
  private func smallStore() throws -> SimulatedDisk {
    let machine = LogMachine()
    var a = try Author(1)
    var b = try Author(2)
    let (log, _) = try machine.open()
    for i in 0..<3 {
      try log.lock()
      try log.append(try a.frame(2))
      if i == 1 { try log.append(try a.head()) }
      try log.append(try b.frame(2))
      try log.sync()
      log.unlock()
    }
    try log.lock()
    try log.seal()
    log.unlock()
    try log.lock()
    try log.append(try a.frame(3))
    try log.append(try a.head())
    try log.append(try b.frame(2))
    try log.sync()
    log.unlock()
    try log.close()
    return machine.disk
  }

  /// Returns whether a read-only opening or verify finds anything wrong.
  private func finds(_ disk: SimulatedDisk, _ options: EventLog.Options) throws -> Bool {
    do throws(LogError) {
      let (log, report) = try LogMachine(disk).open(options)
      if !report.isClean { return true }
      return try !log.verify().isSound
    } catch {
      #expect(error.code != .ioFailed, "\(error)")
      return true
    }
  }
}
