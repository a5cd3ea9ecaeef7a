import DaybookEventCore
import DaybookSimulation
import Testing

@testable import DaybookLogEngine

/// Ends of a log: a tail that was never durable is cut, copied to quarantine and reported, and
/// nothing else is.
@Suite struct TornTailTests {
  @Test("a record with only its header written is cut")
  func headerOnly() throws { try cuts { Array($0[..<RecordHeader.size]) } }

  @Test("a record with half of its header written is cut")
  func halfHeader() throws { try cuts { Array($0[..<13]) } }

  @Test("a record without its last byte is cut")
  func lastByteMissing() throws { try cuts { Array($0.dropLast()) } }

  @Test("a record with a flipped bit in its contents is cut")
  func flippedContents() throws { try cuts { flip($0, $0.count - 3) } }

  @Test("a record with a flipped bit in its header is cut")
  func flippedHeader() throws { try cuts { flip($0, 9) } }

  @Test("a record with zeros in place of its last sectors is cut")
  func zeroSector() throws {
    try cuts(events: 40) { record in
      var record = record
      record.replaceSubrange(200..<record.count, with: repeatElement(0, count: record.count - 200))
      return record
    }
  }

  @Test("a record whose beginning was not written is cut as a whole")
  func zeroBeginning() throws {
    try cuts { [UInt8](repeating: 0, count: 30) + $0[30...] }
  }

  @Test("noise behind the last record is cut")
  func noise() throws { try cuts { _ in (0..<100).map { UInt8($0 * 37 % 251 + 1) } } }

  @Test("a record at a wrong offset is cut")
  func misplaced() throws {
    try cuts { [1, 2, 3] + $0 }
  }

  @Test("a record of another salt is cut")
  func foreignSalt() throws { try cuts { flip($0, 0) } }

  @Test("a sound record behind a torn one is cut too, unless it proves the torn one durable")
  func soundBehindTorn() throws {
    var scene = try Scene(commits: 3)
    let torn = flip(try scene.nextRecord(), 40)
    let start = scene.end
    scene.overwrite(start, torn)
    scene.offsets.append(start + torn.count)
    let behind = try scene.nextRecord(durable: start)
    scene.overwrite(scene.end, behind)
    try expectCut(scene, at: start, events: 6, bytes: torn.count + behind.count)
  }

  @Test("a torn tail at the end of a file without reserved space is cut")
  func noPreallocation() throws {
    var scene = try Scene(commits: 2)
    let record = try scene.nextRecord()
    scene.cut(scene.end)
    scene.overwrite(scene.end, Array(record.dropLast(5)))
    try expectCut(scene, at: scene.end, events: 4, bytes: record.count - 5)
  }

  @Test("reserved space alone is no torn tail")
  func reservedSpace() throws {
    let scene = try Scene(commits: 2)
    #expect(scene.machine.size(segment1) > scene.end)
    let (_, report) = try scene.machine.open()
    #expect(report == RecoveryReport())
  }

  @Test("a whole record that was never durable is made durable and kept")
  func wholeRecord() throws {
    var scene = try Scene(commits: 2)
    scene.overwrite(scene.end, try scene.nextRecord())
    let (log, report) = try scene.machine.open()
    #expect(report.completedEvents == 2)
    #expect(report.tornTail == nil)
    #expect(try log.events(of: scene.author.origin) == scene.author.events)
    scene.machine.disk.loseAndRestorePower()
    let (again, _) = try scene.machine.open()
    #expect(again.vector == scene.vector(6))
  }

  @Test("an unfinished footer is cut without a report, since it holds no events")
  func footerWithoutTrailer() throws {
    let scene = try Scene(commits: 2)
    var out = ByteWriter()
    RecordHeader.append(
      kind: RecordHeader.Kind.footer, SegmentFooter().encoded(), offset: UInt64(scene.end),
      durable: UInt64(scene.end), salt: try scene.salt(), to: &out)
    scene.overwrite(scene.end, out.bytes + [1, 2, 3])
    let (log, report) = try scene.machine.open()
    #expect(report == RecoveryReport())
    var author = scene.author
    try log.commit(try author.frame())
    #expect(try log.events(of: author.origin) == author.events)
  }

  @Test("the file of an unfinished segment is removed")
  func unfinishedSegment() throws {
    let scene = try Scene(commits: 2)
    scene.machine.disk.put(SegmentName.unfinished(1), [1, 2, 3])
    scene.machine.disk.put(SegmentName.unfinished(2), [])
    let (log, report) = try scene.machine.open()
    #expect(report.notes.count == 2)
    #expect(log.vector == scene.vector(4))
    #expect(scene.machine.names == [segment1, "log/mark"])
  }

  @Test("a foreign file in the log's folder is reported and left alone")
  func stranger() throws {
    let scene = try Scene(commits: 1)
    scene.machine.disk.put("log/.DS_Store", [1])
    let (_, report) = try scene.machine.open()
    #expect(report.notes.count == 1)
    #expect(scene.machine.names.contains("log/.DS_Store"))
  }

