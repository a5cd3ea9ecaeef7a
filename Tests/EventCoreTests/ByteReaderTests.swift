import DaybookEventCore
import Testing

@Suite("ByteReader and ByteWriter")
struct ByteReaderTests {
  private func varint(_ bytes: [UInt8]) -> UInt64? {
    try? Decoding.read(bytes) { reader throws(EventError) in
      let value = try reader.varint()
      try reader.end(of: "a varint")
      return value
    }
  }

  private func code(_ bytes: [UInt8]) -> EventError.Code? {
    Decoding.code { () throws(EventError) in
      _ = try Decoding.read(bytes) { reader throws(EventError) in try reader.varint() }
    }
  }

  @Test("a varint is decoded as it was encoded, at every magnitude")
  func varints() {
    for shift in UInt64(0)..<64 {
      for value in [UInt64(1) << shift, (UInt64(1) << shift) - 1, UInt64.max >> shift] {
        var writer = ByteWriter()
        writer.varint(value)
        #expect(varint(writer.bytes) == value)
      }
    }
  }

  @Test("signed varints keep small numbers short and reach both ends")
  func signedVarints() throws {
    for value: Int64 in [0, -1, 1, 63, -64, 64, .min, .max] {
      var writer = ByteWriter()
      writer.signedVarint(value)
      #expect((value >= -64 && value < 64) == (writer.count == 1))
      let read = try Decoding.read(writer.bytes) { reader throws(EventError) in
        try reader.signedVarint()
      }
      #expect(read == value)
    }
  }

  @Test("a varint that is not in its shortest form is refused")
  func notShortest() {
    #expect(code([0x80, 0x00]) == .notCanonical)
    #expect(code([0xFF, 0x80, 0x00]) == .notCanonical)
    #expect(code(Array(repeating: 0x80, count: 9) + [0x00]) == .notCanonical)
  }

  @Test("a varint over 64 bits is refused, however long it is")
  func tooLong() {
    let ones = [UInt8](repeating: 0xFF, count: 9)
    #expect(varint(ones + [0x01]) == .max)
    #expect(code(ones + [0x02]) == .malformed)
    #expect(code(ones + [0x81, 0x00]) == .malformed)
    #expect(code([UInt8](repeating: 0x80, count: 1000)) == .malformed)
    #expect(code(ones) == .truncated)
    #expect(code([]) == .truncated)
  }

  @Test("a count cannot exceed the bytes that remain")
  func counts() throws {
    for count in [UInt64(2), 1 << 40, .max] {
      var writer = ByteWriter()
      writer.varint(count)
      writer.byte(0)
      let code = Decoding.code { () throws(EventError) in
        _ = try Decoding.read(writer.bytes) { reader throws(EventError) in try reader.count() }
      }
      #expect(code == .truncated)
    }
  }

  @Test("an index over 32 bits is refused")
  func indexes() throws {
    var writer = ByteWriter()
    writer.varint(UInt64(UInt32.max))
    #expect(
      try Decoding.read(writer.bytes) { reader throws(EventError) in try reader.index() }
        == Int(UInt32.max))
    writer = ByteWriter()
    writer.varint(UInt64(UInt32.max) + 1)
    let code = Decoding.code { () throws(EventError) in
      _ = try Decoding.read(writer.bytes) { reader throws(EventError) in try reader.index() }
    }
    #expect(code == .malformed)
  }

  @Test("a read that fails leaves the position, and take refuses negative counts")
  func failedReads() {
    let bytes: [UInt8] = [1, 2, 3]
    bytes.withUnsafeBytes { raw in
      var reader = ByteReader(raw)
      #expect(throws: EventError.self) { try reader.take(4) }
      #expect(throws: EventError.self) { try reader.take(-1) }
      #expect(throws: EventError.self) { try reader.integer(UInt32.self) }
      #expect(reader.offset == 0 && reader.remaining == 3)
      #expect(throws: EventError.self) { try reader.end(of: "nothing") }
    }
  }

  @Test("an empty buffer is at its end and gives nothing")
  func empty() {
    var reader = ByteReader(UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(reader.isAtEnd)
    #expect(throws: EventError.self) { try reader.byte() }
    #expect((try? reader.take(0))?.count == 0)
  }

  @Test("integers are little-endian, and replica ids are their bytes")
  func layout() {
    var writer = ByteWriter()
    writer.integer(UInt32(0x0102_0304))
    writer.replicaID(ReplicaID(high: 0x0102_0304_0506_0708, low: 9))
    #expect(Hex.encode(writer.bytes) == "04030201" + "0102030405060708" + "0000000000000009")
  }

  @Test("text that is not UTF-8 is refused")
  func invalidText() {
    let code = Decoding.code { () throws(EventError) in
      _ = try Decoding.read([1, 0xFF]) { reader throws(EventError) in try reader.text() }
    }
    #expect(code == .invalidValue)
  }
}
