public import DaybookEventCore

/// The response in an exchange: the refused ranges, what the responder holds after the request, and
/// the ranges that the requester lacks.
///
/// ```
/// u8 'D' · u8 kind = 2 · u8 version · u8 flags · 16 zone · 16 replica · report
/// varint n · n × refusal · varint n · n × range · u32 CRC-32C of all before
/// ```
/// If flags & 1, there is more than fits the response. If flags & 2, the requester should report
/// what it holds.
public struct SyncResponse: Hashable, Sendable {
  /// The responder's zone.
  public var zone: ZoneID
  /// The responder.
  public var replica: ReplicaID
  /// Whether the responder has more ranges for the requester than fit the response.
  public var hasMore: Bool
  /// Whether the responder does not recognize the requester's digest, and asks for a report of what
  /// it holds.
  public var asksForKnowledge: Bool
  package var report: KnowledgeReport
  /// The ranges of the request that the responder has refused.
  public var refusals: [RangeRefusal]
  package var ranges: [EventRange]
  /// The version of the sync protocol, which is the request's version.
  public var version = SyncProtocol.versions.upperBound

  package init(
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

  /// Returns the bytes of the response, as ``init(decoding:)`` takes them.
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

  /// Decodes a response.
  /// - Throws: `EventError`: `.unknownVersion` if the response is of another version, or the
  ///   error in its bytes.
  public init(decoding bytes: UnsafeRawBufferPointer) throws(EventError) {
    try self.init(decoding: bytes, versions: SyncProtocol.versions)
  }

  /// Decodes a response of one of `versions`.
  package init(
    decoding bytes: UnsafeRawBufferPointer, versions: ClosedRange<UInt8>
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
