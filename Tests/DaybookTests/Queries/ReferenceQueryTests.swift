import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Conditions, orders and inclusions that follow references and relationships.
@Suite struct ReferenceQueryTests {
  struct Folder: Entity, Equatable {
    static let collection = "folders"
    static let fields: [EntityField<Folder>] = [
      .field("name", \.name).indexed(), .field("isShared", \.isShared),
      .field("parent", \.parent).references(Folder.self),
    ]
    var id = ID()
    var name = ""
    var isShared = false
    var parent: Folder.ID?
  }

  struct Note: Entity, Equatable {
    static let collection = "notes"
    static let fields: [EntityField<Note>] = [
      .field("title", \.title), .field("folder", \.folder).references(Folder.self),
      .field("home", \.home).references(Folder.self),
    ]
    var id = ID()
    var title = ""
    var folder: Folder.ID?
    var home = Folder.ID("none")
  }

  struct Person: Entity, Equatable {
    static let collection = "people"
    static let fields: [EntityField<Person>] = [.field("name", \.name)]
    var id = ID()
    var name = ""
  }

  /// A person has read a note.
  struct Reading: Relationship, Equatable {
    static let collection = "readings"
    static let fields: [EntityField<Reading>] = [
      .field("source", \.from).references(Person.self, onDelete: .cascade),
      .field("target", \.to).references(Note.self, onDelete: .cascade),
      .field("times", \.times),
    ]
    var id = ID()
    var from = Person.ID("")
    var to = Note.ID("")
    var times = 1
  }

  private static let folders = [
    Folder(id: "top", name: "Top"), Folder(id: "in", name: "Inbox", isShared: true, parent: "top"),
    Folder(id: "old", name: "Archive", parent: "in"),
  ]
  private static let notes = [
    Note(id: "a", title: "a", folder: "in", home: "top"),
    Note(id: "b", title: "b", folder: "old", home: "in"), Note(id: "c", title: "c", home: "gone"),
    Note(id: "d", title: "d", folder: "gone", home: "old"),
    Note(id: "e", title: "e", folder: "in", home: "in"),
  ]
  private static let readings = [
    Reading(id: "1", from: "ann", to: "a"), Reading(id: "2", from: "bob", to: "a", times: 3),
    Reading(id: "3", from: "bob", to: "b"),
  ]

  private func store(_ place: SyncPlace, _ name: String = "a") async throws -> Store {
    let store = try await Store.open(
      at: place.folder.appending(path: name),
      schema: [Folder.self, Note.self, Person.self, Reading.self])
    try await store.write { tx in
      try tx.insert(Self.folders + [Folder(id: "gone", name: "Gone")])
      try tx.insert(Self.notes)
      try tx.insert([Person(id: "ann", name: "Ann"), Person(id: "bob", name: "Bob")])
      try tx.insert(Self.readings)
      try tx.delete(Folder.ID("gone"))
    }
    return store
  }

  private func ids(_ query: EntityQuery<Note>, _ store: Store) async throws -> [String] {
    try await store.fetch(query.order(by: \.id)).map(\.id.rawValue)
  }

