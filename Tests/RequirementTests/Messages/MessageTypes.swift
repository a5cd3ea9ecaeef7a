#if Macros
  import Daybook
  import DaybookMacros
  import Foundation

  // The types of a chat that works offline.

  @Entity("users") struct User: Equatable {
    var id = ID()
    var email = ""
    var displayName = ""
    var imageURL: URL?
    var isOnline = false
    var lastSeen: Date?
    @Created var created = Date.distantPast
    @Modified var modified = Date.distantPast
  }

  @Entity("conversations") struct Conversation: Equatable {
    enum Kind: String, Codable, Sendable { case direct, group }
    struct Participant: Codable, Equatable, Sendable {
      var name = ""
      var imageURL: URL?
    }

    var id = ID()
    var kind = Kind.direct
    var participants: [String] = []
    /// Names and images of the participants, by their ids.
    var participantsData: [String: Participant] = [:]
    var groupName: String?
    // The last message, so that a list of conversations reads no messages.
    var lastText: String?
    var lastSender: User.ID?
    @Index var lastSent: Date?

    /// Returns the conversation of two users, which is the same on every device.
    static func direct(_ a: User, _ b: User) -> Conversation {
      let ids = [a.id.rawValue, b.id.rawValue].sorted()
      return Conversation(
        id: ID("direct." + ids.joined(separator: ".")), participants: ids,
        participantsData: Dictionary(
          uniqueKeysWithValues: [a, b].map {
            ($0.id.rawValue, Participant(name: $0.displayName, imageURL: $0.imageURL))
          }))
    }
  }

  @Entity("messages") @Index(\.conversation, \.sent) struct Message: Equatable {
    var id = ID()
    @Reference(onDelete: .cascade) var conversation: Conversation.ID?
    @Reference(onDelete: .nullify) var sender: User.ID?
    var senderName = ""
    @Search var text = ""
    var sent = Date.distantPast
    @Created var created = Date.distantPast
  }

  /// A user has read a message. The same receipt made on two devices is one.
  @Relationship("reads", from: User.self, to: Message.self, unique: \.from, \.to)
  struct ReadReceipt: Equatable {
    var at = Date.distantPast
  }

  /// A message has reached a user.
  @Relationship("deliveries", from: User.self, to: Message.self, unique: \.from, \.to)
  struct DeliveryReceipt: Equatable {
    var at = Date.distantPast
  }

  enum Chat {
    static let schema: [any Entity.Type] = [
      User.self, Conversation.self, Message.self, ReadReceipt.self, DeliveryReceipt.self,
    ]

    static func store() async throws -> Store { try await Store.inMemory(schema: schema) }

    /// The mark beside a message.
    enum Mark: Equatable { case synced, waiting, failed, conflict }
  }

  /// What such an app adds to a store.
  extension Store {
    /// Sends a message: it is there at once, and the conversation shows it.
    @discardableResult
    func send(
      _ text: String, from user: User, in conversation: Conversation.ID,
      at date: Date = .now
    ) async throws -> Message {
      let message = Message(
        conversation: conversation, sender: user.id, senderName: user.displayName, text: text,
        sent: date)
      try await write(actor: user.email) { tx in
        try tx.insert(message)
        _ = try tx.update(conversation) { shown in
          (shown.lastText, shown.lastSender, shown.lastSent) = (text, user.id, date)
        }
      }
      return message
    }

    func markRead(_ messages: [Message.ID], by user: User.ID) async throws {
      try await write { tx in
        try tx.insertOrOverwrite(messages.map { ReadReceipt(from: user, to: $0, at: .now) })
      }
    }

    func markDelivered(_ messages: [Message.ID], to user: User.ID) async throws {
      try await write { tx in
        try tx.insertOrOverwrite(messages.map { DeliveryReceipt(from: user, to: $0, at: .now) })
      }
    }

    /// Returns the users who have read a message.
    func readers(of message: Message.ID) async throws -> Set<User.ID> {
      Set(try await fetch(ReadReceipt.where { $0.to == message }).map(\.from))
    }

    /// Returns the mark beside a message.
    func mark(of message: Message.ID, _ sync: StoreSync) async throws -> Chat.Mark {
      if try await conflicts(in: Message.collection, id: message.rawValue).page(limit: 1).items
        .isEmpty == false
      {
        return .conflict
      }
      guard let last = try await history(of: message).last else { return .waiting }
      if try await sync.delivery(of: last.event) != .waiting { return .synced }
      return sync.state.failures > 0 ? .failed : .waiting
    }
  }

  extension Message {
    /// The messages of a conversation, oldest first.
    static func all(in conversation: Conversation.ID) -> EntityQuery<Message> {
      Message.where { $0.conversation == conversation }.order(by: \.sent)
    }

    /// The last messages of a conversation before a date, newest first.
    static func last(
      _ limit: Int, in conversation: Conversation.ID, before date: Date = .distantFuture
    ) -> EntityQuery<Message> {
      Message.where { $0.conversation == conversation && $0.sent < date }
        .order(by: \.sent, .descending).limit(limit)
    }
  }
#endif
