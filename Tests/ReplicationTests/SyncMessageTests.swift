import DaybookEventCore
import DaybookReplication
import Testing

@Suite struct SyncMessageTests {
  /// Found by seed 3 of the first campaign: after one flipped bit in an answer's zone, a store had
  /// adopted a zone that has no other store.
  @Test("a message with a flipped bit and a request that is cut are refused")
  func flippedBits() throws {
    let zone = ZoneID(bytes: Array(repeating: 5, count: 16))
    let replica = ReplicaID(high: 7, low: 9)
    let report = KnowledgeReport.entries(mask: .max, Knowledge())
    let request = SyncRequest(
      zone: zone, replica: replica, answerBytes: 100, report: report, ranges: []
    ).encoded()
    let response = SyncResponse(zone: zone, replica: replica, report: report).encoded()
    #expect(throws: Never.self) { try Self.request(request) }
    #expect(throws: Never.self) { try Self.response(response) }
    for bit in 0..<request.count * 8 {
      var spoiled = request
      spoiled[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: EventError.self) { try Self.request(spoiled) }
    }
    for bit in 0..<response.count * 8 {
      var spoiled = response
      spoiled[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: EventError.self) { try Self.response(spoiled) }
    }
    for count in 0..<request.count {
      #expect(throws: EventError.self) { try Self.request(Array(request.prefix(count))) }
    }
  }

  @Test("a range of the message's sender is encoded without its origin")
  func rangeOfSender() throws {
    let author = try MemoryReplica(seed: 1)
    try author.write("edit")
    let range = try #require(
      try author.range(of: author.replica, after: 0, through: 2, hasGap: false))
    func message(from sender: ReplicaID) -> SyncRequest {
      SyncRequest(
        zone: .none, replica: sender, answerBytes: 0, report: .digest(Knowledge().digest),
        ranges: [range])
    }
    let (own, relayed) = (
      message(from: author.replica), message(from: ReplicaID(high: 1, low: 1))
    )
    #expect(own.encoded().count == relayed.encoded().count - 16)
    for message in [own, relayed] {
      let read = try message.encoded().withUnsafeBytes { try SyncRequest(decoding: $0) }
      #expect(read == message)
    }
    // A range has one encoding, and outside of a message it has no sender.
    var (named, unnamed) = (ByteWriter(), ByteWriter())
    range.encode(to: &named)
    range.encode(to: &unnamed, sender: author.replica)
    for (bytes, sender) in [(named.bytes, author.replica), (unnamed.bytes, nil)] {
      #expect(throws: EventError.self) {
        try bytes.withRawBytes { bytes throws(EventError) in
          var reader = ByteReader(bytes)
          _ = try EventRange(from: &reader, sender: sender)
        }
      }
    }
  }

  private static func request(_ bytes: [UInt8]) throws {
    _ = try bytes.withUnsafeBytes { try SyncRequest(decoding: $0) }
  }

  private static func response(_ bytes: [UInt8]) throws {
    _ = try bytes.withUnsafeBytes { try SyncResponse(decoding: $0) }
  }
}
