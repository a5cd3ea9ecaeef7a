public import EventCore

/// Collects consecutive events of one origin, follows their chain, and makes a ``Frame`` of them.
public struct FrameBuilder: Sendable {
  public let origin: ReplicaID
  public let firstSequence: UInt64
  /// Number of events so far.
  public private(set) var count = 0
  /// The chain after the latest event.
  public private(set) var chain: Chain
  private var raw: ByteWriter

  /// - Parameters:
  ///   - firstSequence: from 1 on.
  ///   - chain: the origin's chain before that.
  public init(origin: ReplicaID, firstSequence: UInt64, chainBefore chain: Chain) {
    self.origin = origin
    self.firstSequence = firstSequence
    self.chain = chain
    raw = ByteWriter(capacity: 512)
  }

  /// Bytes of events so far, before compression.
  public var rawLength: Int { raw.count }
  public var nextSequence: UInt64 { firstSequence &+ UInt64(count) }

  /// - Throws: ``LogError/Code/tooLarge`` where the event does not fit any more, or not any frame.
  ///   The builder is as it was then.
  public mutating func append(_ event: EncodedEvent) throws(LogError) {
    guard event.size <= Body.eventBytesMax else {
      throw LogError(
        .tooLarge, "an event of \(event.size) bytes is over the limit of \(Body.eventBytesMax)",
        hint: "split the transaction")
    }
    guard raw.count + event.size + Self.overheadMax <= FrameHeader.rawLengthMax else {
      throw LogError(.tooLarge, "a frame holds \(FrameHeader.rawLengthMax) bytes at most")
    }
    event.encode(to: &raw)
    chain.append(event)
    count += 1
  }

  /// - Throws: ``LogError/Code/malformed`` where there are no events.
  public func finish(_ compression: Frame.Compression = .fast) throws(LogError) -> Frame {
    try raw.bytes.withRawBytes { bytes throws(LogError) in
      try Frame.pack(
        raw: bytes, count: count, origin: origin, firstSequence: firstSequence,
        chainAfter: chain.value, compression: compression)
    }
  }

  /// Two varints of at most ten bytes.
  private static let overheadMax = 20
}
