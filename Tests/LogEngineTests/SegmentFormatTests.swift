import DaybookEventCore
import DaybookFrames
import DaybookSimulation
import Testing

@testable import DaybookLogEngine

@Suite struct SegmentFormatTests {
  @Test("headers, trailers, marks and lock states have the documented sizes")
  func sizes() {
    #expect(SegmentHeader.size == 64)
    #expect(RecordHeader.size == 28)
    #expect(FrameHeader.size == 76)
    #expect(SegmentTrailer.size == 16)
    #expect(LockState.size == 32)
    #expect(SegmentHeader(number: 1, salt: 2, previousEnd: 3).encoded().count == 64)
    #expect(MarkFile.Slot(counter: 1, position: .start).encoded().count == MarkFile.slotSize)
  }

  @Test("a segment's header is decoded as it was encoded, and every flipped bit is found")
  func segmentHeader() throws {
    let header = SegmentHeader(number: 5, salt: 77, previousEnd: 1234, isComplete: true)
    let bytes = header.encoded()
    #expect(try SegmentHeader(decoding: bytes) == header)
    forEachFlip(of: bytes) { flipped in
      #expect(throws: LogError.self) { try SegmentHeader(decoding: flipped) }
    }
    for count in 0..<bytes.count {
      expect(.damaged) { _ = try SegmentHeader(decoding: Array(bytes[..<count])) }
    }
  }

  @Test("a sound segment header of a later version is newer, not damaged")
  func newerSegment() throws {
    for (offset, value) in [(8, 2 as UInt8), (12, 2), (12, 0x80), (45, 1)] {
      var bytes = SegmentHeader(number: 5, salt: 77, previousEnd: 0).encoded()
      bytes[offset] = value
      bytes.replaceSubrange(60..<64, with: littleEndian(CRC32C.checksum(Array(bytes[..<60]))))
      expect(.newerFormat) { _ = try SegmentHeader(decoding: bytes) }
    }
  }

  @Test("a record's header is valid only unchanged, at its own offset and in its own segment")
  func recordHeader() throws {
    var out = ByteWriter()
    RecordHeader.append(kind: 2, [1, 2, 3], offset: 100, durable: 90, salt: 7, to: &out)
    let bytes = Array(out.bytes[..<RecordHeader.size])
    func decode(_ bytes: [UInt8], at offset: UInt64, salt: UInt64) -> RecordHeader? {
      bytes.withUnsafeBytes { RecordHeader($0, at: offset, salt: salt) }
    }
    #expect(
      decode(bytes, at: 100, salt: 7) == RecordHeader(kind: 2, offset: 100, durable: 90, length: 7))
    #expect(decode(bytes, at: 101, salt: 7) == nil)
    #expect(decode(bytes, at: 100, salt: 8) == nil)
    forEachFlip(of: bytes) { #expect(decode($0, at: 100, salt: 7) == nil) }
  }

  @Test("a trailer is decoded as it was encoded, and every flipped bit is found")
  func trailer() {
    let bytes = SegmentTrailer(footer: 99).encoded(salt: 0xABCD_EF01_2345_6789)
    #expect(SegmentTrailer(bytes, salt: 0xABCD_EF01_2345_6789)?.footer == 99)
    #expect(SegmentTrailer(bytes, salt: 1) == nil)
    forEachFlip(of: bytes) {
      #expect(SegmentTrailer($0, salt: 0xABCD_EF01_2345_6789) == nil)
    }
  }

  @Test("a lock file's state is decoded as encoded, and every flipped bit is found")
  func lockState() throws {
    var state = LockState()
    state.generation = 12
    state.isPoisoned = true
    let bytes = state.encoded()
    #expect(try LockState(decoding: bytes) == state)
    #expect(try LockState(decoding: []) == LockState())
    forEachFlip(of: bytes) { flipped in
      expect(.damaged) { _ = try LockState(decoding: flipped) }
    }
    expect(.damaged) { _ = try LockState(decoding: bytes + [0]) }
    expect(.damaged) { _ = try LockState(decoding: Array(bytes.dropLast())) }
  }

  @Test("a footer is decoded as it was encoded")
  func footer() throws {
    let (footer, bytes) = footerSample()
    let again = try bytes.withUnsafeBytes { try SegmentFooter(decoding: $0, segment: 3, end: 9000) }
    #expect(again.entries == footer.entries)
    #expect(again.heads == footer.heads)
    #expect(again.last == footer.last)
  }

