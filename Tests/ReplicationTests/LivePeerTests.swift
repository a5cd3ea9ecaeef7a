import DaybookReplication
import DaybookSimulation
import Testing

/// A schedule and its peer, in simulated time.
private struct LivePeerRun {
  /// What a peer does.
  struct Peer: Sendable {
    enum Exchange {
      case moves(UInt64)
      case fails(retryAfter: Duration?)
    }
    enum Stream {
      /// Nothing is told before the end.
      case refused(after: Duration, retryAfter: Duration?)
      /// Something is told at once, and then at each interval until the end.
      case tells(every: Duration?, endsAfter: Duration?)
    }
    var exchange: @Sendable (_ number: Int) -> Exchange = { _ in .moves(0) }
    var stream: @Sendable (_ number: Int) -> Stream = { _ in .tells(every: nil, endsAfter: nil) }
  }

  static let options = LivePeer.Options(
    firstRetry: .milliseconds(500), lastRetry: .seconds(300), interval: .seconds(30))

  var live: LivePeer
  var peer: Peer
  var now = Duration.zero
  private(set) var exchanges: [Duration] = []
  private(set) var listens: [Duration] = []
  private(set) var hangUps = 0
  private var events: [Event] = []

  private struct Event {
    var time: Duration
    /// The time after which it happens again, until the end.
    var repeats: (every: Duration, until: Duration)?
    var body: (inout LivePeer, Duration) -> Void
  }

  init(_ peer: Peer, seed: UInt64, listens: Bool = true) {
    self.peer = peer
    live = LivePeer(Self.options, listens: listens, at: .zero, random: SplitMix64(seed: seed))
  }

  /// The times of all requests, in order.
  var requests: [Duration] { (exchanges + listens).sorted() }

  /// The most requests within a minute.
  var rush: Int {
    let all = requests
    return all.indices.map { first in
      all[first...].prefix { $0 < all[first] + .seconds(60) }.count
    }.max() ?? 0
  }

  mutating func at(_ time: Duration, _ body: @escaping (inout LivePeer, Duration) -> Void) {
    events.append(Event(time: time, body: body))
  }

  mutating func run(until end: Duration) {
    while now < end {
      switch live.next(at: now) {
      case .sync:
        exchanges.append(now)
        let outcome = peer.exchange(exchanges.count)
        runEvents(until: now + .milliseconds(20))
        switch outcome {
        case .moves(let events): live.synced(requests: 1, events: events, at: now)
        case .fails(let time): live.failed(retryAfter: time, at: now)
        }
      case .listen(let number):
        listens.append(now)
        open(number)
      case .hangUp: hangUps += 1
      case .pause(let time):
        let next = events.map(\.time).min()
        runEvents(until: min([time, next].compactMap(\.self).min() ?? end, end))
      }
    }
  }

  /// Lets a stream tell and end as the peer does.
  private mutating func open(_ number: Int) {
    switch peer.stream(listens.count) {
    case .refused(let after, let retry):
      at(now + after) { _ = $0.streamEnded(number, retryAfter: retry, at: $1) }
    case .tells(let interval, let life):
      at(now + .milliseconds(1)) { $0.told(number, at: $1) }
      if let interval {
        events.append(
          Event(
            time: now + interval, repeats: (interval, now + (life ?? .seconds(3600))),
            body: { $0.told(number, at: $1) }))
      }
      guard let life else { return }
      at(now + life) { _ = $0.streamEnded(number, retryAfter: nil, at: $1) }
    }
  }

  /// Goes on in time, with all that happens meanwhile.
  private mutating func runEvents(until time: Duration) {
    let due = events.filter { $0.time <= time }.sorted { $0.time < $1.time }
    events.removeAll { $0.time <= time }
    for event in due {
      now = max(now, event.time)
      event.body(&live, now)
      guard let repeats = event.repeats, event.time + repeats.every < repeats.until else {
        continue
      }
      var next = event
      next.time += repeats.every
      events.append(next)
    }
    now = max(now, time)
  }
}

@Suite struct LivePeerTests {
  private typealias Peer = LivePeerRun.Peer

