import DaybookEventCore
import DaybookFrames
import DaybookReplication
import Testing

/// The limits of what a message may cost its reader.
@Suite struct MessageLimitTests {
  private let author: MemoryReplica
  private let other: MemoryReplica

  init() throws {
    author = try MemoryReplica(seed: 1)
    other = try MemoryReplica(seed: 2)
    try author.write("x")
  }

  private func origin(_ number: Int) -> ReplicaID { ReplicaID(high: UInt64(number), low: 7) }

  /// Returns a frame of one event of a few bytes, which may claim any raw length.
  private func frame(rawLength: Int = 4) throws -> EventRange.Packed {
    let range = try #require(
      try author.range(of: author.replica, after: 0, through: 1, hasGap: false))
    var frame = range.frames[0]
    frame.rawLength = rawLength
    frame.stored = [1, 2, 3, 4]
    return frame
  }

  private func range(_ number: Int, _ frames: [EventRange.Packed]) -> EventRange {
    EventRange(
      origin: origin(number), first: 1, chainBefore: nil, frames: frames, isZoneless: false,
      signature: Array(repeating: 0, count: 64))
  }

  private func request(_ ranges: [EventRange], _ known: Knowledge = Knowledge()) -> SyncRequest {
    SyncRequest(
      zone: MemoryReplica.zone, replica: author.replica, answerBytes: 1000,
      report: .full(known), ranges: ranges)
  }

  private func code(_ request: SyncRequest) -> EventError.Code? {
    do {
      _ = try request.encoded().withUnsafeBytes { try SyncRequest(decoding: $0) }
      return nil
    } catch {
      return (error as? EventError)?.code
    }
  }

  @Test("a message with too many ranges or frames is refused")
  func rangesAndFrames() throws {
    let frame = try frame()
    let most = (0..<SyncProtocol.rangesMax).map { range($0, [frame]) }
    #expect(code(request(most)) == nil)
    #expect(code(request(most + [range(-1 & 0xFFFFFF, [frame])])) == .tooLarge)
    let frames = Array(repeating: frame, count: SyncProtocol.framesMax)
    #expect(code(request([range(1, frames)])) == nil)
    #expect(code(request([range(1, frames + [frame])])) == .tooLarge)
    #expect(code(request([range(1, frames), range(2, [frame])])) == .tooLarge)
  }

  @Test("a message whose frames decompress to too many bytes is refused")
  func rawBytes() throws {
    let large = try frame(rawLength: Frame.rawLengthMax)
    let count = SyncProtocol.rawBytesMax / Frame.rawLengthMax
    #expect(code(request([range(1, Array(repeating: large, count: count))])) == nil)
    #expect(code(request([range(1, Array(repeating: large, count: count + 1))])) == .tooLarge)
    // A sender counts raw bytes too, and so fills no message with too many.
    #expect(range(1, [large]).size > 100 * range(1, [try frame()]).size)
  }

  @Test("a message or a file of a shared folder with too many events is refused")
  func eventCount() throws {
    func events(_ count: Int) throws -> EventRange.Packed {
      var frame = try frame(rawLength: count)
      frame.count = count
      return frame
    }
    let half = try events(SyncProtocol.eventsMax / 2)
    #expect(code(request([range(1, [half]), range(2, [half])])) == nil)
    #expect(code(request([range(1, [half]), range(2, [half, try events(1)])])) == .tooLarge)
    // A file of a shared folder has the same bound.
    var large = range(1, [half, half, try events(1)])
    large.chainBefore = .zero
    let file = FolderFile(
      zone: MemoryReplica.zone, writer: author.replica, ranges: [large], chainAfter: .zero)
    #expect(throws: EventError.self) {
      try file.encoded().withUnsafeBytes { try FolderFile(decoding: $0) }
    }
  }

  @Test("ranges that are known already are refused beyond a limit for each request")
  func knownRanges() throws {
    let held = try #require(
      try author.range(of: author.replica, after: 0, through: 2, hasGap: false))
    _ = try SyncResponder().respond(to: request([held]), other)
    #expect(other.held == author.held)
    let ranges = Array(repeating: held, count: SyncProtocol.knownMax)
    #expect(try SyncResponder().respond(to: request(ranges), other).refusals.isEmpty)
    let refusals = try SyncResponder().respond(to: request(ranges + ranges), other).refusals
    #expect(refusals.map(\.code) == [.tooMuch])
  }

  @Test("a report names a bounded number of runs beyond gaps")
  func runsBeyondGaps() throws {
    func knowledge(runs: Int) -> Knowledge {
      var knowledge = Knowledge()
      for run in 0..<runs {
        let sequence = UInt64(run) * 2 + 2
        knowledge.insert(.init(sequence...sequence, ChainTag(.zero)), of: origin(1))
      }
      return knowledge
    }
    // The report leaves further runs out, so that peers offer their events again.
    let bytes = try request([], knowledge(runs: SyncProtocol.runsMax + 5)).encoded()
    let read = try bytes.withUnsafeBytes { try SyncRequest(decoding: $0) }
    guard case .entries(_, let known) = read.report else {
      Issue.record("no entries")
      return
    }
    #expect(known[origin(1)]?.runs.count == SyncProtocol.runsMax)
  }

  @Test("ranges after the maximum of refusals are refused without a check")
  func manyRefusals() throws {
    let frame = try #require(
      try author.range(of: author.replica, after: 0, through: 1, hasGap: false)
    ).frames[0]
    let ranges = (0..<SyncProtocol.refusalsMax + 40).map { range($0, [frame]) }
    let response = try SyncResponder().respond(to: request(ranges), other)
    let codes = response.refusals.map(\.code)
    #expect(codes.prefix(SyncProtocol.refusalsMax).allSatisfy { $0 == .badSignature })
    #expect(codes.dropFirst(SyncProtocol.refusalsMax).allSatisfy { $0 == .tooMuch })
    #expect(codes.count == ranges.count && other.events.isEmpty)
  }

  /// Returns another replica's refusal of a range whose second event is `event`; nil if it takes
  /// it.
  private func refusal(of event: EncodedEvent) throws -> RangeRefusal? {
    let identity = try Identity(seed: Array(repeating: 9, count: 32))
    let claim = EncodedEvent(
      Envelope(kind: .identity, authored: HybridTime(milliseconds: 1)),
      Body(operations: [.identity(IdentityClaim(identity))]))
    let frame = try Frame(
      origin: identity.id, firstSequence: 1, events: [claim, event],
      chainBefore: Chain(origin: identity.id))
    let head = try Head(
      zone: other.zone.bytes, sequence: 2, chain: frame.header.chain, by: identity)
    let range = EventRange(
      origin: identity.id, first: 1, chainBefore: nil, frames: [.init(frame)],
      isZoneless: false, signature: head.signature)
    var check = RangeCheck(other, knowledge: other.knowledge())
    guard case .refuse(let refusal) = try check.judge(range) else { return nil }
    return refusal
  }

  @Test("an identity or stamps event over the limit of its bytes is malformed")
  func controlEvents() throws {
    func refusal(_ kind: Envelope.Kind, _ bytes: Int) throws -> RangeRefusal? {
      let envelope = Envelope(kind: kind, authored: HybridTime(milliseconds: 2))
      return try self.refusal(
        of: EncodedEvent(
          envelope: envelope.encoded(), body: .present(Array(repeating: 0, count: bytes))))
    }
    for kind in [Envelope.Kind.identity, .stamps] {
      #expect(try refusal(kind, SyncProtocol.controlBytesMax) == nil)
      let over = try refusal(kind, SyncProtocol.controlBytesMax + 1)
      #expect(over?.code == .malformed)
      #expect(over.map { "\($0)".contains("the body of event 2") } == true)
    }
    #expect(try refusal(.transaction, SyncProtocol.controlBytesMax + 1) == nil)
  }

  @Test("a context that names too many origins is malformed, so its author splits it")
  func contextOrigins() throws {
    func refusal(naming count: Int) throws -> RangeRefusal? {
      let seen = ContextDelta((1...count).map { .init(origin: .new(origin($0)), by: 1) })
      return try self.refusal(
        of: EncodedEvent(
          Envelope(
            kind: .transaction, authored: HybridTime(milliseconds: 2),
            context: seen), Body(operations: [])))
    }
    #expect(try refusal(naming: SyncProtocol.contextAdvancesMax) == nil)
    // The author's next events name the other origins.
    let vector = VersionVector(
      (1...SyncProtocol.contextAdvancesMax + 1).map { (origin($0), UInt64(1)) })
    var context = CausalContext(author: author.replica)
    for left in [SyncProtocol.contextAdvancesMax, 1, 0] {
      let delta = context.delta(to: vector)
      #expect(delta.advances.count == left)
      try context.apply(delta)
    }
    let over = try refusal(naming: SyncProtocol.contextAdvancesMax + 1)
    #expect(over?.code == .malformed)
    #expect(over.map { "\($0)".contains("names too many origins") } == true)
  }
}
