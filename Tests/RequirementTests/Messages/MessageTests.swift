#if Macros
  import Daybook
  import Foundation
  import Testing

  /// A chat that works offline: its types, calls and observers.
  @Suite(.timeLimit(.minutes(10))) struct MessageTests {
    static let (ann, bob) = (
      User(id: "ann", email: "ann@example.org", displayName: "Ann"),
      User(id: "bob", email: "bob@example.org", displayName: "Bob")
    )
    static let chat = Conversation.direct(ann, bob)

    /// Fills a store with two users and their conversation.
    static func begin(_ store: Store) async throws {
      try await store.write { tx in
        try tx.insert([ann, bob])
        try tx.insert(chat)
      }
    }

    static func store() async throws -> Store {
      let store = try await Chat.store()
      try await begin(store)
      return store
    }

    /// Returns two devices with two users and their conversation.
    static func devices(_ place: Place) async throws -> (here: Store, there: Store) {
      let here = try await place.open("here", Chat.schema)
      let there = try await place.open("there", Chat.schema)
      try await begin(here)
      try await here.meet(there)
      return (here, there)
    }

    @Test("M1: messages, conversations and users are stored with all their values")
    func types() async throws {
      let store = try await Chat.store()
      var user = User(
        email: "c@example.org", displayName: "Cem", imageURL: URL(string: "https://x.org/c.png"),
        isOnline: true, lastSeen: Date(timeIntervalSince1970: 1_700_000_000.5))
      let group = Conversation(
        kind: .group, participants: [user.id.rawValue, "d"], groupName: "Oats",
        lastSent: Date(timeIntervalSince1970: 7))
      var message = Message(
        conversation: group.id, sender: user.id, senderName: "Cem", text: "Hello",
        sent: Date(timeIntervalSince1970: 7))
      let written = (user, message)
      try await store.write { tx in
        try tx.insert(written.0)
        try tx.insert(group)
        try tx.insert(written.1)
      }
      let found = try #require(try await store.fetch(user.id))
      (user.created, user.modified) = (found.created, found.modified)
      #expect(found == user)
      #expect(try await store.fetch(group.id) == group)
      message.created = try #require(try await store.fetch(message.id)).created
      #expect(try await store.fetch(message.id) == message)
      try await store.close()
    }

    @Test("M2: a message has its id before it is stored, and keeps it on every device")
    func id() async throws {
      let place = try Place()
      defer { place.remove() }
      let (here, there) = try await Self.devices(place)
      let message = Message(conversation: Self.chat.id, text: "Hello")
      #expect(message.id.uuid != nil && message.id != Message().id)
      try await here.write { try $0.insert(message) }
      #expect(try await here.fetch(message.id)?.text == "Hello")
      try await here.meet(there)
      #expect(try await there.fetch(message.id)?.text == "Hello")
      #expect(try await there.fetch(Message.all.count()) == 1)
      try await [here, there].close()
    }

    @Test("M4: who has read a message is a set that merges, and a user is in it once")
    func readers() async throws {
      let place = try Place()
      defer { place.remove() }
      let (here, there) = try await Self.devices(place)
      let message = try await here.send("Hello", from: Self.ann, in: Self.chat.id)
      try await here.meet(there)
      try await here.markRead([message.id], by: "ann")
      for user in [User.ID("ann"), "bob"] { try await there.markRead([message.id], by: user) }
      try await here.markDelivered([message.id], to: "bob")
      try await here.meet(there)
      for device in [here, there] {
        #expect(try await device.readers(of: message.id) == ["ann", "bob"])
        #expect(try await device.fetch(ReadReceipt.all.count()) == 2)
        #expect(try await device.fetch(DeliveryReceipt.all).map(\.from) == ["bob"])
        let read = Message.where { $0.id == message.id }.relating(via: ReadReceipt.self)
        #expect(Set(try await device.fetch(read).map(\.displayName)) == ["Ann", "Bob"])
      }
      try await [here, there].close()
    }

    @Test("M5: a conversation has data of its participants, and its last message")
    func conversation() async throws {
      let store = try await Self.store()
      try await store.send("first", from: Self.ann, in: Self.chat.id)
      try await store.send("second", from: Self.bob, in: Self.chat.id)
      let shown = try #require(try await store.fetch(Self.chat.id))
      #expect(shown.participantsData["bob"]?.name == "Bob" && shown.participantsData.count == 2)
      #expect(shown.lastText == "second" && shown.lastSender == "bob")
      // The message and what the conversation shows of it are one event.
      let message = try #require(
        try await store.fetchOne(Message.where { $0.text == "second" }))
      let events = try await (store.history(of: message.id), store.history(of: shown.id))
      #expect(events.0.last?.event == events.1.last?.event)
      let mine = Conversation.where { $0.participants.contains("ann") }
        .order(by: \.lastSent, .descending)
      #expect(try await store.fetch(mine).map(\.id) == [shown.id])
      try await store.close()
    }

    @Test("M6: messages go with their conversation, and stay without a sender who is deleted")
    func rules() async throws {
      let store = try await Self.store()
      let message = try await store.send("Hello", from: Self.ann, in: Self.chat.id)
      try await store.markRead([message.id], by: "bob")
      try await store.write { try $0.delete(User.ID("ann")) }
      let left = try await store.fetch(message.id)
      #expect(left?.text == "Hello" && left?.sender == nil && left?.senderName == "Ann")
      try await store.write { try $0.delete(Self.chat) }
      #expect(try await store.fetch(message.id) == nil)
      #expect(try await store.fetch(ReadReceipt.all).isEmpty)
      try await store.close()
    }

    /// What a view model does with any repository.
    private func use<Model>(_ repository: some Repository<Model>, _ entity: Model) async throws {
      var list = repository.observe(Model.all).makeAsyncIterator()
      var one = repository.observe(entity.id).makeAsyncIterator()
      #expect(try await list.next()?.isEmpty == true)
      #expect(try await one.next()?.map(\.id) == .some(nil))
      try await repository.insert([entity])
      #expect(try await list.next()?.map(\.id) == [entity.id])
      #expect(try await one.next()??.id == entity.id)
      #expect(try await repository.fetch(entity.id)?.id == entity.id)
      #expect(try await repository.fetch(Model.where { $0.id == entity.id }).count == 1)
      let base = try #require(try await repository.fetchVersioned(entity.id))
      let outcome = try await repository.save(base.entity, from: base)
      #expect(outcome.current.version == base.version && outcome.clashes.isEmpty)
      try await repository.delete([entity.id])
      #expect(try await list.next()?.isEmpty == true)
      #expect(try await one.next()?.map(\.id) == .some(nil))
    }

    @Test("M7: a repository of any type reads, saves, deletes, and observes a list and an entity")
    func repository() async throws {
      let store = try await Chat.store()
      try await use(StoreRepository(store, of: Message.self), Message(text: "Hello"))
      try await use(StoreRepository(store, of: User.self, actor: "ann"), Self.ann)
      #expect(try await store.history(of: Self.ann.id).map(\.actor) == ["ann", "ann"])
      try await store.close()
    }

    @Test("M8: messages are observed, read by pages, sent, and marked as read and as delivered")
    func calls() async throws {
      let store = try await Self.store()
      var live = store.observe(Message.all(in: Self.chat.id)).makeAsyncIterator()
      #expect(try await live.next() == [])
      let start = Date(timeIntervalSince1970: 1_700_000_000)
      for number in 1...5 {
        try await store.send(
          "\(number)", from: number % 2 == 0 ? Self.ann : Self.bob, in: Self.chat.id,
          at: start + Double(number))
        #expect(try await live.next()?.last?.text == "\(number)")
      }
      let last = try await store.fetch(Message.last(2, in: Self.chat.id))
      #expect(last.map(\.text) == ["5", "4"])
      let before = try await store.fetch(
        Message.last(2, in: Self.chat.id, before: try #require(last.last?.sent)))
      #expect(before.map(\.text) == ["3", "2"])
      let ids = before.map(\.id)
      let unread = Message.where { !$0.id.in(ids) }.count()
      try await store.markRead(ids, by: "ann")
      try await store.markDelivered(last.map(\.id), to: "bob")
      let read = User.where { $0.id == "ann" }.related(via: ReadReceipt.self)
      #expect(Set(try await store.fetch(read).map(\.text)) == ["3", "2"])
      #expect(try await store.fetch(unread) == 3)
      let delivered = User.where { $0.id == "bob" }.related(via: DeliveryReceipt.self)
      #expect(Set(try await store.fetch(delivered).map(\.text)) == ["5", "4"])
      try await store.close()
    }

    @Test("M9: two devices that begin a conversation of two users make one")
    func direct() async throws {
      let place = try Place()
      defer { place.remove() }
      let (here, there) = (
        try await place.open("here", Chat.schema), try await place.open("there", Chat.schema)
      )
      try await Self.begin(here)
      try await there.write { try $0.insert(Conversation.direct(Self.bob, Self.ann)) }
      try await here.send("from here", from: Self.ann, in: Self.chat.id)
      try await there.send("from there", from: Self.bob, in: Self.chat.id)
      try await here.meet(there)
      for device in [here, there] {
        #expect(try await device.fetch(Conversation.all).map(\.id) == [Self.chat.id])
        let texts = try await device.fetch(Message.all(in: Self.chat.id)).map(\.text)
        #expect(Set(texts) == ["from here", "from there"])
      }
      try await [here, there].close()
    }

    @Test("M10: presence and profile are changed alone, and observers of the user see it")
    func presence() async throws {
      let store = try await Self.store()
      var user = store.observe(Self.ann.id).makeAsyncIterator()
      #expect(try await user.next()??.isOnline == false)
      let seen = Date(timeIntervalSince1970: 1_800_000_000)
      try await store.write { tx in
        _ = try tx.update(Self.ann.id) { ($0.isOnline, $0.lastSeen) = (true, seen) }
      }
      let online = try await user.next() ?? nil
      #expect(online?.isOnline == true && online?.lastSeen == seen)
      try await store.write { _ = try $0.update(Self.ann.id) { $0.displayName = "Anna" } }
      let renamed = try await user.next() ?? nil
      #expect(renamed?.displayName == "Anna" && renamed?.isOnline == true)
      let fields = try await store.history(of: Self.ann.id).dropFirst()
        .map { $0.changes.map(\.field).sorted() }
      #expect(fields == [["isOnline", "lastSeen"], ["displayName"]])
      try await store.close()
    }

    @Test("M11: an observer gets the value of now at once, and then each change")
    func observation() async throws {
      let store = try await Self.store()
      try await store.send("old", from: Self.ann, in: Self.chat.id)
      let values = store.observe(Message.all(in: Self.chat.id))
      for _ in 1...2 {
        var loop = values.makeAsyncIterator()
        #expect(try await loop.next()?.first?.text == "old")
      }
      var loop = values.makeAsyncIterator()
      _ = try await loop.next()
      try await store.send("new", from: Self.bob, in: Self.chat.id)
      #expect(try await loop.next()?.map(\.text) == ["old", "new"])
      try await store.close()
      #expect(try await loop.next() == nil)
    }

    @Test("M21: the last messages of a conversation are found by an index, however many there are")
    func plan() async throws {
      let store = try await Self.store()
      for query in [Message.all(in: "c"), Message.last(50, in: "c", before: .now)] {
        let plan = try await store.explain(query).joined(separator: "; ")
        #expect(plan.contains("SEARCH messages USING INDEX") && plan.contains("conversation=?"))
      }
      try await store.close()
    }
  }
#endif