  /// Every kind of answer that has kept a client busy, and more.
  private static let awkward: [(name: String, peer: Peer)] = [
    (
      "a stream that is refused at once",
      Peer(stream: { _ in .refused(after: .zero, retryAfter: nil) })
    ),
    (
      "a page instead of a stream",
      Peer(stream: { _ in .refused(after: .milliseconds(20), retryAfter: nil) })
    ),
    (
      "a stream that is refused for no time at all",
      Peer(stream: { _ in .refused(after: .zero, retryAfter: .zero) })
    ),
    (
      "a stream that is refused for ever",
      Peer(stream: { _ in .refused(after: .zero, retryAfter: .seconds(1 << 32)) })
    ),
    (
      "a stream that ends when it has told something",
      Peer(stream: { _ in .tells(every: nil, endsAfter: .milliseconds(2)) })
    ),
    (
      "a stream that a proxy ends after a second",
      Peer(stream: { _ in .tells(every: nil, endsAfter: .seconds(1)) })
    ),
    (
      "a stream that tells all the time what comes to nothing",
      Peer(stream: { _ in .tells(every: .milliseconds(100), endsAfter: .seconds(600)) })
    ),
    ("a peer that is gone", Peer(exchange: { _ in .fails(retryAfter: nil) })),
    ("a peer that asks to come back at once", Peer(exchange: { _ in .fails(retryAfter: .zero) })),
    (
      "a peer that comes and goes, and refuses streams",
      Peer(
        exchange: { $0 % 2 == 0 ? .moves(0) : .fails(retryAfter: nil) },
        stream: { _ in .refused(after: .zero, retryAfter: nil) })
    ),
  ]

  @Test("whatever a peer answers, requests come with pauses")
  func pauses() {
    for (name, peer) in Self.awkward {
      for seed in 1...20 as ClosedRange<UInt64> {
        var run = LivePeerRun(peer, seed: seed)
        run.run(until: .seconds(3600))
        #expect(run.rush <= 70, "\(name), seed \(seed)")
        // The pauses of announcements that come to nothing stay short, because one may be of use.
        // A peer that comes and goes is asked again soon each time that it was there.
        let most =
          name.contains("all the time") ? 3000 : name.contains("comes and goes") ? 1300 : 700
        #expect(run.requests.count <= most, "\(name), seed \(seed)")
        #expect(run.requests.count >= 8, "\(name), seed \(seed)")
      }
    }
  }

  @Test("a peer to which nobody can listen is asked at each interval")
  func askedInstead() {
    for (name, peer) in Self.awkward where name.contains("refused") {
      var run = LivePeerRun(peer, seed: 7)
      run.run(until: .seconds(3600))
      let gaps = zip(run.exchanges, run.exchanges.dropFirst()).map { $1 - $0 }
      #expect(gaps.max() ?? .zero <= .seconds(31), "\(name)")
    }
  }

  @Test("a peer that answers well again is listened to soon, whatever it did before")
  func recovery() {
    for (name, peer) in Self.awkward {
      for seed in 1...20 as ClosedRange<UInt64> {
        var run = LivePeerRun(peer, seed: seed)
        run.run(until: .seconds(1800))
        run.peer = Peer()
        // The longest pauses are one and a half times the mean.
        run.run(until: .seconds(1800 + 450 + 60 + 700))
        #expect(run.live.isListening, "\(name), seed \(seed)")
        #expect(run.live.failures == 0 && run.live.streamFailures <= 60, "\(name), seed \(seed)")
      }
    }
  }

  @Test("a local event is sent at once, though the stream is refused")
  func localEvent() {
    for (name, peer) in Self.awkward where name.contains("stream") && !name.contains("comes") {
      var run = LivePeerRun(peer, seed: 3)
      run.run(until: .seconds(600))
      let moment = run.now + .milliseconds(700)
      run.at(moment) { live, _ in live.wrote() }
      run.run(until: moment + .seconds(1))
      let isPrompt = run.exchanges.contains { (moment...moment + .milliseconds(20)).contains($0) }
      #expect(isPrompt, "\(name)")
    }
  }

