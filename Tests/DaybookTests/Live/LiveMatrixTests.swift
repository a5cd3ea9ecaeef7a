import DaybookLocks
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Every kind of live value, with every way in which what it shows can change.
@Suite(.timeLimit(.minutes(10))) struct LiveMatrixTests {
  struct Note: Entity, Equatable {
    static let collection = "notes"
    static let fields: [EntityField<Note>] = [
      .field("title", \.title).searchable(), .field("size", \.size),
    ]
    var id = ID()
    var title = ""
    var size = 0
  }

  /// A kind of live value, as texts: the texts of the states before and after a change.
  struct Kind: Sendable, CustomTestStringConvertible {
    var name: String
    /// Begins to observe, and returns what waits for the next text.
    var observe: @Sendable (Store) -> () async throws -> String?
    var testDescription: String { name }

    init<V: Sendable>(
      _ name: String, values: @escaping @Sendable (Store) -> LiveValues<V>,
      text: @escaping @Sendable (V) -> String
    ) {
      self.name = name
      observe = { store in
        var iterator = values(store).makeAsyncIterator()
        return { try await iterator.next().map(text) }
      }
    }
  }

  private static let id = Note.ID("n1")

  static let kinds: [Kind] = [
    Kind(
      "list", values: { $0.observe(Note.all.order(by: \.title)) },
      text: { $0.map(\.title).joined() }),
    Kind("id", values: { $0.observe(id) }, text: { $0?.title ?? "" }),
    Kind(
      "count", values: { $0.observe(Note.where { $0.title == "oat milk" }.count()) },
      text: { $0 == 0 ? "" : "oat milk" }),
    Kind(
      "aggregate", values: { $0.observe(Note.all.sum(of: \.size)) },
      text: { $0 == 0 ? "" : "oat milk" }),
    Kind(
      "search", values: { $0.observe(search: Note.self, for: "oat") },
      text: { $0.map(\.entity.title).joined() }),
  ]

  /// A way in which the note comes to be shown.
  enum Source: CaseIterable {
    case write, secondStore, sync, undo, rebuild, collectionRebuild, definition, deferred, catchUp
    case othersRebuild, othersCollectionRebuild
  }

  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  private func open(_ name: String, _ options: Store.Options = .init()) async throws -> Store {
    try await Store.open(
      at: place.folder.appending(path: name), schema: [Note.self], options: options)
  }

  private static func insert(_ store: Store) async throws {
    try await store.write { try $0.insert(Note(id: id, title: "oat milk", size: 3)) }
  }

  @Test("a change is delivered once, however it comes", arguments: kinds, Source.allCases)
  func delivered(kind: Kind, source: Source) async throws {
    defer { place.remove() }
    let store = try await open("a", options(source))
    let edit = try await prepare(store, source)
    let next = kind.observe(store)
    #expect(try await next() == "")
    var others: [Store] = []
    switch source {
    case .write, .deferred: try await Self.insert(store)
    case .secondStore:
      others = [try await open("a")]
      try await Self.insert(others[0])
    case .catchUp:
      others = [try await open("a")]
      try await Self.refuseCommits(others[0])
      try await Self.insert(others[0])
    case .sync:
      others = [try await open("b")]
      try await Self.insert(others[0])
      try await store.syncOnce(with: StorePeer(others[0]))
    case .undo: try await store.undo(try #require(edit))
    case .othersRebuild:
      others = [try await open("a")]
      try await others[0].rebuild()
    case .othersCollectionRebuild:
      others = [try await open("a")]
      _ = try await others[0].rebuild(collection: "notes")
    case .rebuild: _ = try await store.rebuild()
    case .collectionRebuild: _ = try await store.rebuild(collection: "notes")
    case .definition:
      try await store.write {
        try $0.define(
          Definition("notes", [.text("title").default("oat milk"), .integer("size").default(3)]))
      }
    }
    #expect(try await next() == "oat milk")
    // What is delivered next is the next change: the last one was delivered once.
    try await store.write { try $0.delete(Self.id) }
    #expect(try await next() == "")
    for other in others { try await other.close() }
    try await store.close()
    #expect(try await next() == nil)
  }

  @Test("changes that nothing waited for are delivered as one", arguments: kinds, [true, false])
  func coalesced(kind: Kind, isByOther: Bool) async throws {
    defer { place.remove() }
    let store = try await open("a")
    let writer = isByOther ? try await open("a") : store
    let next = kind.observe(store)
    #expect(try await next() == "")
    try await Self.insert(writer)
    for number in 1...20 {
      try await writer.write {
        try $0.update(Self.id) { ($0.title, $0.size) = ("oat \(number)", number) }
      }
    }
    try await writer.write { try $0.update(Self.id) { ($0.title, $0.size) = ("oat milk", 3) } }
    #expect(try await next() == "oat milk")
    try await writer.write { try $0.delete(Self.id) }
    #expect(try await next() == "")
    if isByOther { try await writer.close() }
    try await store.close()
    #expect(try await next() == nil)
  }

  /// Makes the read model refuse all that a store commits, so that its events are in the log alone.
  private static func refuseCommits(_ store: Store) async throws {
    try await store.core.onCommitThread { engine in
      engine.readModel.add(transactionObserver: Refusal(), extent: .databaseLifetime)
    }
  }

  private final class Refusal: TransactionObserver {
    struct Refused: Error {}

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws { throw Refused() }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
  }

  private func options(_ source: Source) -> Store.Options {
    var options = Store.Options()
    options.defersProjection = source == .deferred
    return options
  }

  /// Makes the state before the change.
  /// - Returns: the event to undo, if that is the change.
  private func prepare(_ store: Store, _ source: Source) async throws -> EventID? {
    switch source {
    case .undo:
      try await Self.insert(store)
      return try await store.write { tx in
        try tx.delete(Self.id)
        return tx.event
      }
    case .rebuild, .collectionRebuild, .othersRebuild, .othersCollectionRebuild:
      // A rebuild shows again what something else than an event has changed.
      try await Self.insert(store)
      try await store.core.onCommitThread { engine in
        try engine.readModel.write {
          try $0.execute(sql: "UPDATE notes SET title = '', size = 0 WHERE id = 'n1'")
        }
      }
    case .definition: try await store.write { try $0.insert("notes", Self.id.rawValue, [:]) }
    case .write, .secondStore, .sync, .deferred, .catchUp: break
    }
    return nil
  }
}
