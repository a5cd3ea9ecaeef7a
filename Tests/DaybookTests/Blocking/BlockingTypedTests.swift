import DaybookLocks
import DaybookLogEngine
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// An app's types in code that is not asynchronous.
@Suite struct BlockingTypedTests {
  struct Folder: Entity, Equatable {
    static let collection = "folders"
    static let fields: [EntityField<Folder>] = [.field("name", \.name).searchable()]
    var id = ID()
    var name = ""
  }

  struct Note: Entity, Equatable {
    static let collection = "notes"
    static let fields: [EntityField<Note>] = [
      .field("title", \.title), .field("folder", \.folder).references(Folder.self),
    ]
    var id = ID()
    var title = ""
    var folder: Folder.ID?
  }

  static let migration = Migration(1, "shout") { tx in
    try tx.update(where: Folder.all) { $0.name = $0.name.uppercased() }
  }

  @Test("a store is opened with types, and every kind of query is read")
  func queries() throws {
    let folder = try TemporaryStore()
    let store = try BlockingStore.open(at: folder.url, schema: [Folder.self, Note.self])
    try store.write { tx in
      try tx.insert(Folder(id: "f", name: "Inbox"))
      try tx.insert([Note(id: "a", title: "one", folder: "f"), Note(id: "b", title: "two")])
    }
    #expect(try store.fetch(Note.ID("a"))?.title == "one")
    #expect(try store.fetch(Note.ID("c")) == nil)
    #expect(try store.fetch(Note.all.order(by: \.title)).map(\.id) == ["a", "b"])
    #expect(try store.fetchOne(Note.where { $0.folder.name == "Inbox" })?.id == "a")
    #expect(try store.fetch(Note.all.count()) == 2)
    #expect(try store.fetch(Note.all.selecting(\.title).distinct()).sorted() == ["one", "two"])
    let groups = try store.fetch(Note.all.grouped(by: \.folder).count())
    #expect(groups.map(\.value).sorted() == [1, 1])
    let folders = try store.fetch(Folder.all.including(Note.all, by: \.folder))
    #expect(folders.map { $0.related.map(\.id) } == [["a"]])
    #expect(try store.search(Folder.self, for: "inbox").map(\.entity.id) == ["f"])
    try store.close()

    let again = try BlockingStore.open(
      at: folder.url, schema: [Folder.self, Note.self], migrations: [Self.migration])
    #expect(try again.fetch(Folder.ID("f"))?.name == "INBOX")
    try again.close()
    let reading = try BlockingStore.open(
      at: folder.url, schema: [Folder.self], options: .init(isReadOnly: true))
    #expect(try reading.fetch(Folder.all.count()) == 1)
    try reading.close()
  }

  @Test("a form is saved, and an event is undone and done again")
  func formsAndUndo() throws {
    let store = try BlockingStore.inMemory(schema: [Folder.self, Note.self])
    let inserted = try store.write { tx in
      try tx.insert(Note(id: "a", title: "one"))
      return tx.event
    }
    let base = try #require(try store.fetchVersioned(Note.ID("a")))
    var form = base.entity
    form.title = "two"
    let saved = try store.update(from: base, to: form, label: "rename")
    #expect(saved.current.title == "two" && saved.clashes.isEmpty)
    form.title = "three"
    let clash = #expect(throws: StoreError.self) { try store.update(from: base, to: form) }
    #expect(clash?.code == .fieldClash)
    let history = try store.history(of: Note.ID("a"))
    #expect(history.compactMap { $0.change(of: \.title)?.to } == ["one", "two"])
    let renamed = try #require(history.last).event
    #expect(try store.undo(renamed) != nil && store.undo(renamed) == nil)
    #expect(try store.fetch(Note.ID("a"))?.title == "one")
    try store.redo(renamed, actor: "ann")
    #expect(try store.fetch(Note.ID("a"))?.title == "two")
    let refused = #expect(throws: StoreError.self) { try store.redo(inserted) }
    #expect(refused?.code == .invalidPosition)
    try store.close()
  }

  @Test("typed calls within a transaction of the store are refused")
  func reentry() throws {
    let store = try BlockingStore.inMemory(schema: [Note.self, Folder.self])
    let event = try store.write { tx in
      try tx.insert(Note(id: "a"))
      return tx.event
    }
    let base = try #require(try store.fetchVersioned(Note.ID("a")))
    let calls: [@Sendable () throws -> Void] = [
      { _ = try store.fetch(Note.ID("a")) }, { _ = try store.fetch(Note.all) },
      { _ = try store.fetch(Note.all.count()) }, { _ = try store.history(of: Note.ID("a")) },
      { _ = try store.fetchVersioned(Note.ID("a")) }, { try store.undo(event) },
      { try store.redo(event) }, { try store.update(from: base, to: Note(id: "a", title: "x")) },
      { _ = try store.search(Folder.self, for: "x") },
    ]
    for call in calls {
      let refused = #expect(throws: StoreError.self) { try store.write { _ in try call() } }
      #expect(refused?.code == .reentrant)
    }
    try store.close()
    for call in calls {
      let refused = #expect(throws: StoreError.self) { try call() }
      #expect(refused?.code == .closed)
    }
  }

  @Test("of many that open a store at once, each gets it, and what they define is one definition")
  func openedAtOnce() throws {
    let folder = try TemporaryStore()
    let codes = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      do {
        let store = try BlockingStore.open(at: folder.url, schema: [Folder.self, Note.self])
        try store.write { try $0.insert(Note(id: Note.ID("n\(number)"), title: "n\(number)")) }
        try store.close()
      } catch { codes.withLock { $0.append("\(error)") } }
    }
    #expect(codes.withLock { $0 } == [])
    let store = try BlockingStore.open(at: folder.url, schema: [Folder.self, Note.self])
    #expect(try store.fetch(Note.all.count()) == 8)
    try store.close()
  }

  @Test("an error of types that contradict the store leaves it as it was")
  func contradiction() throws {
    struct Wrong: Entity {
      static let collection = "folders"
      static let fields: [EntityField<Wrong>] = [.field("name", \.name)]
      var id = ID()
      var name = 1
    }
    let folder = try TemporaryStore()
    let store = try BlockingStore.open(at: folder.url, schema: [Folder.self])
    let before = store.store.core.log.vector
    try store.close()
    #expect(throws: StoreError.self) {
      try BlockingStore.open(at: folder.url, schema: [Wrong.self])
    }
    let again = try BlockingStore.open(at: folder.url, schema: [Folder.self])
    #expect(again.store.core.log.vector == before)
    try again.close()
  }
}
