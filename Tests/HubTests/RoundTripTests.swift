import Daybook
import DaybookEventCore
import DaybookHubClient
import DaybookHubZone
import DaybookReplication
import Foundation
import Testing

@testable import DaybookHubServer

@Suite(.eachTransport) struct RoundTripTests {
  @Test("two stores that sync with a hub hold the same")
  func syncThroughHub() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let (a, b) = (
      try await place.store("a", title: "Oat milk"), try await place.store("b", title: "Bread")
    )
    try await place.withHub { hub in
      let first = try await a.syncOnce(with: place.client(hub, token))
      #expect(first.eventsSent == 2 && first.eventsReceived == 2 && first.refusals.isEmpty)
      try await b.syncOnce(with: place.client(hub, token))
      try await a.syncOnce(with: place.client(hub, token))
      #expect(try await place.titles(a) == ["Oat milk", "Bread"])
      #expect(try await place.titles(b) == ["Oat milk", "Bread"])
      #expect(try await a.digest() == b.digest())
      let again = try await a.syncOnce(with: place.client(hub, token))
      #expect(again.eventsSent == 0 && again.eventsReceived == 0 && again.exchanges == 1)
    }
    try await a.close()
    try await b.close()
  }

  @Test("events that are larger than a batch arrive whole, in several exchanges")
  func largeTransfer() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let a = try await place.store("a", title: "first")
    // Random bytes do not compress: 6 MB, more than one request and more than one answer.
    for round in 0..<6 {
      try await a.write { tx in
        for i in 0..<10 {
          let bytes = Random.bytes(50_000)
          try tx.insert("notes", "n\(round)-\(i)", ["title": .text(Hex.encode(bytes))])
        }
      }
    }
    let b = try await place.store("b")
    try await place.withHub { hub in
      let sent = try await a.syncOnce(with: place.client(hub, token))
      #expect(sent.exchanges > 1)
      try await b.syncOnce(with: place.client(hub, token))
    }
    #expect(try await a.digest() == b.digest())
    try await a.close()
    try await b.close()
  }

  @Test("a hub that is started again serves the events that it had")
  func restartedHub() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let (a, b) = (try await place.store("a", title: "1"), try await place.store("b"))
    try await place.withHub { hub in try await a.syncOnce(with: place.client(hub, token)) }
    try await place.withHub { hub in
      let report = try await b.syncOnce(with: place.client(hub, token))
      #expect(report.eventsSent == 0 && report.eventsReceived == 4)
    }
    #expect(try await a.digest() == b.digest())
    try await a.close()
    try await b.close()
  }

  @Test("an idle zone is closed, and the next exchange opens it again")
  func idleZones() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let metrics = MetricsRegistry()
    let token = try place.token()
    let a = try await place.store("a", title: "1")
    try await place.withHub(
      options: HubPlace.options {
        $0.metrics = metrics
        $0.limits.zoneIdle = .milliseconds(1)
        $0.limits.heartbeat = .milliseconds(20)
      }
    ) { hub in
      try await a.syncOnce(with: place.client(hub, token))
      #expect(
        try await eventually { metrics.text.contains("daybook_hub_zones_open 0\n") })
      try await a.write { tx in try tx.update("notes", "a", ["title": .text("2")]) }
      let report = try await a.syncOnce(with: place.client(hub, token))
      #expect(report.eventsSent == 1 && report.eventsReceived == 1)
    }
    try await a.close()
  }

  @Test("more zones than may be open at once are all served")
  func zonesOverLimit() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    try await place.withHub(options: HubPlace.options { $0.limits.zonesOpenMax = 2 }) { hub in
      for i in 0..<5 {
        let token = try place.token("zone-\(i)")
        let store = try await place.store("s\(i)", title: "\(i)")
        let report = try await store.syncOnce(with: place.client(hub, zone: "zone-\(i)", token))
        #expect(report.eventsSent == 2)
        try await store.close()
      }
    }
  }

  @Test("a hub whose disk is lost is refilled by its clients")
  func refilledHub() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let old = place.hubFolder
    let token = try place.token()
    let (a, b) = (try await place.store("a", title: "1"), try await place.store("b"))
    let zone = try await place.withHub { hub in
      let zone = try await a.syncOnce(with: place.client(hub, token)).zone
      try await b.syncOnce(with: place.client(hub, token))
      return zone
    }
    // Only a copy of the authority's key and the zone's id are left.
    let new = HubFolder(place.folder.appending(path: "hub-2"))
    try FileManager.default.createDirectory(at: new.url, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: old.authorityPath, toPath: new.authorityPath)
    try FileManager.default.removeItem(at: old.url)
    #expect(try new.createZone(ZoneName(argument: "team"), id: zone) == zone)
    let next = try place.token(in: new)
    try await b.write { tx in try tx.update("notes", "a", ["title": .text("2")]) }
    try await place.withHub(new) { hub in
      let refill = try await b.syncOnce(with: place.client(hub, next))
      #expect(refill.refusals.isEmpty && refill.eventsSent == 6)
      try await a.syncOnce(with: place.client(hub, next))
    }
    #expect(try await a.digest() == b.digest())
    #expect(try await place.titles(a) == ["2"])
    try await a.close()
    try await b.close()
  }

  @Test("a hub whose authority's key is missing does not start")
  func missingAuthority() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    _ = try place.token()
    try FileManager.default.removeItem(atPath: place.hubFolder.authorityPath)
    await #expect { try await place.withHub { _ in } } throws: {
      ($0 as? HubError)?.code == .damaged
    }
  }

  @Test("a folder is served by one hub at a time")
  func oneHubPerFolder() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    try await place.withHub { _ in
      await #expect { try await place.withHub { _ in } } throws: {
        ($0 as? HubError)?.code == .inUse
      }
    }
    // The folder is free once the hub has stopped.
    try await place.withHub { _ in }
  }

  @Test("a hundred clients that sync at once end with the same state")
  func hundredClients() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let founder = try await place.store("founder", title: "first")
    try await place.withHub { hub in
      try await founder.syncOnce(with: place.client(hub, token))
      let stores = Box<[Store]>([])
      try await withThrowingTaskGroup(of: Void.self) { group in
        for i in 0..<100 {
          group.addTask {
            let store = try await place.store("s\(i)")
            stores.change { $0.append(store) }
            let client = try place.client(hub, token)
            try await store.syncOnce(with: client)
            try await store.write { tx in
              try tx.insert("notes", "n\(i)", ["title": .text("\(i)")])
            }
            try await store.syncOnce(with: client)
          }
        }
        try await group.waitForAll()
      }
      // All stores have pushed. Now every tenth of them pulls.
      let expected = try await {
        try await founder.syncOnce(with: place.client(hub, token))
        return try await founder.digest()
      }()
      #expect(try await place.titles(founder).count == 101)
      for (i, store) in stores.value.enumerated() {
        if i.isMultiple(of: 10) {
          try await store.syncOnce(with: place.client(hub, token))
          #expect(try await store.digest() == expected)
        }
        try await store.close()
      }
    }
    try await founder.close()
  }
}
