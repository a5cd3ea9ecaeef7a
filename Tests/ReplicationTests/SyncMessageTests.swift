import EventCore
import Replication
import Testing

@Suite struct SyncMessageTests {
  /// Seed 3 of the first campaign: one bit off in the zone of an answer, and a store had adopted a zone
  /// that nobody else is in.
  @Test func messageWithAnyBitOffIsRefused() throws {
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

  private static func request(_ bytes: [UInt8]) throws {
    _ = try bytes.withUnsafeBytes { try SyncRequest(decoding: $0) }
  }

  private static func response(_ bytes: [UInt8]) throws {
    _ = try bytes.withUnsafeBytes { try SyncResponse(decoding: $0) }
  }
}
