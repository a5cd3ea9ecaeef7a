public import DaybookEventCore

/// A request that begins an exchange: the sender, what it holds, and the ranges that it thinks the
/// receiver lacks.
///
/// ```
/// u8 'D' · u8 kind = 1 · u8 version · 16 zone · 16 replica · varint most bytes of the answer
/// report · varint n · n × range · u32 CRC-32C of all before
/// ```
public struct SyncRequest: Hashable, Sendable {
  /// The sender's zone. All zero if its store has not adopted one.
  public var zone: ZoneID
  /// The sender.
  public var replica: ReplicaID
  /// The most bytes of ranges in the answer, which may exceed them by one range. No ranges if 0.
  public var answerBytes: Int
  /// What the receiver may assume that the sender holds.
  package var report: KnowledgeReport
  package var ranges: [EventRange]
  /// The version of the sync protocol. The response has the same version.
  public var version = SyncProtocol.versions.upperBound

  package init(
    zone: ZoneID, replica: ReplicaID, answerBytes: Int, report: KnowledgeReport,
    ranges: [EventRange]
  ) {
    self.zone = zone
    self.replica = replica
    self.answerBytes = answerBytes
    self.report = report
    self.ranges = ranges
  }

  /// Returns the bytes of the request, as ``init(decoding:)`` takes them.
  public func encoded() -> [UInt8] {
    var writer = SyncProtocol.begin(
      .request, version: version, capacity: ranges.reduce(128) { $0 + $1.size })
    writer.raw(zone.bytes)
    writer.replicaID(replica)
    writer.varint(answerBytes)
    report.encode(to: &writer)
    writer.varint(ranges.count)
    for range in ranges { range.encode(to: &writer, sender: replica) }
    return SyncProtocol.finish(&writer)
  }

  /// Decodes a request.
  /// - Throws: `EventError`: `.unknownVersion` if the request is of another version, or the error
  ///   in its bytes.
  public init(decoding bytes: UnsafeRawBufferPointer) throws(EventError) {
    try self.init(decoding: bytes, versions: SyncProtocol.versions)
  }

  /// Decodes a request of one of `versions`.
  package init(
    decoding bytes: UnsafeRawBufferPointer, versions: ClosedRange<UInt8>
  ) throws(EventError) {
    var (reader, version) = try SyncProtocol.open(.request, bytes, versions)
    self.version = version
    zone = ZoneID(bytes: Array(try reader.take(16)))
    replica = try reader.replicaID()
    answerBytes = try reader.index()
    report = try KnowledgeReport(from: &reader)
    ranges = try RangeList(from: &reader, sender: replica).ranges
    try reader.end(of: "a request")
  }
}
