import DaybookEventCore
import DaybookFrames
import DaybookReplication
import Testing

/// News: the events that a peer sends without a request.
@Suite struct NewsTests {
  private let hub: MemoryReplica
  private let listener: MemoryReplica
  private let responder = SyncResponder()
  private var session = SyncSession()

  init() throws {
    hub = try MemoryReplica(seed: 9)
    listener = try MemoryReplica(seed: 1)
    try hub.write("first")
    try listener.write("own")
    _ = try sync(listener, with: hub, session: &session, responder: responder)
    #expect(listener.held == hub.held)
    responder.noted(hub.knowledge())
  }

  private func news(since digest: KnowledgeDigest, bytes: Int = 10_000) throws -> SyncResponse? {
    let news = try responder.news(since: digest, hub, bytes: bytes)
    // Encoded and decoded, as in transit.
    return try news?.encoded().withRawBytes { bytes throws(EventError) in
      try SyncResponse(decoding: bytes)
    }
  }

  private func isDone(_ session: inout SyncSession) throws -> Bool {
    if case .done = try session.next(listener) { true } else { false }
  }

  @Test("news that follows on the listener's events is stored without a request")
  mutating func followingNews() throws {
    for number in 0..<3 {
      let before = hub.knowledge().digest
      try hub.write("edit \(number)")
      let news = try #require(try news(since: before))
      #expect(try session.hear(news, listener))
      #expect(listener.held == hub.held)
      #expect(session.peerDigest == hub.knowledge().digest)
      #expect(try isDone(&session))
    }
    #expect(session.progress.eventsReceived == 5)
    // The listener's own events still go out in one exchange.
    try listener.write("answer")
    #expect(try sync(listener, with: hub, session: &session, responder: responder) == 1)
    #expect(listener.held == hub.held)
  }

  @Test("a session that is told of changes asks each time, however often there was nothing new")
  mutating func fruitlessAnnouncements() throws {
    for _ in 0..<10 {
      session.peerHasChanged()
      #expect(try sync(listener, with: hub, session: &session, responder: responder) == 1)
    }
    try hub.write("at last")
    session.peerHasChanged()
    #expect(try sync(listener, with: hub, session: &session, responder: responder) > 0)
    #expect(listener.held == hub.held)
  }

  @Test("a listener that missed news fetches the events in one exchange")
  mutating func missedNews() throws {
    try hub.write("missed")
    let before = hub.knowledge().digest
    responder.noted(hub.knowledge())
    try hub.write("heard")
    let news = try #require(try news(since: before))
    #expect(try !session.hear(news, listener))
    #expect(session.refusals.isEmpty)
    #expect(try sync(listener, with: hub, session: &session, responder: responder) == 1)
    #expect(listener.held == hub.held)
  }

  @Test("news of events that the listener holds changes nothing")
  mutating func oldNews() throws {
    let before = hub.knowledge().digest
    try hub.write("1")
    let first = try #require(try news(since: before))
    let between = hub.knowledge().digest
    try hub.write("2")
    let second = try #require(try news(since: between))
    session.peerHasChanged()
    _ = try sync(listener, with: hub, session: &session, responder: responder)
    let known = session.peerDigest
    for news in [first, second, first] { #expect(try session.hear(news, listener)) }
    #expect(session.peerDigest == known && listener.held == hub.held)
    #expect(try isDone(&session))
  }

  @Test("news with a wrong signature is not stored")
  mutating func wrongSignature() throws {
    let (before, held) = (hub.knowledge().digest, listener.held)
    try hub.write("edit")
    var news = try #require(try news(since: before))
    news.ranges[0].signature[0] ^= 1
    #expect(try !session.hear(news, listener))
    #expect(listener.held == held)
    _ = try sync(listener, with: hub, session: &session, responder: responder)
    #expect(listener.held == hub.held)
  }

  @Test("news of another zone is not stored")
  mutating func otherZone() throws {
    let (before, held) = (hub.knowledge().digest, listener.held)
    try hub.write("edit")
    var news = try #require(try news(since: before))
    news.zone = ZoneID(bytes: Array(repeating: 8, count: 16))
    #expect(try !session.hear(news, listener))
    #expect(listener.held == held)
  }

  @Test("a session before its first exchange does not use news, but asks")
  mutating func freshSession() throws {
    let before = hub.knowledge().digest
    try hub.write("edit")
    let news = try #require(try news(since: before))
    var fresh = SyncSession()
    #expect(try !fresh.hear(news, listener))
    #expect(try sync(listener, with: hub, session: &fresh, responder: responder) > 0)
    #expect(listener.held == hub.held)
  }

  @Test("no news is made for an unknown digest, or of more than the allowed bytes")
  func noNews() throws {
    let before = hub.knowledge().digest
    #expect(try news(since: before)?.ranges == [])
    for number in 0..<20 { try hub.write("edit \(number)") }
    #expect(try news(since: before, bytes: 500) == nil)
    #expect(try news(since: listener.knowledge().digest) != nil)
    #expect(try news(since: Knowledge().digest) == nil)
  }

  @Test("a responder makes news only for the last digests, which it remembers")
  func rememberedDigests() throws {
    let small = SyncResponder(rememberedMax: 2)
    var digests: [KnowledgeDigest] = []
    for number in 0..<4 {
      digests.append(hub.knowledge().digest)
      small.noted(hub.knowledge())
      try hub.write("edit \(number)")
    }
    #expect(try small.news(since: digests[0], hub, bytes: 10_000) == nil)
    #expect(try small.news(since: digests[3], hub, bytes: 10_000) != nil)
  }
}
