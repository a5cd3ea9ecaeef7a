import Daybook
import DaybookHubClient
import DaybookReplication
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import DaybookHubServer

@Suite(.eachTransport) struct LiveTests {
  @Test("a listening client is told of a change")
  func changeToListener() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let a = try await place.store("a", title: "1")
    try await place.withHub { hub in
      try await a.syncOnce(with: place.client(hub, token))
      let listening = try place.client(hub, token)
      var changes = listening.changes().makeAsyncIterator()
      // The first item says that the client listens.
      #expect(try await changes.next() != nil)
      try await a.write { tx in try tx.update("notes", "a", ["title": .text("2")]) }
      try await a.syncOnce(with: place.client(hub, token))
      #expect(try await changes.next() != nil)
    }
    try await a.close()
  }

  @Test("a hundred listening clients are all told of a change")
  func manyListeners() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let a = try await place.store("a", title: "1")
    try await place.withHub { hub in
      let (ready, told) = (Box(0), Box(0))
      let client = try place.client(hub, token)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<100 {
          group.addTask {
            let own = try place.client(hub, token)
            var changes = own.changes().makeAsyncIterator()
            _ = try await changes.next()
            ready.change { $0 += 1 }
            _ = try await changes.next()
            told.change { $0 += 1 }
          }
        }
        #expect(try await eventually { ready.value == 100 })
        try await a.syncOnce(with: client)
        try await group.waitForAll()
      }
      #expect(told.value == 100)
    }
    try await a.close()
  }

  @Test("the stream has heartbeats, and the digest with each change")
  func streamContents() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let a = try await place.store("a", title: "1")
    try await place.withHub(options: HubPlace.options { $0.limits.heartbeat = .milliseconds(20) }) {
      hub in
      let stream = try await RawConnection.changes(hub, token)
      let seen = stream.received
      #expect(try await eventually { seen.value.contains(": here\n\n") })
      try await a.syncOnce(with: place.client(hub, token))
      #expect(
        try await eventually { seen.value.components(separatedBy: "event: change").count >= 3 })
      #expect(seen.value.lowercased().contains("content-type: text/event-stream\r\n"))
      try await stream.channel.close().get()
      try await hub.stop()
      let digest = try place.digest()
      #expect(seen.value.contains("event: change\ndata: {\"digest\":\"\(digest)\"}\n\n"))
    }
    try await a.close()
  }

  @Test("a hub that stops ends its streams of changes")
  func streamsOnStop() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    try await place.withHub { hub in
      let client = try place.client(hub, token)
      var changes = client.changes().makeAsyncIterator()
      #expect(try await changes.next() != nil)
      try await hub.stop()
      #expect(try await changes.next() == nil)
    }
  }

  @Test("the stream of a revoked token ends, and the token opens no other")
  func revokedToken() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let issued = try place.issue()
    try await place.withHub(options: HubPlace.options { $0.limits.heartbeat = .milliseconds(20) }) {
      hub in
      let client = try place.client(hub, issued.text)
      var changes = client.changes().makeAsyncIterator()
      #expect(try await changes.next() != nil)
      try TokenFile(place.hubFolder).revoke(issued.token.id)
      #expect(try await changes.next() == nil)
      var again = client.changes().makeAsyncIterator()
      await #expect { try await again.next() } throws: {
        ($0 as? SyncError)?.code == .unauthorized
      }
    }
  }

  @Test("a client that disconnects is no longer counted as listening")
  func disconnectedClient() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let metrics = MetricsRegistry()
    let options = HubPlace.options {
      $0.metrics = metrics
      // No heartbeat that could fail is sent meanwhile.
      $0.limits.heartbeat = .seconds(3600)
    }
    try await place.withHub(options: options) { hub in
      let listening = Task {
        let client = try place.client(hub, token)
        for try await _ in client.changes() {}
      }
      let gauge = "daybook_hub_live_clients{zone=\"team\"}"
      let isListed = try await eventually { metrics.text.contains("\(gauge) 1\n") }
      #expect(isListed)
      listening.cancel()
      _ = await listening.result
      #expect(try await eventually { metrics.text.contains("\(gauge) 0\n") })
    }
  }

  @Test("a client over the limit of listeners is refused, with a time to retry")
  func tooManyListeners() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    try await place.withHub(options: HubPlace.options { $0.limits.liveClientsMax = 1 }) { hub in
      let first = try place.client(hub, token)
      var changes = first.changes().makeAsyncIterator()
      #expect(try await changes.next() != nil)
      let url = "\(hub.address)/v1/zones/team/changes"
      let answer = try await Raw.send(.GET, url, token: token)
      #expect(answer.status == 503 && answer.code == "tooManyClients")
      #expect(answer.headers.first(name: "retry-after") != nil)
    }
  }
}

@Suite struct ChangeFeedTests {
  @Test("frequent changes wake a listener only a few times")
  func gatheredChanges() async throws {
    let feed = ZoneNews(spacing: .milliseconds(20))
    let listeners = (0..<10).map { _ in feed.listen() }
    var knowledge = Knowledge()
    let tag = ChainTag(.zero)
    for i in 1...50 {
      knowledge.insert(.init(1...UInt64(i), tag), of: ReplicaID(high: 1, low: 1))
      feed.publish(knowledge.digest)
      try await Task.sleep(for: .milliseconds(2))
    }
    let last = knowledge.digest
    let counted = Task {
      var count = 0
      for await _ in listeners[0].wakes {
        count += 1
        if feed.latest == last { break }
      }
      return count
    }
    #expect(await counted.value <= 3)
    #expect(feed.latest == last)
  }

  @Test("a digest that is published twice wakes a listener once")
  func sameDigest() async throws {
    let feed = ZoneNews(spacing: .zero)
    let (id, wakes, _) = feed.listen()
    feed.publish(Knowledge().digest)
    var iterator = wakes.makeAsyncIterator()
    #expect(await iterator.next() != nil)
    feed.publish(Knowledge().digest)
    feed.forget(id)
    #expect(await iterator.next() == nil)
  }
}
