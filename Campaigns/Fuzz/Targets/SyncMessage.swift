import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import DaybookReplication

extension FuzzTarget {
  /// Requests and responses of the sync protocol, and whether a replica takes their ranges.
  ///
  /// The checksum is corrected unless the first byte is odd.
  static let syncMessage = FuzzTarget("sync-message") {
    let author = try Identity(seed: [UInt8](repeating: 4, count: 32))
    let (range, chain) = try SyncSample.range(author)
    var beyond = range
    beyond.chainBefore = .zero
    beyond.first = 40
    var knowledge = Knowledge()
    knowledge.insert(.init(1...5, ChainTag(.zero)), of: author.id)
    knowledge.insert(.init(9...11, ChainTag(chain)), of: author.id)
    let reports: [KnowledgeReport] = [
      .digest(knowledge.digest), .sketch(knowledge.sums), .full(knowledge),
    ]
    return reports.flatMap { report -> [[UInt8]] in
      let request = SyncRequest(
        zone: SyncSample.zone, replica: author.id, answerBytes: 1 << 20, report: report,
        ranges: [range, beyond])
      let response = SyncResponse(
        zone: SyncSample.zone, replica: author.id, hasMore: true, report: report,
        refusals: [
          RangeRefusal(.fork, EventID(author.id, 3), tag: ChainTag(.zero)),
          RangeRefusal(.gap, EventID(author.id, 9)),
        ], ranges: [range])
      return [[0] + request.encoded(), [0] + response.encoded()]
    }
  } check: { bytes in
    var input = FuzzInput(bytes)
    let isMended = input.byte() & 1 == 0
    var message = Array(input.rest())
    if isMended, message.count > 4 {
      Mending.sum(&message, 0..<message.count - 4, at: message.count - 4)
    }
    try message.withUnsafeBytes(SyncSample.check)
  }
}

/// The zone and the ranges of sync targets, and an empty replica that judges them.
enum SyncSample {
  static let zone = ZoneID(bytes: [UInt8](repeating: 6, count: 16))

  /// Returns the first events of an origin, signed, and the chain value after them.
  static func range(_ author: Identity) throws -> (EventRange, chainAfter: Hash256) {
    var builder = FrameBuilder(
      origin: author.id, firstSequence: 1, chainBefore: Chain(origin: author.id))
    try builder.append(
      EncodedEvent(
        Envelope(kind: .identity, authored: .zero),
        Body(operations: [.identity(IdentityClaim(author))])))
    for (number, body) in try SampleEvents.bodies().enumerated() {
      try builder.append(EncodedEvent(SampleEvents.envelopes[number % 2], body))
    }
    let frame = try builder.finish()
    let head = try Head(
      zone: zone.bytes, sequence: frame.header.lastSequence, chain: frame.header.chain, by: author)
    let range = EventRange(
      origin: author.id, first: 1, chainBefore: nil, frames: [.init(frame)], isZoneless: false,
      signature: head.signature)
    return (range, frame.header.chain)
  }

  static func check(_ bytes: UnsafeRawBufferPointer) throws {
    if let request = try decoded(bytes, { try SyncRequest(decoding: $0) }) {
      let again = try request.encoded().withUnsafeBytes { try SyncRequest(decoding: $0) }
      try require(again == request, "a request reads back as another")
      try judge(request.ranges)
    }
    if let response = try decoded(bytes, { try SyncResponse(decoding: $0) }) {
      let again = try response.encoded().withUnsafeBytes { try SyncResponse(decoding: $0) }
      try require(again == response, "a response reads back as another")
      try judge(response.ranges)
    }
  }

  static func decoded<T>(
    _ bytes: UnsafeRawBufferPointer, _ decode: (UnsafeRawBufferPointer) throws -> T
  ) throws -> T? {
    do { return try decode(bytes) } catch let error as EventError {
      try checkOffset(error, in: bytes)
      return nil
    }
  }

  /// Checks that a range taken from the origin's first event is signed and matches its chain.
  private static func judge(_ ranges: [EventRange]) throws {
    var check = RangeCheck(EmptyReplica(), knowledge: Knowledge())
    for range in ranges {
      guard case .take(let checked) = try check.judge(range) else { continue }
      var chain = Chain(origin: range.origin)
      for frame in checked.frames { chain = try frame.chain(from: chain) }
      guard checked.frames.first?.header.firstSequence == 1 else { continue }
      try require(
        chain.value == checked.head.chain && checked.claim?.replica == range.origin,
        "a range was taken that its origin has not signed")
    }
  }

  private final class EmptyReplica: ReplicaStorage {
    var replica: ReplicaID { ReplicaID(high: 0, low: 0) }
    var zone: ZoneID { SyncSample.zone }
    var takesGaps: Bool { true }
    var authority: [UInt8]? { nil }
    func knowledge() -> Knowledge { Knowledge() }
    func held(of origin: ReplicaID) -> SequenceRanges { SequenceRanges() }
    func chain(after event: EventID) -> Hash256? {
      event.sequence == 0 ? Chain(origin: event.origin).value : nil
    }
    func publicKey(of origin: ReplicaID) -> [UInt8]? { nil }
    func continues(_ origin: ReplicaID, at sequence: UInt64, after chain: Hash256) -> Bool { true }
    func range(
      of origin: ReplicaID, after sequence: UInt64, through limit: UInt64, hasGap: Bool
    ) -> EventRange? { nil }
    func store(_ ranges: [CheckedRange]) {}
    func adopt(_ zone: ZoneID) {}
  }
}
