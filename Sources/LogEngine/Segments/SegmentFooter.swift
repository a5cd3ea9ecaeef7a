package import DaybookEventCore
import DaybookFrames

/// The index at the end of a sealed segment: opening the segment need not read the records.
///
/// ```
/// u8 version = 1
/// varint n · n × 16 origin
/// varint n · n × (varint origin's number · varint first sequence · varint count
///                 · varint offset, less the previous one · varint record's bytes · varint raw
///                 bytes)
/// varint n · n × (varint origin's number · varint sequence · varint offset, less the previous one)
/// n origins × (varint highest sequence · 32 chain value after it), for those with frames, in order
/// ```
package struct SegmentFooter: Sendable {
  static let version: UInt8 = 1

  package struct Last: Hashable, Sendable {
    package var sequence: UInt64
    package var chain: Hash256
  }

  package var entries: [RecordEntry] = []
  package var heads: [HeadEntry] = []
  /// The highest sequence of each origin in the segment, and the chain value after it.
  package var last: [ReplicaID: Last] = [:]

  init() {}

  init(_ index: SegmentIndex, last: [ReplicaID: Last]) {
    entries = index.entries
    heads = index.heads
    self.last = last
  }

  package func encoded() -> [UInt8] {
    var numbers: [ReplicaID: Int] = [:]
    var origins: [ReplicaID] = []
    for origin in entries.map(\.origin) + heads.map(\.event.origin) where numbers[origin] == nil {
      numbers[origin] = origins.count
      origins.append(origin)
    }
    var writer = ByteWriter(capacity: 64 + entries.count * 12)
    writer.byte(Self.version)
    writer.varint(origins.count)
    for origin in origins { writer.replicaID(origin) }
    writer.varint(entries.count)
    var previous: UInt64 = 0
    for entry in entries {
      writer.varint(numbers[entry.origin] ?? 0)
      writer.varint(entry.firstSequence)
      writer.varint(entry.count)
      writer.varint(entry.position.offset - previous)
      writer.varint(entry.length)
      writer.varint(entry.rawLength)
      previous = entry.position.offset
    }
    writer.varint(heads.count)
    previous = 0
    for head in heads {
      writer.varint(numbers[head.event.origin] ?? 0)
      writer.varint(head.event.sequence)
      writer.varint(head.position.offset - previous)
      previous = head.position.offset
    }
    for origin in origins {
      guard let last = last[origin] else { continue }
      writer.varint(last.sequence)
      writer.hash(last.chain)
    }
    return writer.bytes
  }

  /// Decodes a footer.
  ///
  /// - Parameter end: the offset of the footer; every record that it names must end before it.
  /// - Throws: ``EventError`` if the bytes are no footer.
  package init(decoding bytes: UnsafeRawBufferPointer, segment: UInt64, end: UInt64)
    throws(EventError)
  {
    var reader = ByteReader(bytes)
    let version = try reader.byte()
    guard version == Self.version else {
      throw EventError(.unknownVersion, "footer version \(version) is not known here", offset: 0)
    }
    var origins: [ReplicaID] = []
    for _ in 0..<(try reader.count()) { origins.append(try reader.replicaID()) }
    let frames = try reader.count()
    entries.reserveCapacity(frames)
    var offset: UInt64 = 0
    for _ in 0..<frames {
      let entry = try Self.entry(&reader, origins, after: offset, segment: segment, end: end)
      offset = entry.position.offset
      entries.append(entry)
    }
    offset = 0
    for _ in 0..<(try reader.count()) {
      let origin = try Self.origin(&reader, origins)
      let sequence = try reader.varint()
      offset = try Self.advance(&reader, offset, length: HeadEntry.length, end: end)
      heads.append(
        HeadEntry(
          position: LogPosition(segment: segment, offset: offset), event: EventID(origin, sequence))
      )
    }
    let withFrames = Set(entries.map(\.origin))
    for origin in origins where withFrames.contains(origin) {
      last[origin] = Last(sequence: try reader.varint(), chain: try reader.hash())
    }
    try reader.end(of: "a footer")
  }

  private static func entry(
    _ reader: inout ByteReader, _ origins: [ReplicaID], after previous: UInt64, segment: UInt64,
    end: UInt64
  ) throws(EventError) -> RecordEntry {
    let origin = try origin(&reader, origins)
    let first = try reader.varint()
    let count = try reader.index()
    let delta = try reader.index()
    let length = try reader.index()
    let raw = try reader.index()
    let offset = previous + UInt64(delta)
    guard first > 0, count > 0, first < UInt64(Int64.max) - UInt64(count), delta > 0,
      offset >= UInt64(SegmentHeader.size), length >= RecordHeader.size + FrameHeader.size,
      offset + UInt64(length) <= end, raw <= FrameHeader.rawLengthMax,
      length <= RecordHeader.size + FrameHeader.size + FrameHeader.rawLengthMax
    else { throw EventError(.malformed, "a footer names no possible frame", offset: reader.offset) }
    return RecordEntry(
      position: LogPosition(segment: segment, offset: offset), origin: origin,
      firstSequence: first, count: count, length: length, rawLength: raw)
  }

  private static func origin(_ reader: inout ByteReader, _ origins: [ReplicaID])
    throws(EventError) -> ReplicaID
  {
    let number = try reader.index()
    guard number < origins.count else {
      throw EventError(.malformed, "a footer names origin \(number) of \(origins.count)")
    }
    return origins[number]
  }

  private static func advance(
    _ reader: inout ByteReader, _ previous: UInt64, length: Int, end: UInt64
  ) throws(EventError) -> UInt64 {
    let delta = try reader.index()
    let offset = previous + UInt64(delta)
    guard delta > 0, offset >= UInt64(SegmentHeader.size), offset + UInt64(length) <= end else {
      throw EventError(.malformed, "a footer names no possible head", offset: reader.offset)
    }
    return offset
  }

  var index: SegmentIndex {
    var index = SegmentIndex()
    for entry in entries { index.append(entry) }
    for head in heads { index.append(head) }
    return index
  }
}
