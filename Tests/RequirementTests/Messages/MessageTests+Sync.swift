#if Macros
  import Daybook
  import DaybookEventCore
  import Foundation
  import DaybookHubZone
  import Observation
  import DaybookLocks
  import Testing

  /// Syncs of a chat, and its view models.
  extension MessageTests {
    @Test("M3: a message is waiting, failed, synced or in conflict")
    func marks() async throws {
      let place = try Place()
      defer { place.remove() }
      let (here, there) = try await Self.devices(place)
      let message = try await here.send("Hello", from: Self.ann, in: Self.chat.id)
      let silent = here.sync(with: SilentPeer(), options: .quick)
      #expect(try await here.mark(of: message.id, silent) == .waiting)
      await silent.stop()
      let network = Network(to: StorePeer(there), failures: nil)
      let sync = here.sync(with: network, options: .quick)
      await sync.state { $0.failures > 0 }
      #expect(try await here.mark(of: message.id, sync) == .failed)
      network.restore()
      sync.syncNow()
      await sync.state { $0.phase == .idle }
      #expect(try await here.mark(of: message.id, sync) == .synced)
      await sync.stop()
      for (device, text) in [(here, "Hello!"), (there, "Hello?")] {
        try await device.write { _ = try $0.update(message.id) { $0.text = text } }
      }
      try await here.meet(there)
      #expect(try await here.mark(of: message.id, sync) == .conflict)
      try await [here, there].close()
    }

    @Test("M12: a message is written and shown while a peer does not answer")
    func noWaiting() async throws {
      let store = try await Self.store()
      let peer = SilentPeer()
      let sync = store.sync(with: peer, options: .quick)
      for await _ in peer.requests { break }
      let message = try await store.send("Hello", from: Self.ann, in: Self.chat.id)
      #expect(try await store.fetch(Message.all(in: Self.chat.id)).map(\.id) == [message.id])
      var live = store.observe(message.id).makeAsyncIterator()
      #expect(try await live.next()??.text == "Hello")
      let event = try #require(try await store.lastEvent()).id
      #expect(try await sync.delivery(of: event) == .waiting)
      #expect(sync.state.phase == .syncing && sync.state.unacknowledged > 0)
      await sync.stop()
      try await store.close()
    }

    @Test("M13: a message is sent in the end, and each attempt that failed is counted")
    func retries() async throws {
      let place = try Place()
      defer { place.remove() }
      let (here, there) = try await Self.devices(place)
      let message = try await here.send("Hello", from: Self.ann, in: Self.chat.id)
      let event = try #require(try await here.lastEvent()).id
      let network = Network(to: StorePeer(there), failures: nil)
      let sync = here.sync(with: network, options: .quick)
      let failed = try #require(await sync.state { $0.failures >= 5 })
      #expect(failed.phase == .offline && failed.problem != nil)
      #expect(try await sync.delivery(of: event) == .waiting)
      // Nobody asks for the attempt that succeeds.
      network.restore()
      let done = try #require(await sync.state { $0.phase == .idle })
      #expect(done.failures == 0 && done.unacknowledged == 0)
      #expect(try await sync.delivery(of: event) == .sent)
      #expect(try await there.fetch(message.id)?.text == "Hello")
      await sync.stop()
      try await [here, there].close()
    }

    @Test("M15: a message of another device is shown when it comes, without a question from here")
    func remoteChange() async throws {
      let place = try Place()
      defer { place.remove() }
      let (here, there) = try await Self.devices(place)
      var live = here.observe(Message.all(in: Self.chat.id)).makeAsyncIterator()
      #expect(try await live.next() == [])
      // Its polls are a day apart.
      let sync = there.sync(with: StorePeer(here), options: .quick)
      for text in ["Hello", "Are you there?"] {
        try await there.send(text, from: Self.bob, in: Self.chat.id)
        while let shown = try await live.next(), shown.last?.text != text {}
      }
      #expect(try await here.fetch(Message.all.count()) == 2)
      await sync.stop()
      try await [here, there].close()
    }

    @Test("M16: of two writes, the one counts that the server has stamped last")
    func serverTime() async throws {
      let place = try Place()
      defer { place.remove() }
      let authority = try Identity(seed: Array(repeating: 1, count: 32))
      let zone = try Zone.open(at: place.folder.appending(path: "hub"), authority: authority)
      let hub = ZonePeer(zone)
      let here = try await place.open("here", Chat.schema)
      let there = try await place.open("there", Chat.schema)
      try await Self.begin(here)
      for device in [here, there] { try await device.syncOnce(with: hub) }
      // The first write is the older one by the clocks, and reaches the server last.
      try await here.write { _ = try $0.update(Self.ann.id) { $0.displayName = "older" } }
      try await there.write { _ = try $0.update(Self.ann.id) { $0.displayName = "newer" } }
      for device in [there, here, there] { try await device.syncOnce(with: hub) }
      for device in [here, there] {
        #expect(try await device.fetch(Self.ann.id)?.displayName == "older")
        let conflict = try #require(try await device.conflicts(in: User.self).all().first)
        let stamps = conflict.writes.compactMap { $0.author.times.stampedDate }
        #expect(stamps.count == 2)
        let counts = conflict.writes.first { $0.wins }
        #expect(counts?.author.times.stampedDate == stamps.max())
      }
      try await [here, there].close()
      try zone.close()
    }

    @Test("M17: users merge by field: profile from one device, presence from another")
    func fields() async throws {
      let place = try Place()
      defer { place.remove() }
      let (here, there) = try await Self.devices(place)
      let seen = Date(timeIntervalSince1970: 1_800_000_000)
      let image = URL(string: "https://example.org/ann.png")
      try await here.write { tx in
        _ = try tx.update(Self.ann.id) { ($0.displayName, $0.imageURL) = ("Anna", image) }
      }
      try await there.write { tx in
        _ = try tx.update(Self.ann.id) { ($0.isOnline, $0.lastSeen) = (true, seen) }
      }
      try await here.meet(there)
      for device in [here, there] {
        let user = try #require(try await device.fetch(Self.ann.id))
        #expect(user.displayName == "Anna" && user.imageURL == image)
        #expect(user.isOnline && user.lastSeen == seen && user.email == "ann@example.org")
        #expect(try await device.conflicts(in: User.self).all().isEmpty)
      }
      try await [here, there].close()
    }

    /// The model of a chat's view. It keeps no copy of a message.
    @MainActor @Observable final class ChatModel {
      let messages: LiveQuery<[Message]>
      var draft = ""
      @ObservationIgnored private let store: Store

      init(_ store: Store, _ conversation: Conversation.ID) {
        self.store = store
        messages = LiveQuery(store.observe(Message.all(in: conversation)), initially: [])
      }

      func send() async throws {
        let text = draft
        draft = ""
        try await store.send(text, from: MessageTests.ann, in: MessageTests.chat.id)
      }
    }

    @Test(
      "M18: an observable view model shows its own messages and those of others, without a cache")
    @MainActor func viewModel() async throws {
      let place = try Place()
      defer { place.remove() }
      let (here, there) = try await Self.devices(place)
      let model = ChatModel(here, Self.chat.id)
      #expect(model.messages.isLoading)
      model.draft = "Hello"
      try await model.send()
      try await wait { model.messages.value.map(\.text) == ["Hello"] }
      #expect(model.draft.isEmpty && model.messages.error == nil && !model.messages.isLoading)
      try await there.send("Hello, Ann", from: Self.bob, in: Self.chat.id)
      try await here.meet(there)
      try await wait { model.messages.value.count == 2 }
      try await [here, there].close()
    }

    /// A repository for tests: it counts what is saved, and refuses on demand.
    private struct RecordingRepository: Repository {
      struct Refused: Error {}

      let inner: StoreRepository<Message>
      let saved = Saved()

      final class Saved: Sendable {
        let texts = Mutex<[String]>([])
        let isRefusing = Mutex(false)
      }

      func fetch(_ id: Message.ID) async throws -> Message? { try await inner.fetch(id) }
      func fetch(_ query: EntityQuery<Message>) async throws -> [Message] {
        try await inner.fetch(query)
      }
      func fetchVersioned(_ id: Message.ID) async throws -> Versioned<Message>? {
        try await inner.fetchVersioned(id)
      }
      func insert(_ entities: [Message]) async throws {
        if saved.isRefusing.withLock(\.self) { throw Refused() }
        saved.texts.withLock { $0 += entities.map(\.text) }
        try await inner.insert(entities)
      }
      func save(_ edited: Message, from base: Versioned<Message>, onClash rule: FieldClash.Rule)
        async throws -> FormOutcome<Message>
      {
        try await inner.save(edited, from: base, onClash: rule)
      }
      func insertOrOverwrite(_ entities: [Message]) async throws {
        try await inner.insertOrOverwrite(entities)
      }
      func delete(_ ids: [Message.ID]) async throws { try await inner.delete(ids) }
      func observe(_ query: EntityQuery<Message>) -> LiveValues<[Message]> {
        inner.observe(query)
      }
      func observe(_ id: Message.ID) -> LiveValues<Message?> { inner.observe(id) }
    }

    /// What is tested with that repository.
    private func resend(_ text: String, with repository: some Repository<Message>) async -> Bool {
      do {
        try await repository.insert([Message(text: text)])
        return true
      } catch {
        return false
      }
    }

    @Test("M19: a repository can be replaced for tests, on a store in memory that leaves nothing")
    func mock() async throws {
      let store = try await Chat.store()
      let repository = RecordingRepository(inner: StoreRepository(store))
      #expect(await resend("one", with: repository))
      repository.saved.isRefusing.withLock { $0 = true }
      #expect(await resend("two", with: repository) == false)
      #expect(repository.saved.texts.withLock(\.self) == ["one"])
      #expect(try await repository.fetch(Message.all).map(\.text) == ["one"])
      #expect(FileManager.default.fileExists(atPath: store.url.path))
      try await store.close()
      #expect(!FileManager.default.fileExists(atPath: store.url.path))
    }
  }
#endif
