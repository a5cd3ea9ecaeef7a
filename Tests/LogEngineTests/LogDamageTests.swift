import DaybookEventCore
import DaybookFrames
import DaybookSimulation
import Testing

@testable import DaybookLogEngine

/// Damage to durable records: it is reported and never cut off, and the rest stays readable.
@Suite struct LogDamageTests {
  @Test("a flipped bit in the middle hides one record and no other (NATS 7549)")
  func middle() throws {
    let scene = try Scene(commits: 5)
    flip(scene, scene.offsets[2] + 60)
    let before = scene.machine.disk.files[segment1]
    let (log, report) = try scene.machine.open()
    #expect(report.damage.count == 1)
    #expect(report.damage.first?.segment == 1)
    #expect(report.damage.first?.offset == UInt64(scene.offsets[2]))
    #expect(report.damage.first?.events?.sequences == 5...6)
    #expect(report.tornTail == nil)
    #expect(log.ranges[scene.author.origin]?.ranges == [1...4, 7...10])
    #expect(scene.machine.disk.files[segment1] == before)
    try expectRefusal(log, scene)
  }

  @Test("a flipped bit in a record's header hides one record and no other")
  func header() throws {
    let scene = try Scene(commits: 5)
    flip(scene, scene.offsets[1] + 17)
    let (log, report) = try scene.machine.open()
    #expect(report.damage.count == 1)
    #expect(log.ranges[scene.author.origin]?.ranges == [1...2, 5...10])
    try expectRefusal(log, scene)
  }

  @Test("damage to the last record below the mark is reported, and not cut")
  func lastRecord() throws {
    let scene = try Scene(commits: 3)
    flip(scene, scene.offsets[2] + 70)
    let before = scene.machine.disk.files[segment1]
    let (log, report) = try scene.machine.open()
    #expect(report.damage.map(\.offset) == [UInt64(scene.offsets[2])])
    #expect(log.vector == scene.vector(4))
    #expect(scene.machine.disk.files[segment1] == before)
    try expectRefusal(log, scene)
  }

  @Test("damage below a later record is reported even without a mark")
  func laterRecordsMark() throws {
    let scene = try Scene(commits: 4)
    try scene.setMark(afterCommit: nil)
    flip(scene, scene.offsets[1] + 70)
    let (log, report) = try scene.machine.open()
    #expect(report.damage.count == 1)
    #expect(log.ranges[scene.author.origin]?.ranges == [1...2, 5...8])
  }

  @Test("damage to events that the read model has applied is reported even without a mark")
  func appliedBeyond() throws {
    let scene = try Scene(commits: 3)
    try scene.setMark(afterCommit: nil)
    flip(scene, scene.offsets[2] + 70)
    let before = scene.machine.disk.files[segment1]
    let (log, report) = try scene.machine.open(applied: scene.vector(6))
    #expect(report.damage.first?.events?.sequences == 5...6)
    #expect(report.tornTail == nil)
    #expect(scene.machine.disk.files[segment1] == before)
    try expectRefusal(log, scene, applied: scene.vector(6))
  }

  @Test("zeros below the mark are damage, and not the end of the log")
  func zeros() throws {
    let scene = try Scene(commits: 4)
    let range = scene.offsets[1]..<scene.offsets[2]
    scene.overwrite(range.lowerBound, [UInt8](repeating: 0, count: range.count))
    let (log, report) = try scene.machine.open()
    #expect(report.damage.count == 1)
    #expect(log.ranges[scene.author.origin]?.ranges == [1...2, 5...8])
    let tail = try Scene(commits: 4)
    tail.overwrite(
      tail.offsets[2], [UInt8](repeating: 0, count: tail.end - tail.offsets[2]))
    #expect(try tail.machine.open().report.damage.count == 1)
  }

  @Test("a file that ends below the mark is damaged", arguments: [1, 2, 3])
  func shortened(commits: Int) throws {
    for extra in [0, 1, 27, 28, 40] {
      let scene = try Scene(commits: 3)
      let cut = scene.offsets[commits] - (commits == 3 ? max(extra, 1) : -extra)
      scene.cut(cut)
      let (log, report) = try scene.machine.open()
      #expect(!report.damage.isEmpty)
      #expect(report.tornTail == nil)
      #expect(scene.machine.size(segment1) == cut)
      expect(.damaged) { try log.commit(try Author(2).copyFrame()) }
    }
  }

