package import DaybookEventCore

/// A collector of consecutive events of one origin, which follows their chain and makes a
/// ``Frame``.
package struct FrameBuilder: Sendable {
  package let origin: ReplicaID
  package let firstSequence: UInt64
  /// The number of events so far.
  package private(set) var count = 0
  /// The chain after the latest event.
  package private(set) var chain: Chain
  private var raw: ByteWriter

  /// Makes an empty builder.
  ///
  /// - Parameters:
  ///   - firstSequence: the sequence of the first event, from 1.
  ///   - chain: the origin's chain before the first event.
  package init(origin: ReplicaID, firstSequence: UInt64, chainBefore chain: Chain) {
    self.origin = origin
    self.firstSequence = firstSequence
    self.chain = chain
    raw = ByteWriter(capacity: 512)
  }

  /// The bytes of the events so far, before compression.
  package var rawLength: Int { raw.count }
  package var nextSequence: UInt64 { firstSequence &+ UInt64(count) }

  /// Appends an event.
  ///
  /// - Throws: ``FrameError/Code/tooLarge`` if the event does not fit into this frame, or into any.
  ///   The builder is unchanged then.
  package mutating func append(_ event: EncodedEvent) throws(FrameError) {
    guard event.size <= Body.eventBytesMax else {
      throw FrameError(
        .tooLarge, "an event of \(event.size) bytes is over the limit of \(Body.eventBytesMax)",
        hint: "split the transaction")
    }
    guard raw.count + event.size + Self.overheadMax <= FrameHeader.rawLengthMax else {
      throw FrameError(.tooLarge, "a frame holds \(FrameHeader.rawLengthMax) bytes at most")
    }
    event.encode(to: &raw)
    chain.append(event)
    count += 1
  }

  /// Packs the events into a frame.
  ///
  /// - Throws: ``FrameError/Code/malformed`` if there are no events.
  package func finish(_ compression: Frame.Compression = .fast) throws(FrameError) -> Frame {
    try raw.bytes.withRawBytes { bytes throws(FrameError) in
      try Frame.pack(
        raw: bytes, count: count, origin: origin, firstSequence: firstSequence,
        chainAfter: chain.value, compression: compression)
    }
  }

  /// The bytes that surround an event: two varints of at most ten bytes.
  private static let overheadMax = 20
}