  @Test("a local event waits for the pause after a failure, and somebody who asks does not")
  func askedNow() {
    var run = LivePeerRun(Peer(exchange: { _ in .fails(retryAfter: nil) }), seed: 5)
    run.run(until: .seconds(1200))
    let count = run.exchanges.count
    let moment = run.now + .milliseconds(1)
    run.at(moment) { live, _ in live.wrote() }
    run.run(until: moment + .milliseconds(100))
    #expect(run.exchanges.count == count)
    run.at(run.now) { live, now in live.askNow(at: now) }
    run.run(until: run.now + .milliseconds(100))
    #expect(run.exchanges.count == count + 1)
  }

  @Test("somebody who asks during an exchange is heard after it")
  func askedMeanwhile() {
    var run = LivePeerRun(Peer(), seed: 5)
    run.at(.milliseconds(10)) { live, now in live.askNow(at: now) }
    run.run(until: .seconds(1))
    #expect(run.exchanges.filter { $0 < .seconds(1) }.count >= 2)
  }

  @Test("the pause that a peer asks for is kept, up to the largest")
  func retryAfter() {
    var run = LivePeerRun(
      Peer(exchange: { $0 == 1 ? .fails(retryAfter: .seconds(20)) : .moves(0) }), seed: 5)
    run.run(until: .seconds(60))
    #expect(run.exchanges.count >= 2 && run.exchanges[1] >= .seconds(20))
    run = LivePeerRun(
      Peer(exchange: { $0 == 1 ? .fails(retryAfter: .seconds(1 << 40)) : .moves(0) }), seed: 5)
    run.run(until: .seconds(460))
    #expect(run.exchanges.count >= 2)
  }

  /// Found by strangers: an old stream ended after the next had begun, and the client believed for
  /// ever that it was listening.
  @Test("the late end of an earlier stream changes nothing")
  func lateEnd() {
    var live = LivePeer(
      LivePeerRun.options, listens: true, at: .zero, random: SplitMix64(seed: 1))
    func expect(_ step: LivePeer.Step, at time: Duration) {
      let next = live.next(at: time)
      #expect(next == step)
      if case .sync = step { live.synced(requests: 1, events: 0, at: time) }
    }
    expect(.sync(asks: true), at: .zero)
    expect(.listen(1), at: .zero)
    live.pause()
    expect(.hangUp, at: .zero)
    live.resume(at: .zero)
    expect(.sync(asks: true), at: .zero)
    expect(.listen(2), at: .zero)
    let endedFirst = live.streamEnded(1, retryAfter: nil, at: .zero)
    live.told(1, at: .zero)
    #expect(!endedFirst && !live.isListening)
    live.told(2, at: .zero)
    #expect(live.isListening)
    // One that ends before anybody looks is followed by another.
    let endedSecond = live.streamEnded(2, retryAfter: nil, at: .zero)
    #expect(endedSecond)
    expect(.sync(asks: true), at: .seconds(1))
    expect(.listen(3), at: .seconds(1))
  }

  @Test("a paused schedule hangs up and does nothing")
  func paused() {
    var run = LivePeerRun(Peer(), seed: 2)
    run.run(until: .seconds(10))
    run.at(.seconds(11)) { live, _ in live.pause() }
    run.at(.seconds(12)) { live, _ in live.wrote() }
    run.run(until: .seconds(1000))
    #expect(run.hangUps == 1 && (run.requests.last ?? .zero) < .seconds(12))
    run.at(run.now) { live, now in live.resume(at: now) }
    run.run(until: run.now + .seconds(1))
    #expect(run.live.isListening && run.requests.contains { $0 >= .seconds(1000) })
  }

  @Test("clients that lose a hub together do not come back together")
  func jitter() {
    let times = (1...100 as ClosedRange<UInt64>).map { seed in
      var run = LivePeerRun(
        Peer(exchange: { $0 < 6 ? .fails(retryAfter: nil) : .moves(0) }), seed: seed)
      run.run(until: .seconds(120))
      return run.exchanges[5]
    }
    let tenths = Set(times.map { Int($0 / .milliseconds(100)) })
    #expect(tenths.count >= 40)
  }
}