  @Test("a missing segment is damage")
  func missingSegment() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open(LogMachine.options { $0.sealOnCloseBytes = 1 })
    try log.commit(try author.frame(2))
    try log.lock()
    try log.seal()
    log.unlock()
    try log.commit(try author.frame(2))
    try log.close()
    for name in [segment1, segment2] {
      let copy = LogMachine(machine.disk.copy(seed: 1))
      copy.disk.removeFile(name)
      let (log, report) = try copy.open()
      #expect(report.damage.count == 1, "\(name)")
      #expect(log.ranges[author.origin]?.ranges == (name == segment1 ? [3...4] : [1...2]))
      expect(.damaged) { try log.commit(try Author(2).copyFrame()) }
    }
  }

  @Test("a segment with an unreadable header is reported and kept (NATS 7556)")
  func unreadableSegment() throws {
    let scene = try Scene(commits: 2)
    flip(scene, 20)
    let before = scene.machine.disk.files
    let (_, report) = try scene.machine.open()
    #expect(report.damage.map(\.offset) == [0, 64] || report.damage.map(\.offset) == [0])
    #expect(scene.machine.disk.files[segment1] == before[segment1])
  }

  @Test("impossible numbers with right checksums do not end the process")
  func impossibleNumbers() throws {
    for position in [
      LogPosition(segment: .max, offset: 0), LogPosition(segment: 1, offset: .max),
      LogPosition(segment: UInt64(Int64.max) - 1, offset: UInt64(UInt32.max)),
    ] {
      let scene = try Scene(commits: 2)
      var file = [UInt8](repeating: 0, count: MarkFile.size)
      let slot = MarkFile.Slot(counter: .max, position: position).encoded()
      file.replaceSubrange(0..<slot.count, with: slot)
      scene.machine.disk.put("log/mark", file)
      let (log, _) = try scene.machine.open(
        LogMachine.options { $0.acceptsWritesWhenDamaged = true })
      #expect(log.vector == scene.vector(4))
      _ = try log.verify()
      try? log.commit(try Author(2).copyFrame())
    }
    let scene = try Scene(commits: 2)
    scene.machine.disk.put(
      SegmentName.file(2),
      SegmentHeader(number: 2, salt: 1, previousEnd: .max).encoded())
    let stray = SegmentName.file(UInt64(Int64.max) - 1)
    scene.machine.disk.put(
      stray, SegmentHeader(number: UInt64(Int64.max) - 1, salt: 1, previousEnd: 0).encoded())
    let (log, report) = try scene.machine.open()
    #expect(report.damage.count == 1)
    #expect(report.notes.contains { $0.hasPrefix(stray) })
    _ = try log.verify()
  }

  @Test("an unreadable mark costs no event, and is replaced")
  func badMark() throws {
    let scene = try Scene(commits: 3)
    scene.machine.disk.put("log/mark", [1, 2, 3])
    let (log, report) = try scene.machine.open()
    #expect(report.damage.isEmpty)
    #expect(log.vector == scene.vector(6))
    try log.close()
    #expect(try scene.machine.open().log.verify().isSound)
  }

  @Test("a log with a segment of a later version does not open, and is unchanged")
  func newerSegment() throws {
    let scene = try Scene(commits: 2)
    scene.machine.disk.tamper(segment1) { bytes in
      bytes[8] = 2
      bytes.replaceSubrange(60..<64, with: littleEndian(CRC32C.checksum(Array(bytes[..<60]))))
    }
    let before = scene.machine.disk.files
    expect(.newerFormat) { _ = try scene.machine.open() }
    #expect(scene.machine.disk.files == before)
  }

  @Test("a record of an unknown kind is kept, also when its segment is sealed")
  func unknownKind() throws {
    let scene = try Scene(commits: 1)
    var out = ByteWriter()
    RecordHeader.append(
      kind: 99, [1, 2, 3], offset: UInt64(scene.end), durable: UInt64(scene.end),
      salt: try scene.salt(), to: &out)
    scene.overwrite(scene.end, out.bytes)
    let (log, report) = try scene.machine.open()
    #expect(report.isClean)
    var author = scene.author
    try log.commit(try author.frame())
    #expect(try log.verify().notes.count == 1)
    try log.lock()
    #expect(try log.seal() == .rewritten)
    log.unlock()
    let verification = try log.verify()
    #expect(verification.isSound)
    #expect(verification.notes.count == 1)
    #expect(try log.events(of: author.origin) == author.events)
  }

  @Test("a frame of an unknown codec is indexed and kept as it is")
  func unknownCodec() throws {
    var scene = try Scene(commits: 1)
    let known = try scene.author.frame(2).header
    let header = FrameHeader(
      codec: 9, count: known.count, origin: known.origin, firstSequence: known.firstSequence,
      rawLength: known.rawLength, storedLength: 5, chain: known.chain)
    let stored: [UInt8] = [1, 2, 3, 4, 5]
    let frame = try Frame(decoding: stored.withUnsafeBytes(header.frame(storing:)))
    let (log, _) = try scene.machine.open()
    try log.commit(frame)
    try log.lock()
    #expect(try log.seal() == .rewritten)
    log.unlock()
    let entry = try #require(log.snapshot().entry(containing: EventID(known.origin, 4)))
    #expect(try log.snapshot().frame(at: entry) == frame)
    expect(.unknownCodec) { _ = try log.events(of: known.origin) }
    #expect(try log.verify().notes.count == 1)
  }

  @Test("an I/O error while opening is an error, not the end of the log (RocksDB 6288)")
  func readError() throws {
    let scene = try Scene(commits: 3)
    let before = scene.machine.disk.files
    let probe = LogMachine(scene.machine.disk.copy(seed: 1))
    let start = probe.disk.calls
    _ = try probe.open()
    for call in 1...(probe.disk.calls - start) {
      let machine = LogMachine(scene.machine.disk.copy(seed: 1))
      machine.disk.inject(.ioFailed, at: .call(call))
      do {
        let (log, report) = try machine.open()
        #expect(report.damage.isEmpty)
        #expect(log.vector == scene.vector(6))
      } catch { #expect(error.code == .ioFailed || error.code == .poisoned, "\(error)") }
      #expect(machine.disk.files[segment1] == before[segment1])
    }
  }

  @Test("repair may append to a damaged log, and leaves the damaged segment as it is")
  func repairAppends() throws {
    let scene = try Scene(commits: 3)
    flip(scene, scene.offsets[1] + 60)
    let before = scene.machine.disk.files[segment1]
    var source = try Author(1)
    _ = try source.frame(2)
    let lost = try source.frame(2)
    let (log, _) = try scene.machine.open(LogMachine.options { $0.acceptsWritesWhenDamaged = true })
    try log.commit(lost)
    #expect(try log.events(of: source.origin) == scene.author.events)
    #expect(scene.machine.disk.files[segment1] == before)
    #expect(scene.machine.names.contains(segment2))
  }

  @Test("damage to an open log is found when the frame is read, and is not served")
  func readDamage() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    try log.commit(try author.frame(2))
    machine.disk.tamper(segment1) { $0[150] ^= 1 }
    let snapshot = log.snapshot()
    expect(.damaged) { _ = try snapshot.frame(at: snapshot.entries[0]) }
    #expect(try snapshot.frame(at: snapshot.entries[1]).header.sequences == 3...4)
    #expect(try log.verify().findings.map(\.offset) == [64])
  }

  @Test("a process that has met damage sees what another process writes after it")
  func followsBesideDamage() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (writer, _) = try machine.open()
    try writer.commit(try author.frame(2))
    try writer.commit(try author.frame(2))
    machine.disk.tamper(segment1) { $0[150] ^= 1 }
    let (reader, report) = try machine.open()
    #expect(report.damage.map(\.offset) == [64])
    #expect(reader.ranges[author.origin]?.ranges == [3...4])

    try writer.commit(try author.frame(2))
    try reader.refreshForReading()
    #expect(reader.ranges[author.origin]?.ranges == [3...6])
    try writer.commit(try author.frame(2))
    try reader.lock()
    #expect(reader.ranges[author.origin]?.ranges == [3...8])
    reader.unlock()
    #expect(reader.damage == report.damage)
  }

  private func flip(_ scene: Scene, _ at: Int) {
    scene.machine.disk.tamper(segment1) { $0[at] ^= 0x40 }
  }

  private func expectRefusal(
    _ log: EventLog, _ scene: Scene, applied: VersionVector? = nil
  ) throws {
    let frame = try Author(2).copyFrame()
    do {
      try log.commit(frame)
      Issue.record("a damaged log took a write")
    } catch {
      #expect(error.code == .damaged)
      #expect(error.hint?.contains("backup") == true)
    }
    for entry in log.snapshot().entries { _ = try log.snapshot().frame(at: entry).events() }
    #expect(try !log.verify().isSound)
    try log.close()
    #expect(try !scene.machine.open(applied: applied).report.damage.isEmpty)
  }
}

extension Author {
  /// Returns a frame of this author's next event, which is not counted.
  func copyFrame() throws -> Frame {
    var copy = self
    return try copy.frame()
  }
}
