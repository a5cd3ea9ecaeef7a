import DaybookLocks
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Forms that were open while others wrote.
@Suite struct FormTests {
  struct Note: Entity, Equatable {
    enum Mood: String, Codable, Sendable { case calm, cross }

    static let collection = "notes"
    static let fields: [EntityField<Note>] = [
      .field("title", \.title), .field("body", \.body).merging(), .field("done", \.done),
      .field("count", \.count), .field("mood", \.mood), .field("tags", \.tags),
      .field("remark", \.remark).merging(),
    ]
    var id = ID()
    var title = ""
    var body = ""
    var done = false
    var count = 0
    var mood = Mood.calm
    var tags: [String] = []
    var remark = "none"
  }

  struct Pair: Entity, Equatable {
    static let collection = "pairs"
    static let fields: [EntityField<Pair>] = [
      .field("key", \.key), .field("text", \.text).unique(), .field("kept", \.kept).kept(.modified),
    ]
    static func refine(_ definition: Definition) -> Definition { definition.keyed(by: "key") }
    var id = ID()
    var key = "k"
    var text: String? = nil
    var kept = Date.distantPast
  }

  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  private func store(_ name: String) async throws -> Store {
    try await Store.open(at: place.folder.appending(path: name), schema: [Note.self, Pair.self])
  }

  /// Two stores with one note.
  private func pair(_ note: Note) async throws -> (Store, Store) {
    let (a, b) = (try await store("a"), try await store("b"))
    try await a.write { try $0.insert(note) }
    try await a.syncOnce(with: StorePeer(b))
    return (a, b)
  }

  private func sync(_ a: Store, _ b: Store) async throws {
    for _ in 0..<2 { try await a.syncOnce(with: StorePeer(b)) }
    #expect(try await a.digest() == b.digest())
  }

  private func base(_ id: Note.ID, in store: Store) async throws -> Versioned<Note> {
    try #require(try await store.fetchVersioned(id))
  }

  @Test("what others write while a form is open stays")
  func stale() async throws {
    defer { place.remove() }
    let note = Note(title: "t", body: "Hello")
    let (a, b) = try await pair(note)
    let base = try await base(note.id, in: a)
    #expect(base.entity == note && base.title == "t")
    try await b.write { tx in
      try tx.update(note.id) { ($0.body, $0.done) = ("Hello, an hour of Bob's work", true) }
    }
    try await sync(a, b)
    var form = base.entity
    form.title = "new title"
    let outcome = try await a.update(from: base, to: form, actor: "ann", label: "form")
    try await sync(a, b)
    let all = Note(
      id: note.id, title: "new title", body: "Hello, an hour of Bob's work", done: true)
    #expect(outcome.current.entity == all && outcome.clashes.isEmpty)
    #expect(try await b.fetch(note.id) == all)
    let written = try #require(try await a.history(of: note.id).last)
    #expect(written.changes.map(\.field) == ["title"] && written.actor == "ann")
    #expect(try await a.conflicts().all().isEmpty)
    try await place.close([a, b])
  }

