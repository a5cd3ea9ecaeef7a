package import DaybookEventCore
package import DaybookFrames

/// Consecutive events of one origin on their way to another replica, closed by the origin's
/// signature.
///
/// Frames travel as they are stored. The chain value and the checksum do not travel, as the
/// receiver computes them.
///
/// ```
/// u8 flags · [16 origin, unless flags & 4] · varint first sequence
/// [32 chain value before it, if flags & 1]
/// varint n
/// n × (u8 codec · varint events · varint raw length · varint stored length · stored bytes)
/// 64 signature of the head
/// ```
/// If flags & 2, the head was signed before the store had a zone. If flags & 4, the origin is the
/// sender of the message that contains the range.
package struct EventRange: Hashable, Sendable {
  /// A frame without the fields that its position and contents imply.
  package struct Packed: Hashable, Sendable {
    package var codec: UInt8
    /// The number of events, at least 1.
    package var count: Int
    package var rawLength: Int
    package var stored: ArraySlice<UInt8>

    package init(_ frame: Frame) {
      codec = frame.header.codec
      count = frame.header.count
      rawLength = frame.header.rawLength
      stored = frame.storedBytes
    }

    init(codec: UInt8, count: Int, rawLength: Int, stored: ArraySlice<UInt8>) {
      self.codec = codec
      self.count = count
      self.rawLength = rawLength
      self.stored = stored
    }
  }

  package var origin: ReplicaID
  /// The sequence of the first event, from 1 on.
  package var first: UInt64
  /// The chain value before the first event, for a receiver that may lack it.
  package var chainBefore: Hash256?
  /// The frames, at least one.
  package var frames: [Packed]
  /// Whether the head was signed without a zone.
  package var isZoneless: Bool
  /// The origin's signature over the head that closes the range, 64 bytes.
  package var signature: [UInt8]

  package init(
    origin: ReplicaID, first: UInt64, chainBefore: Hash256?, frames: [Packed], isZoneless: Bool,
    signature: [UInt8]
  ) {
    self.origin = origin
    self.first = first
    self.chainBefore = chainBefore
    self.frames = frames
    self.isZoneless = isZoneless
    self.signature = signature
  }

  /// The number of events.
  package var count: Int { frames.reduce(0) { $0 + $1.count } }
  package var last: UInt64 { first + UInt64(count) - 1 }
  package var sequences: ClosedRange<UInt64> { first...last }
  /// The approximate size on the wire, in bytes. Counts more for frames that expand very much.
  package var size: Int {
    frames.reduce(120) { $0 + max($1.stored.count, $1.rawLength / Self.rawFactor) + 12 }
  }
  /// The number of decompressed bytes that count as at least one byte on the wire.
  private static let rawFactor = 32
  /// The size of the events after decompression, in bytes.
  var rawLength: Int { frames.reduce(0) { $0 + $1.rawLength } }

  private enum Flag {
    static let chainBefore: UInt8 = 1
    static let zoneless: UInt8 = 2
    static let senders: UInt8 = 4
    static let all: UInt8 = 7
  }

  /// Appends the encoded range.
  /// - Parameter sender: The sender of the message that contains the range; nil outside a message.
  package func encode(to writer: inout ByteWriter, sender: ReplicaID? = nil) {
    writer.byte(
      (chainBefore == nil ? 0 : Flag.chainBefore) | (isZoneless ? Flag.zoneless : 0)
        | (origin == sender ? Flag.senders : 0))
    if origin != sender { writer.replicaID(origin) }
    writer.varint(first)
    if let chainBefore { writer.hash(chainBefore) }
    writer.varint(frames.count)
    for frame in frames {
      writer.byte(frame.codec)
      writer.varint(frame.count)
      writer.varint(frame.rawLength)
      writer.varint(frame.stored.count)
      writer.bytes.append(contentsOf: frame.stored)
    }
    writer.raw(signature)
  }

  /// Decodes a range.
  /// - Parameter sender: The sender of the message that contains the range; nil outside a message.
  /// - Throws: `EventError` if the bytes are not a range, or it has too many frames.
  package init(from reader: inout ByteReader, sender: ReplicaID? = nil) throws(EventError) {
    let start = reader.offset
    func fail(_ what: String) -> EventError { EventError(.malformed, what, offset: start) }
    let flags = try reader.byte()
    guard flags & ~Flag.all == 0 else { throw fail("unknown flags of a range") }
    if flags & Flag.senders != 0 {
      guard let sender else { throw fail("a range without an origin, outside a message") }
      origin = sender
    } else {
      origin = try reader.replicaID()
      guard origin != sender else {
        throw EventError(.notCanonical, "a range that names its sender", offset: start)
      }
    }
    first = try reader.varint()
    chainBefore = flags & Flag.chainBefore != 0 ? try reader.hash() : nil
    isZoneless = flags & Flag.zoneless != 0
    frames = []
    var events: UInt64 = 0
    for _ in 0..<(try reader.count()) {
      let codec = try reader.byte()
      let count = try reader.index()
      let rawLength = try reader.index()
      let stored = try reader.counted()
      guard frames.count < SyncProtocol.framesMax else {
        throw EventError(
          .tooLarge, "a range of more than \(SyncProtocol.framesMax) frames", offset: start)
      }
      guard count > 0, count <= rawLength, rawLength <= Frame.rawLengthMax else {
        throw fail("a frame of \(count) events in \(rawLength) bytes")
      }
      events += UInt64(count)
      frames.append(
        Packed(codec: codec, count: count, rawLength: rawLength, stored: Array(stored)[...]))
    }
    guard !frames.isEmpty, first > 0, first < UInt64(Int64.max) - events - 1 else {
      throw fail("a range of \(events) events from \(first)")
    }
    signature = Array(try reader.take(64))
  }
}
