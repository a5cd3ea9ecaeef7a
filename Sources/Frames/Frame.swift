package import DaybookEventCore

/// A block of consecutive events of one origin: the unit that is stored and sent.
package struct Frame: Hashable, Sendable {
  /// The LZ4 compressor that makes a frame's block.
  package enum Compression: Sendable {
    /// Fast compression, for commits, which wait for it.
    case fast
    /// Smaller blocks at a much higher cost, for sealing, which is done once.
    case high
  }

  package let header: FrameHeader
  /// Header and stored bytes, exactly as they are sent.
  package let bytes: [UInt8]

  /// Packs events into a frame.
  ///
  /// - Parameters:
  ///   - firstSequence: the sequence of the first event, from 1.
  ///   - chain: the origin's chain before the first event.
  /// - Throws: ``FrameError/Code/tooLarge`` over 16 MiB; ``FrameError/Code/malformed`` if there are
  ///   no events.
  package init(
    origin: ReplicaID, firstSequence: UInt64, events: [EncodedEvent], chainBefore chain: Chain,
    compression: Compression = .fast
  ) throws(FrameError) {
    var builder = FrameBuilder(origin: origin, firstSequence: firstSequence, chainBefore: chain)
    for event in events { try builder.append(event) }
    self = try builder.finish(compression)
  }

  /// Decodes a frame from a segment or a peer, and copies it.
  ///
  /// Everything except the compressed contents is checked.
  /// - Throws: ``FrameError/Code/malformed``, ``FrameError/Code/tooLarge``;
  ///   ``FrameError/Code/newerFormat`` if the version is not known.
  package init(decoding bytes: UnsafeRawBufferPointer) throws(FrameError) {
    header = try FrameHeader(checking: bytes)
    self.bytes = Array(bytes)
  }

  /// Decodes a frame from an array that it keeps, without a copy.
  ///
  /// Everything except the compressed contents is checked.
  /// - Throws: ``FrameError/Code/malformed``, ``FrameError/Code/tooLarge``;
  ///   ``FrameError/Code/newerFormat`` if the version is not known.
  package init(decoding bytes: [UInt8]) throws(FrameError) {
    header = try bytes.withRawBytes { raw throws(FrameError) in try FrameHeader(checking: raw) }
    self.bytes = bytes
  }

  /// The largest number of raw bytes in a frame.
  package static var rawLengthMax: Int { FrameHeader.rawLengthMax }

  /// The bytes after the header.
  package var storedBytes: ArraySlice<UInt8> { bytes[FrameHeader.size...] }

  /// Makes a frame from stored bytes that came from elsewhere.
  ///
  /// Header and chain value are computed from the contents. Cost: decompresses and hashes every
  /// event once.
  /// - Parameters:
  ///   - chain: the origin's chain before the first event; on return, after the last event.
  ///   - visit: called with each event's sequence, the event, and the chain after it.
  /// - Throws: ``FrameError/Code/malformed``, ``FrameError/Code/tooLarge``,
  ///   ``FrameError/Code/unknownCodec``; what `visit` throws.
  package init(
    origin: ReplicaID, firstSequence: UInt64, count: Int, codec: UInt8, rawLength: Int,
    stored: ArraySlice<UInt8>, chain: inout Chain,
    visit: (UInt64, EventView, Chain) throws -> Void
  ) throws {
    let probe = FrameHeader(
      codec: codec, count: count, origin: origin, firstSequence: firstSequence,
      rawLength: rawLength, storedLength: stored.count, chain: chain.value)
    try probe.check()
    // A byte of an LZ4 block expands to at most 255 bytes: refuse an impossible length before
    // memory is allocated for it.
    guard codec != FrameHeader.Codec.lz4 || rawLength <= 255 * stored.count + 64 else {
      throw FrameError(.malformed, "a frame stores \(rawLength) bytes as \(stored.count)")
    }
    let raw: [UInt8]
    switch codec {
    case FrameHeader.Codec.stored: raw = Array(stored)
    case FrameHeader.Codec.lz4:
      guard let unpacked = stored.withUnsafeBytes({ LZ4.decompress($0, rawLength: rawLength) })
      else { throw FrameError(.malformed, "a frame does not decompress to \(rawLength) bytes") }
      raw = unpacked
    default:
      throw FrameError(
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

  /// Packs raw event bytes; the caller guarantees their number and chain value.
  package static func pack(
    raw: UnsafeRawBufferPointer, count: Int, origin: ReplicaID, firstSequence: UInt64,
    chainAfter: Hash256, compression: Compression
  ) throws(FrameError) -> Frame {
    guard raw.count <= FrameHeader.rawLengthMax else {
      throw FrameError(.tooLarge, "\(raw.count) bytes of events do not fit one frame")
    }
    guard count > 0, firstSequence > 0, firstSequence < UInt64(Int64.max) - UInt64(count) else {
      throw FrameError(.malformed, "no frame can hold \(count) events from \(firstSequence)")
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

  /// Returns the raw event bytes, as ``EventView`` reads them.
  ///
  /// Decompresses at most 16 MiB + 64 KiB.
  /// - Throws: ``FrameError/Code/unknownCodec``, ``FrameError/Code/malformed``.
  package func unpacked() throws(FrameError) -> [UInt8] {
    switch header.codec {
    case FrameHeader.Codec.stored: return Array(bytes[FrameHeader.size...])
    case FrameHeader.Codec.lz4:
      let raw = bytes.withUnsafeBytes { frame in
        LZ4.decompress(
          frame.slice(FrameHeader.size, header.storedLength), rawLength: header.rawLength)
      }
      guard let raw else {
        throw FrameError(.malformed, "a frame does not decompress to \(header.rawLength) bytes")
      }
      return raw
    case let codec:
      throw FrameError(
        .unknownCodec, "a frame is compressed with codec \(codec), which is not known here",
        hint: "update this software; the frame is kept and passed on as it is")
    }
  }

  /// Decompresses the frame and calls `body` with each event's sequence and the event, in order.
  ///
  /// The views are valid only during the call.
  /// - Throws: what `body` throws; ``FrameError`` if the contents are not exactly `count` events.
  package func forEachEvent(_ body: (UInt64, EventView) throws -> Void) throws {
    let raw = try unpacked()
    try raw.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      for index in 0..<header.count {
        try body(header.firstSequence + UInt64(index), try Self.nextEvent(&reader))
      }
      guard reader.isAtEnd else { throw Self.tooMuch(reader.remaining) }
    }
  }

  /// Returns copies of the events.
  ///
  /// Cost: decompresses the frame once and copies every event.
  package func events() throws(FrameError) -> [EncodedEvent] {
    let raw = try unpacked()
    return try raw.withRawBytes { bytes throws(FrameError) in
      var reader = ByteReader(bytes)
      var events: [EncodedEvent] = []
      events.reserveCapacity(header.count)
      for _ in 0..<header.count { events.append(try Self.nextEvent(&reader).encoded) }
      guard reader.isAtEnd else { throw Self.tooMuch(reader.remaining) }
      return events
    }
  }

  /// Returns the chain after the frame's last event, given the chain before its first.
  ///
  /// Cost: decompresses and hashes every event.
  package func chain(from chain: Chain) throws(FrameError) -> Chain {
    let raw = try unpacked()
    return try raw.withRawBytes { bytes throws(FrameError) in
      var chain = chain
      var reader = ByteReader(bytes)
      for _ in 0..<header.count { try Self.nextEvent(&reader).advance(&chain) }
      guard reader.isAtEnd else { throw Self.tooMuch(reader.remaining) }
      return chain
    }
  }

  package static func nextEvent(_ reader: inout ByteReader) throws(FrameError) -> EventView {
    do { return try EventView(from: &reader) } catch {
      throw FrameError(.malformed, "a frame's contents are not events", cause: error.description)
    }
  }

  package static func tooMuch(_ count: Int) -> FrameError {
    FrameError(.malformed, "a frame holds \(count) bytes after its last event")
  }
}