  @Test("no bytes make a footer's decoder trap or overrun")
  func hostileFooter() {
    let (_, bytes) = footerSample()
    var accepted = 0
    func decode(_ bytes: [UInt8]) {
      let footer = bytes.withUnsafeBytes { try? SegmentFooter(decoding: $0, segment: 3, end: 9000) }
      guard let footer else { return }
      accepted += 1
      for entry in footer.entries { #expect(entry.end.offset <= 9000) }
    }
    for count in 0..<bytes.count { decode(Array(bytes[..<count])) }
    #expect(accepted == 0)
    forEachFlip(of: bytes) { decode($0) }
    var random = SplitMix64(seed: 9)
    for _ in 0..<2000 {
      decode([1] + (0..<40).map { _ in UInt8(truncatingIfNeeded: random.next() % 5 * 40) })
    }
  }

  @Test("a segment's name has its number in hexadecimal, and other names have none")
  func names() {
    #expect(SegmentName.file(255) == "log/00000000000000ff.segment")
    #expect(SegmentName.number("00000000000000ff.segment") == 255)
    for name in [
      "00000000000000FF.segment", "ff.segment", "0000000000000000.segment", "mark",
      "00000000000000ff.segment.unfinished", "+0000000000000ff.segment", ".segment",
    ] { #expect(SegmentName.number(name) == nil) }
    #expect(SegmentName.unfinishedNumber("00000000000000ff.segment.unfinished") == 255)
  }

  @Test("a frame whose checksum is zero is valid")
  func zeroChecksum() throws {
    // CRC-32C is linear, so 32 free bits reach every value: find those that give 0.
    func frame(_ tail: UInt32) throws -> Frame {
      var raw = ByteWriter()
      EncodedEvent(envelope: [1, 2, 3], body: .present([9, 8] + littleEndian(tail)))
        .encode(to: &raw)
      return try raw.bytes.withRawBytes { bytes throws(FrameError) in
        try Frame.pack(
          raw: bytes, count: 1, origin: ReplicaID(high: 1, low: 1), firstSequence: 1,
          chainAfter: .zero, compression: .fast)
      }
    }
    func checksum(_ tail: UInt32) throws -> UInt32 {
      try frame(tail).bytes.withUnsafeBytes { $0.u32(FrameHeader.checksumOffset) }
    }
    let zero = try checksum(0)
    var rows = try (0..<32).map { bit in (try checksum(1 << bit) ^ zero, UInt32(1) << bit) }
    var target = zero
    var tail: UInt32 = 0
    for bit in 0..<32 {
      guard let pivot = rows.firstIndex(where: { $0.0 >> bit & 1 == 1 }) else { continue }
      let row = rows.remove(at: pivot)
      rows = rows.map { $0.0 >> bit & 1 == 1 ? ($0.0 ^ row.0, $0.1 ^ row.1) : $0 }
      if target >> bit & 1 == 1 {
        target ^= row.0
        tail ^= row.1
      }
    }
    #expect(try checksum(tail) == 0)
    let machine = LogMachine()
    let (log, _) = try machine.open()
    let sample = try frame(tail)
    try log.commit(sample)
    machine.kill()
    let (again, report) = try machine.open()
    #expect(report.isClean)
    #expect(try again.snapshot().frame(at: again.snapshot().entries[0]) == sample)
  }

  private func footerSample() -> (SegmentFooter, [UInt8]) {
    let a = ReplicaID(high: 1, low: 1)
    let b = ReplicaID(high: 2, low: 2)
    func entry(_ origin: ReplicaID, _ offset: UInt64, _ first: UInt64, _ count: Int) -> RecordEntry
    {
      RecordEntry(
        position: LogPosition(segment: 3, offset: offset), origin: origin, firstSequence: first,
        count: count, length: 400, rawLength: 700)
    }
    var footer = SegmentFooter()
    footer.entries = [entry(a, 64, 1, 4), entry(b, 464, 900_000, 1), entry(a, 1200, 5, 300)]
    footer.heads = [
      HeadEntry(position: LogPosition(segment: 3, offset: 864), event: EventID(b, 900_000))
    ]
    footer.last = [
      a: .init(sequence: 304, chain: Hash256.sha256(of: [1])),
      b: .init(sequence: 900_000, chain: Hash256.sha256(of: [2])),
    ]
    return (footer, footer.encoded())
  }
}

func littleEndian(_ value: UInt32) -> [UInt8] {
  withUnsafeBytes(of: value.littleEndian) { Array($0) }
}

func forEachFlip(of bytes: [UInt8], _ body: ([UInt8]) -> Void) {
  for byte in bytes.indices {
    for bit in 0..<8 {
      var flipped = bytes
      flipped[byte] ^= 1 << bit
      body(flipped)
    }
  }
}