  @Test("what both have changed to something else is refused, kept or overwritten, and listed")
  func clashes() async throws {
    defer { place.remove() }
    let note = Note(title: "t", count: 1, tags: ["x"])
    let (a, b) = try await pair(note)
    let base = try await base(note.id, in: a)
    try await b.write { tx in
      try tx.update(note.id) {
        ($0.title, $0.count, $0.mood, $0.tags) = ("Bob's", 2, .cross, ["x", "y"])
      }
    }
    try await sync(a, b)
    var form = base.entity
    (form.title, form.count, form.tags, form.done) = ("Ann's", 2, ["z"], true)
    let edited = form
    let digest = try await a.digest()
    let error = await #expect(throws: StoreError.self) {
      try await a.update(from: base, to: edited)
    }
    #expect(error?.code == .fieldClash && error?.message.contains("title, tags") ?? false)
    #expect(try await a.digest() == digest)
    let clashes = try #require(error?.fieldClashes)
    let expected = FieldClash(
      collection: "notes", id: note.id.rawValue, field: "title", base: "t", stored: "Bob's",
      edited: "Ann's")
    #expect(clashes.count == 2 && clashes[0] == expected)
    let tags = clashes[1].values(of: \Note.tags)
    #expect(tags?.base == ["x"] && tags?.stored == ["x", "y"] && tags?.edited == ["z"])
    let (title, key) = (clashes[1].values(of: \Note.title), clashes[1].values(of: \Pair.key))
    #expect(title == nil && key == nil)
    // A transaction can catch the refusal and go on, and has nothing of the form.
    let kept = try await a.write { tx in
      #expect(throws: StoreError.self) { try tx.update(from: base, to: edited) }
      return try tx.update(from: base, to: edited, onClash: .keepStored)
    }
    #expect(kept == clashes)
    var all = edited
    (all.title, all.mood, all.tags) = ("Bob's", .cross, ["x", "y"])
    #expect(try await a.fetch(note.id) == all)
    let outcome = try await a.update(from: base, to: edited, onClash: .overwrite)
    (all.title, all.tags) = ("Ann's", ["z"])
    #expect(outcome.current.entity == all && outcome.clashes == clashes)
    try await sync(a, b)
    #expect(try await b.fetch(note.id) == all)
    #expect(try await a.conflicts().all().isEmpty)
    try await place.close([a, b])
  }

  @Test(
    "a text has the changes of the form and of others, and an equal correction once",
    arguments: [
      ("Milk, braed", "Oat milk, braed", "Milk, braed, salt", "Oat milk, braed, salt"),
      ("Milk, braed", "Milk, bread", "Milk, bread", "Milk, bread"),
      ("Milk, braed", "Milk, bread", "Oat milk, bread", "Oat milk, bread"),
      ("Milk, braed", "braed", "Milk, ", ""), ("", "new", "new", "new"),
      ("ab", "a🙂b", "", "🙂"), ("e\u{301}x", "e\u{301}yx", "e\u{301}xz", "e\u{301}yxz"),
      ("a", "a", "b", "b"), ("a", "", "", ""),
    ])
  func texts(before: String, form: String, others: String, all: String) async throws {
    defer { place.remove() }
    let note = Note(title: "t", body: before)
    let (a, b) = try await pair(note)
    let base = try await base(note.id, in: a)
    try await b.write { tx in try tx.update(note.id) { $0.body = others } }
    try await sync(a, b)
    var edited = base.entity
    (edited.body, edited.title) = (form, "both")
    let outcome = try await a.update(from: base, to: edited)
    #expect(outcome.current.body == all && outcome.current.title == "both")
    try await sync(a, b)
    #expect(try await b.fetch(note.id)?.body == all)
    #expect(try await a.conflicts().all().isEmpty)
    #expect(try await b.hidden().all().isEmpty)
    try await place.close([a, b])
  }

  @Test("typing of others stays beside equal text of the form, wherever the text repeats")
  func typed() async throws {
    defer { place.remove() }
    let note = Note(body: "aaaa")
    let (a, b) = try await pair(note)
    let base = try await base(note.id, in: a)
    try await b.write { tx in
      try tx.edit(note.id, \.body) { try $0.insert("X", at: 2) }
      try tx.edit(note.id, \.body) { try $0.delete(0..<1) }
    }
    // Another window of the same device.
    try await a.write { tx in try tx.edit(note.id, \.body) { $0.append("!") } }
    try await sync(a, b)
    #expect(try await a.fetch(note.id)?.body == "aXaa!")
    var form = base.entity
    form.body = "aaaaX!"
    #expect(try await a.update(from: base, to: form).current.body.count == 7)
    try await sync(a, b)
    let text = try #require(try await b.fetch(note.id)).body
    #expect(text.hasPrefix("aXaa") && Array(text.dropFirst(4)).sorted() == ["!", "!", "X"])
    try await place.close([a, b])
  }

  @Test("a text that only this device has written meanwhile is merged as well")
  func ownWindows() async throws {
    defer { place.remove() }
    let store = try await store("a")
    let note = Note(body: "one two")
    try await store.write { try $0.insert(note) }
    let (first, second) = (
      try await base(note.id, in: store), try await base(note.id, in: store)
    )
    var forms = (first.entity, second.entity)
    (forms.0.body, forms.1.body) = ("zero one two", "one two three")
    let current = try await store.update(from: first, to: forms.0).current
    #expect(try await store.update(from: second, to: forms.1).current.body == "zero one two three")
    // A form that stays open goes on from the outcome.
    var next = current.entity
    next.body = "zero one 2"
    let last = try await store.update(from: current, to: next).current
    #expect(last.body == "zero one 2 three")
    let events = try await store.events().all().count
    #expect(try await store.update(from: last, to: last.entity).current.version == last.version)
    #expect(try await store.events().all().count == events)
    try await store.close()
  }

  @Test("a text that was undone, assigned anew or showed its default is compared")
  func comparedTexts() async throws {
    defer { place.remove() }
    let note = Note(body: "one", remark: "none")
    let (a, b) = try await pair(note)
    let undone = try await a.write { tx in
      try tx.update(note.id) { $0.body = "one two" }
      return tx.event
    }
    var base = try await base(note.id, in: a)
    try await a.undo(undone)
    var form = base.entity
    form.body = "one two three"
    #expect(try await a.update(from: base, to: form).current.body == "one three")
    base = try await self.base(note.id, in: a)
    try await a.write { tx in
      try tx.erase(note.id)
      try tx.insert(Note(id: note.id, title: "again", body: "ONE three"))
    }
    form = base.entity
    form.body = "one three four"
    let outcome = try await a.update(from: base, to: form)
    #expect(outcome.current.body == "ONE three four" && outcome.current.title == "again")
    // A field that is younger than the entity shows its default, which nobody has written.
    try await b.write { try $0.insert("notes", "old", ["title": "old"]) }
    try await sync(a, b)
    base = try await self.base("old", in: a)
    #expect(base.remark == "none")
    try await b.write { tx in try tx.update(Note.ID("old")) { $0.remark = "none yet" } }
    try await sync(a, b)
    form = base.entity
    form.remark = "almost none"
    #expect(try await a.update(from: base, to: form).current.remark == "almost none yet")
    try await sync(a, b)
    #expect(try await b.fetch(Note.ID("old"))?.remark == "almost none yet")
    try await place.close([a, b])
  }

  @Test("a value that the property cannot show is left alone, and clashes if both replace it")
  func unknownCases() async throws {
    defer { place.remove() }
    let note = Note(title: "t")
    let (a, b) = try await pair(note)
    try await a.write { try $0.update("notes", note.id.rawValue, ["mood": "eager"]) }
    let base = try await base(note.id, in: a)
    try await a.write { try $0.update("notes", note.id.rawValue, ["mood": "tired"]) }
    var form = base.entity
    form.title = "u"
    try await a.update(from: base, to: form)
    #expect(try await a.fetch("notes", note.id.rawValue)?["mood"] == "tired")
    form.mood = .cross
    let edited = form
    let error = await #expect(throws: StoreError.self) {
      try await a.update(from: base, to: edited)
    }
    #expect(error?.fieldClashes.map(\.stored) == ["tired"])
    let mood = error?.fieldClashes.first?.values(of: \Note.mood)
    #expect(mood?.stored == .calm && mood?.edited == .cross)
    try await place.close([a, b])
  }

  @Test("a form whose entity is gone says who deleted, erased or undid it")
  func gone() async throws {
    defer { place.remove() }
    let note = Note(title: "t")
    let (a, b) = try await pair(note)
    let base = try await base(note.id, in: a)
    let event = try await b.write(actor: "bob", label: "tidy") { tx in
      try tx.delete(note.id)
      return tx.event
    }
    try await sync(a, b)
    func refused() async throws -> StoreError {
      var form = base.entity
      form.title = "u"
      let edited = form
      let digest = try await a.digest()
      let error = await #expect(throws: StoreError.self) {
        try await a.update(from: base, to: edited)
      }
      #expect(try await a.digest() == digest)
      return try #require(error)
    }
    var error = try await refused()
    #expect(error.code == .noSuchEntity && error.message.contains("deleted by bob, in event"))
    #expect(error.deletion?.event == event && error.deletion?.actor == "bob")
    #expect(error.deletion?.label == "tidy" && error.deletion?["title"] == "t")
    #expect(error.hint?.hasPrefix("Restore it") ?? false)
    try await a.write { try $0.restore(note.id) }
    var form = base.entity
    form.title = "u"
    #expect(try await a.update(from: base, to: form).current.title == "u")
    try await a.write(actor: "cat") { try $0.erase(note.id) }
    error = try await refused()
    #expect(error.code == .noSuchEntity && error.message.contains("erased by cat"))
    #expect(error.deletion == nil)
    // The insertion of another note is undone, and one is deleted within the transaction.
    let (other, third) = (Note(title: "o"), Note(title: "p"))
    let insertion = try await a.write { tx in
      try tx.insert(other)
      return tx.event
    }
    try await a.write { try $0.insert(third) }
    let (otherBase, thirdBase) = (
      try await self.base(other.id, in: a), try await self.base(third.id, in: a)
    )
    try await a.undo(insertion, actor: "dan")
    await #expect {
      try await a.update(from: otherBase, to: other)
    } throws: {
      ($0 as? StoreError)?.message.contains("insertion was undone by dan") ?? false
    }
    try await a.write { tx in
      try tx.delete(third.id)
      #expect {
        try tx.update(from: thirdBase, to: third)
      } throws: {
        ($0 as? StoreError)?.message.contains("deleted in this transaction") ?? false
      }
    }
    try await place.close([a, b])
  }

  @Test("a base of another entity, of another store, of the future or of no store is refused")
  func invalidBases() async throws {
    defer { place.remove() }
    let note = Note(title: "t")
    let (a, b) = try await pair(note)
    let base = try await base(note.id, in: a)
    var other = base.entity
    other.id = Note.ID("other")
    // A store that has the same note, but is of another zone.
    let stranger = try await store("stranger")
    try await stranger.write { try $0.insert(note) }
    let foreign = try await self.base(note.id, in: stranger)
    // The other store has not seen yet what this one has.
    try await a.write { tx in try tx.update(note.id) { $0.count = 1 } }
    let future = try await self.base(note.id, in: a)
    let cases: [(Store, Versioned<Note>, Note, String)] = [
      (a, base, other, "its base is"), (a, foreign, note, "of another store"),
      (b, future, future.entity, "from the store's future"),
      (a, Versioned(note), note, "not read from a store"),
    ]
    for (store, base, form, text) in cases {
      var form = form
      form.title = "u"
      let edited = form
      let digest = try await store.digest()
      await #expect {
        try await store.update(from: base, to: edited, onClash: .overwrite)
      } throws: {
        guard let error = $0 as? StoreError else { return false }
        return error.code == .invalidBase && error.message.contains(text) && error.hint != nil
      }
      #expect(try await store.digest() == digest)
    }
    // A base of a transaction that failed shows what was never there.
    let lost = Mutex<Versioned<Note>?>(nil)
    struct Stop: Error {}
    await #expect(throws: Stop.self) {
      try await a.write { tx in
        try tx.update(note.id) { $0.title = "never" }
        let base = try tx.fetchVersioned(note.id)
        lost.withLock { $0 = base }
        throw Stop()
      }
    }
    let read = lost.withLock { $0 }
    let unwritten = try #require(read)
    #expect(unwritten.title == "never")
    await #expect {
      try await a.update(from: unwritten, to: unwritten.entity)
    } throws: {
      ($0 as? StoreError)?.code == .invalidBase
    }
    #expect(Versioned(note).version == Versioned(other).version)
    await #expect {
      try await a.write { tx in
        try tx.update(note.id, expecting: Versioned(note).version) { $0.title = "u" }
      }
    } throws: {
      ($0 as? StoreError)?.code == .versionMismatch
    }
    try await place.close([a, b, stranger])
  }

  @Test("keys, unique values and values that cannot be stored are refused, and nothing is written")
  func refusedValues() async throws {
    defer { place.remove() }
    let store = try await store("a")
    try await store.write { tx in
      try tx.insert(Pair(id: Pair.derivedID(of: Pair(key: "k")), key: "k", text: "one"))
      try tx.insert(Pair(id: Pair.derivedID(of: Pair(key: "l")), key: "l", text: "two"))
    }
    let base = try #require(
      try await store.fetchVersioned(Pair.where { $0.key == "k" }).first)
    var forms = (base.entity, base.entity)
    forms.0.key = "m"
    forms.0.id = Pair.derivedID(of: forms.0)
    forms.1.text = "two"
    let digest = try await store.digest()
    for (form, code) in [(forms.0, StoreError.Code.fixedKey), (forms.1, .valueTaken)] {
      let error = await #expect(throws: StoreError.self) {
        try await store.update(from: base, to: form)
      }
      #expect(error?.code == code)
    }
    #expect(try await store.digest() == digest)
    // What the store keeps is not the form's.
    var form = base.entity
    (form.kept, form.text) = (.distantFuture, nil)
    #expect(try await store.update(from: base, to: form).current.text == nil)
    try await store.close()
  }

  @Test("several forms are saved in one transaction, from bases that it has read or written")
  func transactions() async throws {
    defer { place.remove() }
    let note = Note(title: "t", body: "Hello")
    let (a, b) = try await pair(note)
    let base = try await base(note.id, in: a)
    try await b.write { tx in try tx.edit(note.id, \.body) { $0.append(", Bob") } }
    try await sync(a, b)
    try await a.write { tx in
      var (first, second) = (base.entity, base.entity)
      first.body = "Hello!"
      second.body = "Oh, Hello"
      try tx.update(from: base, to: first)
      try tx.update(from: base, to: second)
      // The base has the event that is being written, and not all of its edits.
      let middle = try #require(try tx.fetchVersioned(note.id))
      try tx.edit(note.id, \.body) { try $0.insert("1 ", at: 0) }
      var third = middle.entity
      third.body += "?"
      try tx.update(from: middle, to: third)
    }
    try await sync(a, b)
    let body = try #require(try await b.fetch(note.id)).body
    #expect(["1 Oh, Hello, Bob!?", "1 Oh, Hello!, Bob?"].contains(body))
    try await place.close([a, b])
  }

  @Test("a version is read outside of a write, and an update expects it")
  func versions() async throws {
    defer { place.remove() }
    let note = Note(title: "t")
    let (a, b) = try await pair(note)
    let version = try #require(try await a.version(of: note.id))
    #expect(try await base(note.id, in: a).version == version)
    #expect(try await a.version(of: Note.ID("none")) == nil)
    #expect(try await a.fetchVersioned(Note.ID("none")) == nil)
    #expect(try await a.fetchVersioned(Note.all).map(\.version) == [version])
    try await a.write { tx in try tx.update(note.id, expecting: version) { $0.title = "u" } }
    await #expect {
      try await a.write { tx in try tx.update(note.id, expecting: version) { $0.title = "v" } }
    } throws: {
      ($0 as? StoreError)?.code == .versionMismatch
    }
    try await place.close([a, b])
  }

  /// A repository without a store.
  private struct FakeNotes: Repository {
    let notes: [Note]

    func fetch(_ id: Note.ID) async throws -> Note? { notes.first { $0.id == id } }
    func fetchVersioned(_ id: Note.ID) async throws -> Versioned<Note>? {
      try await fetch(id).map { Versioned($0) }
    }
    func fetch(_ query: EntityQuery<Note>) async throws -> [Note] { notes }
    func insert(_ entities: [Note]) async throws {}
    func save(_ edited: Note, from base: Versioned<Note>, onClash rule: FieldClash.Rule)
      async throws
      -> FormOutcome<Note>
    {
      guard rule != .refuse else { throw StoreError(.fieldClash, "somebody else was here") }
      return FormOutcome(current: Versioned(edited))
    }
    func insertOrOverwrite(_ entities: [Note]) async throws {}
    func delete(_ ids: [Note.ID]) async throws {}
    func observe(_ query: EntityQuery<Note>) -> LiveValues<[Note]> { LiveValues(of: [], notes) }
    func observe(_ id: Note.ID) -> LiveValues<Note?> {
      LiveValues(from: { AsyncThrowingStream { $0.finish(throwing: CancellationError()) } })
    }
  }

  @Test("a repository can be faked without a store")
  @MainActor func fake() async throws {
    defer { place.remove() }
    let note = Note(title: "t")
    let notes = FakeNotes(notes: [note])
    let base = try #require(try await notes.fetchVersioned(note.id))
    await #expect(throws: StoreError.self) { try await notes.save(note, from: base) }
    #expect(try await notes.save(note, from: base, onClash: .overwrite).current.entity == note)
    for _ in 0..<2 {
      var lists: [[Note]] = []
      for try await list in notes.observe(Note.all) { lists.append(list) }
      #expect(lists == [[], [note]])
    }
    await #expect(throws: CancellationError.self) {
      for try await _ in notes.observe(note.id) {}
    }
  }
}
