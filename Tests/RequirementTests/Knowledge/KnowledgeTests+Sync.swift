#if Macros
  import Daybook
  import Foundation
  import Testing

  /// Syncs, and what an app shows of them.
  extension KnowledgeTests {
    @Test("K12: the state of a sync has what the peer may lack, its failures and the last error")
    func syncState() async throws {
      let place = try Place()
      defer { place.remove() }
      let (here, there) = (
        try await place.open("a", Knowledge.schema), try await place.open("b", Knowledge.schema)
      )
      let network = Network(to: StorePeer(there), failures: nil)
      let sync = here.sync(with: network, options: .quick)
      let before = sync.state.unacknowledged
      for name in ["a", "b"] { try await here.write { try $0.insert(Node(name: name)) } }
      let failed = try #require(await sync.state { $0.failures >= 3 })
      #expect(failed.phase == .offline && failed.problem == "the network is down")
      #expect(failed.cure == "Switch it on" && failed.lastSuccess == nil)
      #expect(sync.state.unacknowledged == before + 2 && before > 0)
      network.restore()
      sync.syncNow()
      let done = try #require(await sync.state { $0.phase == .idle })
      #expect(done.failures == 0 && done.problem == nil && done.unacknowledged == 0)
      #expect(done.lastSuccess != nil)
      await sync.stop()
      // Conflicts are counted by the list of them.
      let node = try #require(try await here.fetchOne(Node.all)).id
      for (device, name) in [(here, "mine"), (there, "yours")] {
        try await device.write { _ = try $0.update(node) { $0.name = name } }
      }
      #expect(try await here.syncOnce(with: StorePeer(there)).newConflicts == 1)
      #expect(try await here.conflicts(in: Node.self).all().count == 1)
      #expect(try await here.conflicts(in: Node.self, id: node).all().count == 1)
      #expect(try await here.conflicts(in: Node.self, id: "other").all().isEmpty)
      try await [here, there].close()
    }

    @Test(
      "K33: a view observes idle, syncing, offline and error, the date, and what the peer may lack")
    @MainActor func status() async throws {
      let place = try Place()
      defer { place.remove() }
      let (here, there) = (
        try await place.open("a", Knowledge.schema), try await place.open("b", Knowledge.schema)
      )
      let network = Network(to: StorePeer(there))
      let sync = here.sync(with: network, options: .quick)
      let status = SyncStatus(sync)
      try await wait { status.state.phase == .idle && status.state.lastSuccess != nil }
      let date = try #require(status.state.lastSuccessDate)
      #expect(abs(date.timeIntervalSinceNow) < 3600 && status.state.unacknowledged == 0)
      #expect(status.state.problem == nil)
      network.cut()
      try await here.write { try $0.insert(Node(name: "offline")) }
      try await wait { status.state.phase == .offline }
      #expect(status.state.problem == "the network is down" && status.state.unacknowledged == 1)
      #expect(try #require(status.state.lastSuccessDate) >= date)
      network.restore()
      sync.syncNow()
      try await wait { status.state.phase == .idle && status.state.unacknowledged == 0 }
      #expect(status.state.problem == nil)
      await sync.stop()
      let silent = SilentPeer()
      let waiting = here.sync(with: silent, options: .quick)
      let other = SyncStatus(waiting)
      try await wait { other.state.phase == .syncing }
      await waiting.stop()
      let refusing = Network(
        to: StorePeer(there), failures: nil,
        error: SyncError(.unauthorized, "the token has ended", hint: "Sign in again"))
      let refused = here.sync(with: refusing, options: .quick)
      let last = SyncStatus(refused)
      try await wait { last.state.phase == .error }
      #expect(last.state.problem == "the token has ended" && last.state.cure == "Sign in again")
      await refused.stop()
      try await [here, there].close()
    }

    @Test("K38: a conflict is settled for the local node, for the remote one, or for a merged one")
    func settle() async throws {
      let place = try Place()
      defer { place.remove() }
      let (here, there) = (
        try await place.open("a", Knowledge.schema), try await place.open("b", Knowledge.schema)
      )
      let nodes = ["n1", "n2", "n3"].map { Node(id: Node.ID($0), name: "old", content: "old") }
      try await here.write { try $0.insert(nodes) }
      try await there.meet(here)
      for (device, word) in [(here, "here"), (there, "there")] {
        try await device.write { tx in
          for node in nodes {
            try tx.update(node.id) {
              $0.name = word
              $0.content = "\(word)!"
            }
          }
        }
      }
      try await there.meet(here)
      #expect(try await here.conflicts(in: Node.self).all().count == 6)
      try await here.resolve("n1", .keepLocal)
      try await here.resolve("n2", .keepRemote)
      var merged = try #require(try await here.fetch(Node.ID("n3")))
      (merged.name, merged.content) = ("both", "here and there")
      try await here.resolve("n3", .merge(merged))
      try await there.meet(here)
      for device in [here, there] {
        #expect(try await device.conflicts(in: Node.self).all().isEmpty)
        let found = try await device.fetch(Node.all.order(by: \.id))
        #expect(found.map(\.name) == ["here", "there", "both"])
        #expect(found.map(\.content) == ["here!", "there!", "here and there"])
      }
      try await [here, there].close()
    }

    @Test("K42: a node makes the round trip, writes wait while offline, and a conflict is found")
    func roundTrip() async throws {
      let place = try Place()
      defer { place.remove() }
      let (here, there) = (
        try await place.open("a", Knowledge.schema), try await place.open("b", Knowledge.schema)
      )
      let network = Network(to: StorePeer(there))
      let sync = here.sync(with: network, options: .quick)
      let node = Node(id: "n", name: "sync me", content: "over there", tags: ["x"])
      let first = try await here.write { tx in
        try tx.insert(node)
        return tx.event
      }
      try await sync.waitUntilSent(first)
      #expect(try await there.fetch(node.id) == (try await here.fetch(node.id)))
      network.cut()
      for name in ["p", "q", "r"] { try await here.write { try $0.insert(Node(name: name)) } }
      await sync.state { $0.phase == .offline }
      #expect(sync.state.unacknowledged == 3)
      #expect(try await there.fetch(Node.all.count()) == 1)
      try await there.write(actor: "there") { _ = try $0.update(node.id) { $0.name = "there" } }
      try await here.write(actor: "here") { _ = try $0.update(node.id) { $0.name = "here" } }
      network.restore()
      sync.syncNow()
      await sync.state { $0.phase == .idle && $0.unacknowledged == 0 }
      await sync.stop()
      for device in [here, there] {
        #expect(try await device.fetch(Node.all.count()) == 4)
        let conflict = try await device.conflicts(in: Node.self).all().first
        #expect(conflict?.field == "name")
        #expect(Set(conflict?.writes.map(\.author.actor) ?? []) == ["here", "there"])
      }
      try await [here, there].close()
    }
  }
#endif
