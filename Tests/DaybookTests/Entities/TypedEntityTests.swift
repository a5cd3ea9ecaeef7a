import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Entities of an app's types: written, read and changed.
@Suite struct TypedEntityTests {
  struct Folder: Entity, Equatable {
    static let collection = "folders"
    static let fields: [EntityField<Folder>] = [.field("name", \.name)]
    var id = ID()
    var name = ""
  }

  enum Mood: String, Codable, Sendable { case calm, cross }

  struct Place: Codable, Equatable, Sendable {
    var latitude = 0.0
    var longitude = 0.0
  }

  /// Every kind of property.
  struct Note: Entity, Equatable {
    static let collection = "notes"
    static let fields: [EntityField<Note>] = [
      .field("title", \.title).searchable(weight: 2),
      .field("pinned", \.pinned).indexed(),
      .field("count", \.count),
      .field("ratio", \.ratio),
      .field("folder", \.folder).references(Folder.self, onDelete: .nullify),
      .field("parent", \.parent).references(Note.self, onDelete: .cascade),
      .field("tags", \.tags),
      .field("mood", \.mood),
      .field("lastMood", \.lastMood),
      .field("place", \.place),
      .field("due", \.due),
      .field("token", \.token),
      .field("link", \.link),
      .field("data", \.data),
      .field("modified", \.modified).kept(.modified),
    ]
    var id = ID()
    var title = ""
    var pinned = false
    var count = 0
    var ratio = 1.5
    var folder: Folder.ID?
    var parent: Note.ID?
    var tags: [String] = []
    var mood = Mood.calm
    var lastMood: Mood?
    var place: Place?
    var due = Date.distantPast
    var token: UUID?
    var link: URL?
    var data: Data?
    var modified = Date.distantPast
  }

  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  private func store(_ name: String = "a") async throws -> Store {
    try await Store.open(at: place.folder.appending(path: name), schema: [Folder.self, Note.self])
  }

  private func full() -> Note {
    Note(
      title: "Oat milk", pinned: true, count: -3, ratio: 0.25, tags: ["shop", "a\"b"],
      mood: .cross, lastMood: .calm, place: Place(latitude: 52.5, longitude: 13.4),
      due: Date(timeIntervalSince1970: 1_700_000_000.125), token: UUID(),
      link: URL(string: "https://example.org/a?b=c"), data: Data([0, 255, 7]))
  }

