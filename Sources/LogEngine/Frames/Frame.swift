public import EventCore

/// Consecutive events of one origin as one block: what is stored, and what travels.
public struct Frame: Hashable, Sendable {
  /// Which of LZ4's compressors makes the block.
  public enum Compression: Sendable {
    /// For commits, which wait for it.
    case fast
    /// Slower by far, and smaller: for sealing, which is done once.
    case high
  }

  public let header: FrameHeader
  /// Header and stored bytes, exactly as they travel.
  public let bytes: [UInt8]

  /// Packs events.
  /// - Parameters:
  ///   - firstSequence: from 1 on.
  ///   - chain: the origin's chain before the first of them.
  /// - Throws: ``LogError/Code/tooLarge`` over 16 MiB; ``LogError/Code/malformed`` for no events.
  public init(
    origin: ReplicaID, firstSequence: UInt64, events: [EncodedEvent], chainBefore chain: Chain,
    compression: Compression = .fast
  ) throws(LogError) {
    var builder = FrameBuilder(origin: origin, firstSequence: firstSequence, chainBefore: chain)
    for event in events { try builder.append(event) }
    self = try builder.finish(compression)
  }

  /// Takes in bytes that came from a segment or a peer; all but the compressed contents is checked.
  /// - Throws: ``LogError/Code/malformed``, ``LogError/Code/tooLarge``;
  ///   ``LogError/Code/newerFormat`` for a version that is not known here.
  public init(decoding bytes: UnsafeRawBufferPointer) throws(LogError) {
    header = try FrameHeader(checking: bytes)
    self.bytes = Array(bytes)
  }

  /// Like ``init(decoding:)``, without a copy.
  public init(decoding bytes: [UInt8]) throws(LogError) {
    header = try bytes.withRawBytes { raw throws(LogError) in try FrameHeader(checking: raw) }
    self.bytes = bytes
  }

  /// Most raw bytes of one frame.
  public static var rawLengthMax: Int { FrameHeader.rawLengthMax }

  /// The bytes after the header.
  public var storedBytes: ArraySlice<UInt8> { bytes[FrameHeader.size...] }

