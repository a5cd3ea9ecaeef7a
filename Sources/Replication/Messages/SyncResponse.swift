public import EventCore

/// The answer in an exchange: what was not taken, what the answerer holds then, and what the other
/// lacks of it.
///
/// ```
/// u8 'D' · u8 kind = 2 · u8 version · u8 flags · 16 zone · 16 replica · report
/// varint n · n × refusal · varint n · n × range · u32 CRC-32C of all before
/// ```
/// Flags & 1: there is more than fits the answer; & 2: who asks should say what it holds.
public struct SyncResponse: Hashable, Sendable {
  public var zone: ZoneID
  public var replica: ReplicaID
  /// The answerer has more for the other than is in the answer.
  public var hasMore: Bool
  /// The answerer does not know what the other holds: the digest that it was told says nothing to it.
  public var asksForKnowledge: Bool
  public var report: KnowledgeReport
  public var refusals: [RangeRefusal]
  public var ranges: [EventRange]
  /// Of the sync protocol; that of the request.
  public var version = SyncProtocol.versions.upperBound

  public init(
    zone: ZoneID, replica: ReplicaID, hasMore: Bool = false, asksForKnowledge: Bool = false,
    report: KnowledgeReport, refusals: [RangeRefusal] = [], ranges: [EventRange] = []
  ) {
    self.zone = zone
    self.replica = replica
    self.hasMore = hasMore
    self.asksForKnowledge = asksForKnowledge
    self.report = report
    self.refusals = refusals
    self.ranges = ranges
  }

  private enum Flag {
    static let more: UInt8 = 1
    static let asks: UInt8 = 2
    static let all: UInt8 = 3
  }

  public func encoded() -> [UInt8] {
    var writer = SyncProtocol.begin(
      .response, version: version, capacity: ranges.reduce(128) { $0 + $1.size })
    writer.byte((hasMore ? Flag.more : 0) | (asksForKnowledge ? Flag.asks : 0))
    writer.raw(zone.bytes)
    writer.replicaID(replica)
    report.encode(to: &writer)
    writer.varint(refusals.count)
    for refusal in refusals { refusal.encode(to: &writer) }
    writer.varint(ranges.count)
    for range in ranges { range.encode(to: &writer, sender: replica) }
    return SyncProtocol.finish(&writer)
  }

  /// - Parameter versions: those that are understood.
  /// - Throws: `EventError`: `.unknownVersion` where it is of another version, else what is wrong.
  public init(
    decoding bytes: UnsafeRawBufferPointer, versions: ClosedRange<UInt8> = SyncProtocol.versions
  ) throws(EventError) {
    var (reader, version) = try SyncProtocol.open(.response, bytes, versions)
    self.version = version
    let flags = try reader.byte()
    guard flags & ~Flag.all == 0 else {
      throw EventError(.malformed, "unknown flags of a response", offset: reader.offset - 1)
    }
    hasMore = flags & Flag.more != 0
    asksForKnowledge = flags & Flag.asks != 0
    zone = ZoneID(bytes: Array(try reader.take(16)))
    replica = try reader.replicaID()
    report = try KnowledgeReport(from: &reader)
    refusals = []
    for _ in 0..<(try reader.count()) { refusals.append(try RangeRefusal(from: &reader)) }
    ranges = try RangeList(from: &reader, sender: replica).ranges
    try reader.end(of: "a response")
  }
}