  @Test("an entity comes back as it was inserted, from the store, a transaction and the past")
  func roundTrip() async throws {
    defer { place.remove() }
    let store = try await store()
    var (note, empty) = (full(), Note())
    note.folder = Folder.ID()
    note.parent = empty.id
    let written = note
    let inside = try await store.write { [empty] tx in
      try tx.insert([written, empty])
      return try tx.fetch(written.id)
    }
    for found in [inside, try await store.fetch(note.id)] {
      note.modified = try #require(found).modified
      #expect(found == note)
      #expect(abs(note.modified.timeIntervalSinceNow) < 3600)
    }
    empty.modified = note.modified
    #expect(try await store.fetch(empty.id) == empty)
    #expect(try await store.fetch(Note.ID("none")) == nil)
    let then = Date.now
    try await store.write { try $0.update(written.id) { $0.title = "Soy milk" } }
    let past = try await store.at(.event(try #require(try await store.lastEvent()))).fetch(note.id)
    #expect(past?.title == "Soy milk")
    _ = then
    try await store.close()
  }

  @Test("an update writes only what has changed, and nothing if nothing has")
  func updates() async throws {
    defer { place.remove() }
    let store = try await store()
    let note = full()
    try await store.write { try $0.insert(note) }
    try await store.write { try $0.update(note.id) { $0.title = "Soy milk" } }
    let history = try await store.history(of: note.id)
    #expect(history.last?.changes.map(\.field) == ["title"])
    let events = try await store.events(EventQuery()).all().count
    try await store.write { try $0.update(note.id) { $0.title = "Soy milk" } }
    #expect(try await store.events(EventQuery()).all().count == events)
    try await store.write { tx in
      var copy = try #require(try tx.fetch(note.id))
      copy.pinned = false
      try tx.insertOrOverwrite([copy, Note(title: "new")])
    }
    #expect(try await store.fetch(note.id)?.pinned == false)
    await #expect {
      try await store.write { try $0.update(Note.ID("none")) { $0.count = 1 } }
    } throws: {
      ($0 as? StoreError)?.code == .noSuchEntity
    }
    await #expect { try await store.write { try $0.insert(note) } } throws: {
      ($0 as? StoreError)?.code == .entityExists
    }
    await #expect {
      try await store.write { try $0.update(note.id) { $0.ratio = .nan } }
    } throws: { error in
      (error as? StoreError)?.code == .wrongType && "\(error)".contains("notes.ratio")
    }
    try await store.close()
  }

  @Test("what a newer app wrote is shown as the default, and not destroyed by an update")
  func unknownCase() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { tx in
      try tx.insert(
        "notes", "n1", ["title": "x", "mood": "elated", "place": .json(Array("[1]".utf8))])
    }
    let note = try #require(try await store.fetch(Note.ID("n1")))
    #expect(note.mood == .calm && note.place == nil && note.ratio == 1.5)
    try await store.write { tx in
      try tx.overwrite(note)
      try tx.update(note.id) { $0.count = 7 }
    }
    let stored = try await store.fetch("notes", "n1")
    #expect(stored?["mood"] == "elated" && stored?["count"] == 7)
    #expect(stored?["place"] == .json(Array("[1]".utf8)))
    try await store.write { try $0.update(note.id) { $0.mood = .cross } }
    #expect(try await store.fetch("notes", "n1")?["mood"] == "cross")
    // The default is set where another value cannot be shown, too.
    try await store.write { tx in
      try tx.update("notes", "n1", ["mood": "elated"])
      try tx.set(\.mood, of: note.id, to: .calm)
      try tx.set(\.place, of: note.id, to: nil)
    }
    let written = try await store.fetch("notes", "n1")
    #expect(written?["mood"] == "calm" && written?["place"] ?? .null == .null)
    #expect(written?["count"] == 7)
    let wrong: [(StoreError.Code, @Sendable (WriteTransaction) throws -> Void)] = [
      (.unknownName, { try $0.set(\.id, of: note.id, to: "n2") }),
      (.fixedField, { try $0.set(\.modified, of: note.id, to: .now) }),
      (.wrongType, { try $0.set(\.ratio, of: note.id, to: .nan) }),
      (.noSuchEntity, { try $0.set(\.count, of: Note.ID("none"), to: 1) }),
    ]
    for (code, write) in wrong {
      await #expect { try await store.write { try write($0) } } throws: {
        ($0 as? StoreError)?.code == code
      }
    }
    try await store.close()
  }

  @Test("opening again defines nothing, and later fields are added with their defaults")
  func schema() async throws {
    defer { place.remove() }
    let first = try await store()
    let events = try await first.events(EventQuery()).all().count
    try await first.write { try $0.insert("folders", "f1", ["name": "Home"]) }
    try await first.close()
    let second = try await store()
    #expect(try await second.events(EventQuery()).all().count == events + 1)
    try await second.close()
    let third = try await Store.open(at: second.url, schema: [LaterFolder.self])
    #expect(try await third.fetch(LaterFolder.ID("f1")) == LaterFolder(id: "f1", name: "Home"))
    let count = try await third.read { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM folders WHERE color = 'grey'")
    }
    #expect(count == 1)
    try await third.close()
    await #expect {
      _ = try await Store.open(at: third.url, schema: [OtherFolder.self, Note.self])
    } throws: { error in
      let text = "\(error)"
      return (error as? StoreError)?.code == .contradiction && text.contains("folders")
        && text.contains("name")
    }
  }

  struct LaterFolder: Entity, Equatable {
    static let collection = "folders"
    static let fields: [EntityField<LaterFolder>] = [
      .field("name", \.name), .field("color", \.color),
    ]
    var id = ID()
    var name = ""
    var color = "grey"
  }

  struct OtherFolder: Entity {
    static let collection = "folders"
    static let fields: [EntityField<OtherFolder>] = [.field("name", \.name)]
    var id = ID()
    var name = 0
  }

  @Test("a deletion takes along what refers to the entity, as the reference says, in one event")
  func cascades() async throws {
    defer { place.remove() }
    let store = try await store()
    let folder = Folder(name: "Home")
    var (top, middle, leaf) = (Note(title: "top"), Note(title: "middle"), Note(title: "leaf"))
    (middle.parent, leaf.parent, leaf.folder) = (top.id, middle.id, folder.id)
    // A circle comes to an end.
    top.parent = leaf.id
    let notes = [top, middle, leaf]
    try await store.write { tx in
      try tx.insert(folder)
      try tx.insert(notes)
    }
    try await store.write { try $0.delete(folder) }
    #expect(try await store.fetch(leaf.id)?.folder == nil)
    let before = try await store.events(EventQuery()).all().count
    try await store.write { try $0.delete(notes) }
    #expect(try await store.events(EventQuery()).all().count == before + 1)
    for note in notes { #expect(try await store.fetch(note.id) == nil) }
    #expect(try await store.deleted(in: Note.self).all().count == 3)
    try await store.write { [leaf] in try $0.restore(leaf.id) }
    #expect(try await store.fetch(leaf.id)?.title == "leaf")
    try await store.close()
  }

  @Test(
    "an erasure erases what refers to the entity, or takes the reference away, as a deletion does")
  func erasures() async throws {
    defer { place.remove() }
    let store = try await store()
    let folder = Folder(name: "Home")
    var (top, leaf, other) = (Note(title: "top"), Note(title: "leaf"), Note(title: "other"))
    (leaf.parent, other.folder) = (top.id, folder.id)
    let notes = [top, leaf, other]
    try await store.write { tx in
      try tx.insert(folder)
      try tx.insert(notes)
    }
    try await store.write { [top] tx in
      try tx.erase(folder.id)
      try tx.erase(top.id)
    }
    #expect(try await store.fetch(Note.all).map(\.id) == [other.id])
    #expect(try await store.fetch(other.id)?.folder == nil)
    #expect(try await store.deleted(in: Note.self).all().isEmpty)
    await #expect { try await store.write { [leaf] in try $0.restore(leaf.id) } } throws: {
      ($0 as? StoreError)?.code == .noSuchEntity
    }
    (top, leaf) = (Note(title: "top"), Note(title: "leaf"))
    leaf.parent = top.id
    let many = [top.id, leaf.id]
    try await store.write { [top, leaf] tx in
      try tx.insert([top, leaf])
      try tx.delete(many)
      try tx.restore(many)
    }
    #expect(try await store.fetch(Note.all.count()) == 3)
    try await store.write { try $0.erase(many) }
    #expect(try await store.fetch(Note.all.count()) == 1)
    #expect(try await store.history(of: leaf.id).count { $0.kind == .erase } == 1)
    try await store.close()
  }

  @Test("ids are UUIDs that sort by the time they were made")
  func ids() {
    let ids = (0..<100).map { _ in Note.ID() }
    #expect(Set(ids).count == 100)
    #expect(ids.allSatisfy { $0.uuid != nil && $0.rawValue == $0.rawValue.lowercased() })
    #expect(ids == ids.sorted())
  }

  @Test("what properties cannot have is listed as hidden, page by page, and is not lost")
  func unreadable() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { tx in
      for number in 100..<105 {
        try tx.insert(
          "notes", "n\(number)",
          ["title": "new", "mood": "furious", "place": .json(Array("[1]".utf8)), "count": 5])
        try tx.insert(Note(id: Note.ID("ok\(number)"), title: "known"))
      }
      try tx.insert("notes", "uuid", ["token": "no uuid", "link": ""])
    }
    let hidden = try await store.hidden(in: Note.self).all()
    #expect(hidden.count == 12)
    #expect(hidden.prefix(2).map(\.field) == ["mood", "place"])
    #expect(hidden.suffix(2).map(\.field) == ["token", "link"])
    #expect(hidden.suffix(2).map(\.value) == ["no uuid", ""])
    #expect(hidden[0].reason == .unreadable(property: "Note.mood"))
    for limit in [1, 2, 3, 12, 100] {
      var found: [Store.HiddenValue] = []
      var next: Listing<Store.HiddenValue>.Cursor?
      repeat {
        let page = try await store.hidden(in: Note.self).page(limit: limit, after: next)
        found += page.items
        next = page.next
      } while next != nil
      #expect(found == hidden)
    }
    // Another property is set: what cannot be shown stays.
    try await store.write { try $0.update(Note.ID("n100")) { $0.title = "changed" } }
    #expect(try await store.fetch("notes", "n100")?["mood"] == "furious")
    #expect(try await store.fetch(Note.ID("n100"))?.mood == .calm)
    try await store.write { try $0.update(Note.ID("n100")) { $0.mood = .cross } }
    #expect(try await store.hidden(in: Note.self).all().count == 11)
    #expect(try await store.hidden(in: Folder.self).all().isEmpty)
    try await store.close()
  }

  struct Tagged: Entity, Equatable {
    static let collection = "tagged"
    static let fields: [EntityField<Tagged>] = [
      .field("tags", \.tags), .field("ages", \.ages),
    ]
    var id = ID()
    var tags: Set<String> = ["one", "two", "three"]
    var ages: [UUID: Int] = [:]
  }

  @Test("an unchanged set writes nothing, and equal sets of two devices are one value")
  func sets() async throws {
    defer { place.remove() }
    let schema: [any Entity.Type] = [Tagged.self]
    let store = try await Store.open(at: place.folder.appending(path: "a"), schema: schema)
    let other = try await Store.open(at: place.folder.appending(path: "b"), schema: schema)
    var made = Tagged(tags: Set((0..<12).map { "tag\($0)" }))
    for age in 0..<12 { made.ages[UUID()] = age }
    let entity = made
    try await store.write { try $0.insert(entity) }
    try await store.syncOnce(with: StorePeer(other))
    for _ in 0..<20 {
      let fetched = try #require(try await store.fetch(entity.id))
      #expect(fetched == entity)
      let isEmpty = try await store.write { tx in
        try tx.overwrite(fetched)
        return tx.isEmpty
      }
      #expect(isEmpty)
    }
    let tags = (0..<12).map { "new\($0)" }
    for store in [store, other] {
      try await store.write { tx in
        try tx.update(entity.id) { $0.tags = Set(tags.shuffled()) }
      }
    }
    try await store.syncOnce(with: StorePeer(other))
    #expect(try await store.conflicts().all().isEmpty)
    #expect(try await store.fetch(entity.id)?.tags == Set(tags))
    try await store.close()
    try await other.close()
  }

  @Test("a difference between two positions has both entities, typed")
  func differences() async throws {
    defer { place.remove() }
    let store = try await store()
    let before = try await store.write { tx in
      try tx.insert([Note(id: "a", title: "a"), Note(id: "b", title: "b")])
      return tx.event
    }
    try await store.write { tx in
      try tx.update(Note.ID("a")) { $0.title = "A" }
      try tx.delete(Note.ID("b"))
      try tx.insert(Note(id: "c", title: "c"))
    }
    let changes = try await store.changes(from: .event(before), in: Note.self)
    #expect(changes.map(\.id) == ["a", "b", "c"])
    #expect(changes.map { $0.before?.title } == ["a", "b", nil])
    #expect(changes.map { $0.after?.title } == ["A", nil, "c"])
    #expect(changes[0].fields.contains("title") && !changes[0].fields.contains("pinned"))
    try await store.close()
  }
}

extension Store {
  /// The last event of this store's own.
  fileprivate func lastEvent() async throws -> EventID? {
    try await events(EventQuery(limit: 1, isNewestFirst: true)).all().first?.id
  }
}