  /// Makes a frame of the bytes that it stores, from elsewhere: header and chain value follow from
  /// their contents. Decompresses and hashes every event, once.
  /// - Parameters:
  ///   - chain: before the first event; afterwards, after the last.
  ///   - visit: called with each event and the chain after it.
  /// - Throws: ``LogError/Code/malformed``, ``LogError/Code/tooLarge``,
  ///   ``LogError/Code/unknownCodec``; what `visit` throws.
  public init(
    origin: ReplicaID, firstSequence: UInt64, count: Int, codec: UInt8, rawLength: Int,
    stored: ArraySlice<UInt8>, chain: inout Chain,
    visit: (UInt64, EventView, Chain) throws -> Void
  ) throws {
    let probe = FrameHeader(
      codec: codec, count: count, origin: origin, firstSequence: firstSequence,
      rawLength: rawLength, storedLength: stored.count, chain: chain.value)
    try probe.check()
    // A byte of an LZ4 block stands for 255 at most: nobody has to make room for what cannot come.
    guard codec != FrameHeader.Codec.lz4 || rawLength <= 255 * stored.count + 64 else {
      throw LogError(.malformed, "a frame stores \(rawLength) bytes as \(stored.count)")
    }
    let raw: [UInt8]
    switch codec {
    case FrameHeader.Codec.stored: raw = Array(stored)
    case FrameHeader.Codec.lz4:
      guard let unpacked = stored.withUnsafeBytes({ LZ4.decompress($0, rawLength: rawLength) })
      else { throw LogError(.malformed, "a frame does not decompress to \(rawLength) bytes") }
      raw = unpacked
    default:
      throw LogError(
        .unknownCodec, "a frame is compressed with codec \(codec), which is not known here",
        hint: "update this software")
    }
    try raw.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      for index in 0..<count {
        let event = try Self.nextEvent(&reader)
        event.advance(&chain)
        try visit(firstSequence + UInt64(index), event, chain)
      }
      guard reader.isAtEnd else { throw Self.tooMuch(reader.remaining) }
    }
    let header = FrameHeader(
      codec: codec, count: count, origin: origin, firstSequence: firstSequence,
      rawLength: rawLength, storedLength: stored.count, chain: chain.value)
    self.init(header: header, bytes: stored.withUnsafeBytes(header.frame(storing:)))
  }

  /// Packs raw event bytes, whose number and chain value the caller vouches for.
  static func pack(
    raw: UnsafeRawBufferPointer, count: Int, origin: ReplicaID, firstSequence: UInt64,
    chainAfter: Hash256, compression: Compression
  ) throws(LogError) -> Frame {
    guard raw.count <= FrameHeader.rawLengthMax else {
      throw LogError(.tooLarge, "\(raw.count) bytes of events do not fit one frame")
    }
    guard count > 0, firstSequence > 0, firstSequence < UInt64(Int64.max) - UInt64(count) else {
      throw LogError(.malformed, "no frame can hold \(count) events from \(firstSequence)")
    }
    let block = LZ4.compress(raw, high: compression == .high)
    let header = FrameHeader(
      codec: block == nil ? FrameHeader.Codec.stored : FrameHeader.Codec.lz4, count: count,
      origin: origin, firstSequence: firstSequence, rawLength: raw.count,
      storedLength: block?.count ?? raw.count, chain: chainAfter)
    let bytes = block.map { $0.withUnsafeBytes(header.frame(storing:)) }
    return Frame(header: header, bytes: bytes ?? header.frame(storing: raw))
  }

  private init(header: FrameHeader, bytes: [UInt8]) {
    self.header = header
    self.bytes = bytes
  }

  /// The raw event bytes, as ``EventView`` reads them. Decompresses; at most 16 MiB and a bit.
  /// - Throws: ``LogError/Code/unknownCodec``, ``LogError/Code/malformed``.
  public func unpacked() throws(LogError) -> [UInt8] {
    switch header.codec {
    case FrameHeader.Codec.stored: return Array(bytes[FrameHeader.size...])
    case FrameHeader.Codec.lz4:
      let raw = bytes.withUnsafeBytes { frame in
        LZ4.decompress(
          frame.slice(FrameHeader.size, header.storedLength), rawLength: header.rawLength)
      }
      guard let raw else {
        throw LogError(.malformed, "a frame does not decompress to \(header.rawLength) bytes")
      }
      return raw
    case let codec:
      throw LogError(
        .unknownCodec, "a frame is compressed with codec \(codec), which is not known here",
        hint: "update this software; the frame is kept and passed on as it is")
    }
  }

  /// Decompresses and hands over each event in turn; the views are valid during the call only.
  /// - Throws: what `body` throws; ``LogError`` where the contents are not `count` events.
  public func forEachEvent(_ body: (UInt64, EventView) throws -> Void) throws {
    let raw = try unpacked()
    try raw.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      for index in 0..<header.count {
        try body(header.firstSequence + UInt64(index), try Self.nextEvent(&reader))
      }
      guard reader.isAtEnd else { throw Self.tooMuch(reader.remaining) }
    }
  }

  /// Copies of the events. Costs what ``forEachEvent(_:)`` costs, and the copies.
  public func events() throws(LogError) -> [EncodedEvent] {
    let raw = try unpacked()
    return try raw.withRawBytes { bytes throws(LogError) in
      var reader = ByteReader(bytes)
      var events: [EncodedEvent] = []
      events.reserveCapacity(header.count)
      for _ in 0..<header.count { events.append(try Self.nextEvent(&reader).encoded) }
      guard reader.isAtEnd else { throw Self.tooMuch(reader.remaining) }
      return events
    }
  }

  /// The chain after the frame's last event, computed from the one before its first.
  public func chain(from chain: Chain) throws(LogError) -> Chain {
    let raw = try unpacked()
    return try raw.withRawBytes { bytes throws(LogError) in
      var chain = chain
      var reader = ByteReader(bytes)
      for _ in 0..<header.count { try Self.nextEvent(&reader).advance(&chain) }
      guard reader.isAtEnd else { throw Self.tooMuch(reader.remaining) }
      return chain
    }
  }

  static func nextEvent(_ reader: inout ByteReader) throws(LogError) -> EventView {
    do { return try EventView(from: &reader) } catch {
      throw LogError(.malformed, "a frame's contents are not events", cause: error.description)
    }
  }

  static func tooMuch(_ count: Int) -> LogError {
    LogError(.malformed, "a frame holds \(count) bytes after its last event")
  }
}