  @Test("a condition follows references over several levels; what is not there holds nothing")
  func conditions() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    #expect(try await ids(Note.where { $0.folder.name == "Inbox" }, store) == ["a", "e"])
    #expect(try await ids(Note.where { $0.folder.name != "Inbox" }, store) == ["b", "c", "d"])
    #expect(try await ids(Note.where { !($0.folder.name == "Inbox") }, store) == ["b", "c", "d"])
    #expect(try await ids(Note.where { $0.folder.name == nil }, store) == ["c", "d"])
    #expect(try await ids(Note.where { $0.folder != nil && $0.folder.id == nil }, store) == ["d"])
    #expect(try await ids(Note.where { $0.folder.name < "B" }, store) == ["b"])
    #expect(try await ids(Note.where { $0.folder.isShared == true }, store) == ["a", "e"])
    #expect(try await ids(Note.where { $0.folder.parent.name == "Top" }, store) == ["a", "e"])
    #expect(try await ids(Note.where { $0.folder.parent.parent.name == "Top" }, store) == ["b"])
    // Two references to one type, and one column compared with another.
    #expect(try await ids(Note.where { $0.folder.name == $0.home.name }, store) == ["c", "e"])
    #expect(
      try await ids(Note.where { $0.folder.name.hasPrefix("A") || $0.home.name == "Top" }, store)
        == ["a", "b"])
    #expect(try await store.fetch(Note.where { $0.folder.name == "Inbox" }.count()) == 2)
    let groups = try await store.fetch(
      Note.where { $0.folder.isShared == true }.grouped(by: \.home).count())
    #expect(groups.map(\.key) == ["in", "top"])
    // Through relationships, and in a graph.
    let readers = Person.where { $0.id.has(Reading.self) { $0.to.folder.name == "Archive" } }
    #expect(try await store.fetch(readers).map(\.name) == ["Bob"])
    let near = try await store.graph.neighbors(from: Person.ID("bob"), via: Reading.self) {
      $0.to.folder.name == "Inbox"
    }
    #expect(near.map(\.entity.id) == ["a"])
    #expect(
      Note.where { $0.folder.name == "a" && $0.folder.isShared == true }
        == Note.where { $0.folder.name == "a" && $0.folder.isShared == true })
    let deleted = try await store.write { tx in
      try tx.delete(where: Note.where { $0.folder.name == "Archive" })
    }
    #expect(deleted == 1)
    try await store.close()
  }

  @Test("an order follows references, and pages go on behind an entity of which anything is gone")
  func orders() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    for (direction, expected) in [
      (SortDirection.ascending, ["c", "d", "b", "a", "e"]),
      (.descending, ["a", "e", "b", "c", "d"]),
    ] {
      let query = Note.all.order(direction) { $0.folder.name }
      let found = try await store.fetch(query)
      #expect(found.map(\.id.rawValue) == expected)
      for (index, note) in found.enumerated() {
        let rest = try await store.fetch(query.after(note).limit(2)).map(\.id.rawValue)
        #expect(rest == Array(expected.dropFirst(index + 1).prefix(2)))
      }
    }
    let query = Note.all.order { $0.folder.parent.name }.order(.descending) { $0.title }
    let found = try await store.fetch(query)
    #expect(found.map(\.id.rawValue) == ["d", "c", "b", "e", "a"])
    try await store.write { try $0.delete(Note.ID("b")) }
    #expect(try await store.fetch(query.after(found[2])).map(\.id.rawValue) == ["e", "a"])
    try await store.close()
  }

  @Test("a reference and an id can be asked to be in another query")
  func subqueries() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    let shared = Folder.where { $0.isShared }
    #expect(try await ids(Note.where { $0.folder.in(shared) }, store) == ["a", "e"])
    #expect(try await ids(Note.where { !$0.folder.in(shared) }, store) == ["b", "c", "d"])
    #expect(try await ids(Note.where { $0.home.in(shared) }, store) == ["b", "e"])
    let firsts = Note.all.order(by: \.title, .descending).limit(2)
    #expect(try await ids(Note.where { $0.id.in(firsts) }, store) == ["d", "e"])
    let filled = Folder.where { folder in
      folder.id.in(Folder.where { $0.parent == nil }) || folder.id.isReferenced(by: \Note.home)
    }
    #expect(try await store.fetch(filled.count()) == 3)
    await #expect {
      try await store.fetch(Note.where { $0.folder.in(Folder.all.limit(-1)) })
    } throws: { ($0 as? StoreError)?.code == .invalidQuery }
    try await store.close()
  }

  @Test("what nobody, or not yet a certain person, has related to; and how many refer to an entity")
  func notYet() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    let me = Person.ID("ann")
    let unread = Note.where { !$0.id.has(to: Reading.self) { $0.from == me } }
    #expect(try await ids(unread, store) == ["b", "c", "d", "e"])
    #expect(try await ids(Note.where { !$0.id.has(to: Reading.self) }, store) == ["c", "d", "e"])
    let byBob = Note.where { $0.id.has(to: Reading.self) { $0.from.name == "Bob" } }
    #expect(try await ids(byBob, store) == ["a", "b"])
    // A column of the query around may be compared with one of another type.
    let elsewhere = Note.where { note in
      note.folder.in(Folder.where { $0.id != note.home && $0.name < note.title })
    }
    #expect(try await ids(elsewhere, store) == ["a", "b"])
    let often = Note.where { $0.id.count(to: Reading.self) { $0.times > 1 } == 1 }
    #expect(try await ids(often, store) == ["a"])
    let seldom = Note.where { !($0.id.count(to: Reading.self) { $0.times > 1 } == 1) }
    #expect(try await ids(seldom, store) == ["b", "c", "d", "e"])
    let holding = Folder.where { $0.id.isReferenced(by: \Note.folder) { $0.title >= "b" } }
    #expect(Set(try await store.fetch(holding).map(\.id)) == ["in", "old"])
    let many = Folder.where { $0.id.count(by: \Note.folder) > 1 }
    #expect(try await store.fetch(many).map(\.id) == ["in"])
    let some = Folder.where { $0.id.count(by: \Note.folder) { $0.title != "a" } == 1 }
    #expect(try await store.fetch(some.order(by: \.id)).map(\.id) == ["in", "old"])
    try await store.close()
  }

  @Test("entities come with what they refer to and with what refers to them, in one read")
  func including() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    let byID = Note.all.order(by: \.id)
    let folders = Dictionary(uniqueKeysWithValues: Self.folders.map { ($0.id, $0) })
    let rows = try await store.fetch(byID.including(\.folder))
    #expect(rows.map(\.entity) == Self.notes && rows.map(\.id) == Self.notes.map(\.id))
    #expect(rows.map(\.related) == Self.notes.map { $0.folder.flatMap { folders[$0] } })
    let homes = try await store.fetch(byID.limit(2).including(\.home))
    #expect(homes.map(\.related?.name) == ["Top", "Inbox"])
    let children = try await store.fetch(
      Folder.all.order(by: \.name).including(
        Note.where { $0.title != "a" }.order(by: \.title, .descending), by: \.folder))
    #expect(children.map { $0.related.map(\.id) } == [["b"], ["e"], []])
    let tree = try await store.fetch(
      Folder.all.order(by: \.name).including(Folder.all, by: \.parent).including(\.parent))
    #expect(tree.map { $0.related.0.map(\.name) } == [[], ["Archive"], ["Inbox"]])
    #expect(tree.map { $0.related.1?.name } == ["Inbox", "Top", nil])
    let all = try await store.fetch(
      byID.including(\.folder).including(to: Reading.where { $0.times < 3 }).including(\.home))
    for row in all {
      let (folder, readings, home) = row.related
      #expect(folder == row.entity.folder.flatMap { folders[$0] })
      #expect(readings == Self.readings.filter { $0.to == row.id && $0.times < 3 })
      #expect(home == folders[row.entity.home])
    }
    let people = try await store.fetch(
      Person.all.order(by: \.name).including(Reading.all.order(by: \.id)))
    #expect(people.map { $0.related.map(\.id) } == [["1"], ["2", "3"]])
    let within = try await store.write { tx in
      try tx.insert(Note(id: "f", folder: "top"))
      return try tx.fetch(byID.including(\.folder)).last?.related?.name
    }
    #expect(within == "Top")
    await #expect {
      try await store.fetch(Folder.all.including(Note.all.limit(1), by: \.folder))
    } throws: {
      ($0 as? StoreError)?.code == .invalidQuery && "\($0)".contains("limit")
    }
    try await store.close()
  }

  @Test("a followed reference of an indexed name is looked up, and live lists see both types")
  func plans() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    try await store.write { tx in
      for number in 0..<300 {
        let folder = Folder(name: "f\(number)")
        try tx.insert(folder)
        try tx.insert((0..<3).map { Note(title: "n\($0)", folder: folder.id) })
      }
    }
    let query = Note.where { $0.folder.name == "Inbox" }
    let plan = try await store.explain(query)
    #expect(plan.allSatisfy { $0.contains("SEARCH") }, "\(plan)")
    let count = try await store.explain(Folder.where { $0.id.count(by: \Note.folder) > 9 })
    #expect(count.contains { $0.contains("SEARCH notes") }, "\(count)")
    var lists = store.observe(query.order(by: \.id)).makeAsyncIterator()
    #expect(try await lists.next()?.map(\.id) == ["a", "e"])
    try await store.write { tx in try tx.update(Folder.ID("in")) { $0.name = "Other" } }
    #expect(try await lists.next()?.map(\.id) == [])
    try await store.close()
  }

  @Test("the past, before there was the other type or its field, holds nothing there")
  func past() async throws {
    struct Bare: Entity {
      static let collection = "notes"
      static let fields: [EntityField<Bare>] = [.field("title", \.title)]
      var id = ID()
      var title = ""
    }
    let place = try SyncPlace()
    defer { place.remove() }
    let first = try await Store.open(at: place.folder.appending(path: "a"), schema: [Bare.self])
    try await first.write { try $0.insert(Bare(id: "z", title: "z")) }
    let then = try await first.digest().vector
    try await first.close()
    let store = try await store(place)
    let past = try await store.at(.vector(then)).open()
    #expect(try await ids(Note.where { $0.folder.name == nil }, past) == ["z"])
    #expect(try await ids(Note.where { $0.folder.parent.name == "Top" }, past) == [])
    #expect(try await ids(Note.all.order { $0.folder.name }, past) == ["z"])
    let rows = try await past.fetch(Note.all.including(\.folder).including(to: Reading.all))
    #expect(rows.count == 1 && rows[0].related.0 == nil && rows[0].related.1.isEmpty)
    try await past.close()
    try await store.close()
  }
}