  @Test("the newest hundred copies of torn tails are kept, and older ones are removed")
  func copiesAreBounded() throws {
    let scene = try Scene(commits: 1)
    let earlier = (1...104).map { "quarantine/0000000000000000-\($0 * 9)-5eed.torn" }
    for name in earlier { scene.machine.disk.put(name, [1]) }
    let segment = "quarantine/0000000000000001-5eed.segment"
    scene.machine.disk.put(segment, [1])
    scene.machine.disk.tamper(segment1) {
      $0.replaceSubrange(scene.end..<scene.end + 3, with: [7, 7, 7])
    }
    let copy = try #require(try scene.machine.open().report.tornTail?.copy)
    let left = scene.machine.disk.files.keys.filter { $0.hasPrefix("quarantine/") }
    #expect(Set(left) == Set(earlier.suffix(99) + [copy, segment]))
  }

  @Test("a tail that was cut is in quarantine, byte for byte, and is cut once")
  func quarantine() throws {
    var scene = try Scene(commits: 2)
    let torn = Array(try scene.nextRecord().dropLast())
    scene.overwrite(scene.end, torn)
    let (_, report) = try scene.machine.open()
    let copy = try #require(report.tornTail?.copy)
    #expect(scene.machine.disk.files[copy] == torn)
    scene.machine.kill()
    let files = scene.machine.disk.files
    #expect(try scene.machine.open().report == RecoveryReport())
    #expect(scene.machine.disk.files == files)
  }

  @Test("a tail that is cut without mark and read model is ambiguous and costs the identity")
  func ambiguous() throws {
    var scene = try Scene(commits: 2)
    scene.overwrite(scene.end, flip(try scene.nextRecord(), 50))
    try scene.setMark(afterCommit: nil)
    let (_, report) = try scene.machine.open()
    #expect(report.tornTail != nil)
    #expect(report.mustRenewIdentity)
    #expect(report.description.contains("unacknowledged or damaged"))
  }

  /// Found by reading the code: the cut removed all evidence that the tail was doubtful.
  @Test("an opening that dies while it cuts a doubtful tail still costs the identity")
  func renewalOutlives() throws {
    var call = 1
    while true {
      var scene = try Scene(commits: 2)
      scene.overwrite(scene.end, flip(try scene.nextRecord(), 50))
      try scene.setMark(afterCommit: nil)
      scene.machine.disk.inject(.powerLoss, at: .call(call))
      let isWhole = (try? scene.machine.open()) != nil && !scene.machine.disk.isOff
      if call % 2 == 0 { scene.machine.disk.loseAndRestorePower() } else { scene.machine.kill() }
      let (log, report) = try scene.machine.open()
      #expect(report.mustRenewIdentity, "call \(call)")
      #expect(!report.notes.contains { $0.contains("renewal") }, "\(report)")
      #expect(try log.verify().notes.isEmpty)
      try log.identityRenewed()
      scene.machine.disk.loseAndRestorePower()
      #expect(try !scene.machine.open().report.mustRenewIdentity, "call \(call)")
      if isWhole { break }
      call += 1
    }
    #expect(call > 10)
  }

  @Test("a tail cut without a mark is not ambiguous if there is a read model")
  func appliedSettles() throws {
    var scene = try Scene(commits: 2)
    scene.overwrite(scene.end, flip(try scene.nextRecord(), 50))
    try scene.setMark(afterCommit: nil)
    let (_, report) = try scene.machine.open(applied: scene.vector(4))
    #expect(report.tornTail != nil)
    #expect(!report.mustRenewIdentity)
  }

  @Test("a read-only log ignores a torn tail and leaves it in place")
  func readOnly() throws {
    var scene = try Scene(commits: 2)
    scene.overwrite(scene.end, flip(try scene.nextRecord(), 50))
    let files = scene.machine.disk.files
    let (log, report) = try scene.machine.open(LogMachine.options { $0.isReadOnly = true })
    #expect(report.tornTail?.copy == nil)
    #expect(report.tornTail?.offset == UInt64(scene.end))
    #expect(log.vector == scene.vector(4))
    #expect(scene.machine.disk.files == files)
  }

  // MARK: - Helpers

  private func flip(_ bytes: [UInt8], _ at: Int) -> [UInt8] {
    var bytes = bytes
    bytes[at] ^= 0x10
    return bytes
  }

  private func cuts(events: Int = 2, _ tear: ([UInt8]) -> [UInt8]) throws {
    var scene = try Scene(commits: 3)
    let torn = tear(try scene.nextRecord(events: events))
    scene.overwrite(scene.end, torn)
    let used = (torn.lastIndex { $0 != 0 } ?? -1) + 1
    try expectCut(scene, at: scene.end, events: 6, bytes: used)
  }

  private func expectCut(_ scene: Scene, at offset: Int, events: UInt64, bytes: Int) throws {
    let (log, report) = try scene.machine.open()
    #expect(report.damage.isEmpty)
    #expect(report.tornTail?.offset == UInt64(offset))
    #expect(report.tornTail?.bytes == UInt64(bytes))
    #expect(!report.mustRenewIdentity)
    #expect(log.vector == scene.vector(events))
    #expect(try log.verify().isSound)
    // The log takes events from there on.
    var author = try Author(1)
    for _ in 0..<events { _ = author.event() }
    try log.commit(try author.frame(2))
    #expect(try log.events(of: author.origin) == author.events)
    try log.close()
    #expect(try scene.machine.open().report == RecoveryReport())
  }
}
