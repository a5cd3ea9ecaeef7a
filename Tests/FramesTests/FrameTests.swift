import DaybookEventCore
import DaybookSimulation
import Testing

@testable import DaybookFrames

@Suite struct FrameTests {
  @Test(
    "a frame gives back its events byte for byte, whatever the compression", arguments: [1, 2, 50])
  func roundTrip(count: Int) throws {
    for compression in [Frame.Compression.fast, .high] {
      var author = try Author(1)
      let events = (0..<count).map { _ in author.event(size: 300) }
      let frame = try Frame(
        origin: author.origin, firstSequence: 1, events: events,
        chainBefore: Chain(origin: author.origin), compression: compression)
      let again = try Frame(decoding: frame.bytes)
      #expect(again == frame)
      #expect(try again.events() == events)
      #expect(again.header.chain == author.chain.value)
      #expect(again.header.sequences == 1...UInt64(count))
      #expect(try again.chain(from: Chain(origin: author.origin)) == author.chain)
    }
  }

  @Test("an erased event keeps its place and its chain")
  func erasedBody() throws {
    var author = try Author(1)
    let whole = [author.event(), author.event()]
    guard case .present(let body) = whole[1].body else { return }
    let erased = EncodedEvent(envelope: whole[1].envelope, body: .hash(Hash256.sha256(of: body)))
    let frame = try Frame(
      origin: author.origin, firstSequence: 1, events: [whole[0], erased],
      chainBefore: Chain(origin: author.origin))
    #expect(frame.header.chain == author.chain.value)
    #expect(try frame.events() == [whole[0], erased])
  }

  @Test("every truncation of a frame is an error")
  func truncation() throws {
    var author = try Author(1)
    let frame = try author.frame(3)
    for count in 0..<frame.bytes.count {
      expect(.malformed) { _ = try Frame(decoding: Array(frame.bytes[..<count])) }
    }
    expect(.malformed) { _ = try Frame(decoding: frame.bytes + [0]) }
  }

  @Test("every flipped bit of a frame is an error")
  func bitFlips() throws {
    var author = try Author(1)
    let frame = try author.frame(2)
    for byte in frame.bytes.indices {
      for bit in 0..<8 {
        var bytes = frame.bytes
        bytes[byte] ^= 1 << bit
        #expect(throws: FrameError.self) { _ = try Frame(decoding: bytes) }
      }
    }
  }

  @Test("an event that does not compress is stored as it is")
  func incompressible() throws {
    var author = try Author(1)
    _ = author.event()
    let frame = try author.frame(1, size: 400, isNoise: true)
    #expect(frame.header.codec == FrameHeader.Codec.stored)
    #expect(frame.header.storedLength == frame.header.rawLength)
    let small = try author.frame(1, size: 4000)
    #expect(small.header.codec == FrameHeader.Codec.lz4)
    #expect(small.header.storedLength < small.header.rawLength)
  }

  @Test("a frame of an unknown version is reported as newer")
  func unknownVersion() throws {
    var author = try Author(1)
    var bytes = try author.frame().bytes
    bytes[0] = 9
    expect(.newerFormat) { _ = try Frame(decoding: bytes) }
  }

  @Test("a frame of an unknown codec is kept, and cannot be unpacked")
  func unknownCodec() throws {
    let frame = forged(codec: 7, raw: 100, stored: [UInt8](repeating: 5, count: 20))
    let kept = try Frame(decoding: frame)
    #expect(kept.bytes == frame)
    expect(.unknownCodec) { _ = try kept.unpacked() }
  }

  @Test("a block that does not decompress to the header's length is an error")
  func falseLengths() throws {
    var author = try Author(1)
    let good = try author.frame(20, size: 200)
    let block = Array(good.bytes[FrameHeader.size...])
    for raw in [good.header.rawLength - 1, good.header.rawLength + 1, FrameHeader.rawLengthMax] {
      let frame = try Frame(decoding: forged(codec: 1, raw: raw, stored: block))
      expect(.malformed) { _ = try frame.unpacked() }
    }
    var random = SplitMix64(seed: 3)
    for _ in 0..<300 {
      let noise = (0..<64).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let frame = try Frame(decoding: forged(codec: 1, raw: 500, stored: noise))
      #expect(throws: FrameError.self) { _ = try frame.events() }
    }
  }

  @Test("lengths over the limits are refused before anything is allocated")
  func limits() throws {
    expect(.tooLarge) {
      _ = try Frame(decoding: forged(codec: 1, raw: FrameHeader.rawLengthMax + 1, stored: [1]))
    }
    expect(.malformed) { _ = try Frame(decoding: forged(codec: 0, raw: 9, stored: [1, 2])) }
    expect(.malformed) {
      _ = try Frame(decoding: forged(codec: 1, raw: 100, stored: [1], count: 51))
    }
    expect(.malformed) {
      _ = try Frame(decoding: forged(codec: 1, raw: 100, stored: [1], first: 0))
    }
    expect(.malformed) {
      _ = try Frame(decoding: forged(codec: 1, raw: 100, stored: [1], first: .max))
    }
  }

  @Test("bytes after the last event are an error")
  func trailingBytes() throws {
    var author = try Author(1)
    let good = try author.frame(2)
    let raw = try good.unpacked()
    let frame = try Frame(
      decoding: forged(codec: 0, raw: raw.count + 1, stored: raw + [0], count: 2))
    expect(.malformed) { _ = try frame.events() }
  }

  @Test("an event over 16 MiB is refused, and the builder stays as it was")
  func tooLargeEvent() throws {
    var author = try Author(1)
    var builder = FrameBuilder(
      origin: author.origin, firstSequence: 1, chainBefore: Chain(origin: author.origin))
    let first = author.event()
    try builder.append(first)
    let chain = builder.chain
    let huge = EncodedEvent(
      envelope: [1], body: .present([UInt8](repeating: 0, count: Body.eventBytesMax)))
    expect(.tooLarge) { try builder.append(huge) }
    #expect(builder.chain == chain)
    #expect(try builder.finish().events() == [first])
  }

  @Test("the largest event fits a frame")
  func largestEvent() throws {
    let author = try Author(1)
    let event = EncodedEvent(
      envelope: [1], body: .present([UInt8](repeating: 0, count: Body.eventBytesMax - 1)))
    let frame = try Frame(
      origin: author.origin, firstSequence: 1, events: [event],
      chainBefore: Chain(origin: author.origin))
    #expect(try Frame(decoding: frame.bytes).events() == [event])
  }

  @Test("a frame without events is refused")
  func emptyFrame() throws {
    let author = try Author(1)
    expect(.malformed) {
      _ = try Frame(
        origin: author.origin, firstSequence: 1, events: [],
        chainBefore: Chain(origin: author.origin))
    }
  }

  private func expect(
    _ code: FrameError.Code, _ location: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) {
    let error = #expect(throws: FrameError.self, sourceLocation: location) { try body() }
    #expect(error?.code == code, sourceLocation: location)
  }

  /// Returns a frame with a right checksum and any other header.
  private func forged(
    codec: UInt8, raw: Int, stored: [UInt8], count: Int = 1, first: UInt64 = 1
  ) -> [UInt8] {
    let header = FrameHeader(
      codec: codec, count: count, origin: ReplicaID(high: 1, low: 2), firstSequence: first,
      rawLength: raw, storedLength: stored.count, chain: .zero)
    return stored.withUnsafeBytes(header.frame(storing:))
  }
}
