import DaybookNotes
import Foundation
import Testing

/// A notebook on one device.
@Suite(.timeLimit(.minutes(10))) struct NotebookTests {
  @Test("title and preview are the first lines of the text, without the marks of Markdown")
  func openings() async throws {
    let notebook = try await Notebook.inMemory()
    let cases: [(text: String, title: String, preview: String)] = [
      ("", "", ""), ("\n \n", "", ""), ("Oats", "Oats", ""),
      ("# Oats\r\n\r\n- Buy\tsome\r\n> now", "Oats", "Buy some now"),
      ("  #tag first\nsecond", "#tag first", "second"),
      (String(repeating: "x", count: 300), String(repeating: "x", count: 119) + "…", ""),
      ("a\n" + String(repeating: "y", count: 5000), "a", String(repeating: "y", count: 200)),
    ]
    for (text, title, preview) in cases {
      let id = try await notebook.add(text)
      let summary = try #require(try await notebook.summary(of: id))
      #expect(summary.title == title && summary.preview == preview)
    }
    try await notebook.close()
  }

  @Test("a title of its own is shown instead of the first line, which is in the preview then")
  func ownTitle() async throws {
    let notebook = try await Notebook.inMemory()
    let id = try await notebook.add("First\nSecond")
    try await notebook.setTitle(id, "Given")
    #expect(try await notebook.summary(of: id)?.title == "Given")
    #expect(try await notebook.summary(of: id)?.preview == "First Second")
    try await notebook.setTitle(id, nil)
    #expect(try await notebook.summary(of: id)?.title == "First")
    try await notebook.close()
  }

  @Test("folders keep the order that they are moved into, however often")
  func order() async throws {
    let notebook = try await Notebook.inMemory()
    var expected: [NoteFolder.ID] = []
    for number in 0..<8 { expected.append(try await notebook.addFolder("\(number)")) }
    #expect(try await notebook.folderTree().map(\.id) == expected)
    // Always between the same two, and to both ends.
    for round in 0..<120 {
      let moved = expected.remove(at: expected.count - 1 - round % 3)
      let place = [1, 0, expected.count][round % 3]
      let next = place < expected.count ? expected[place] : nil
      expected.insert(moved, at: place)
      try await notebook.move(moved, to: nil, before: next)
      #expect(try await notebook.folderTree().map(\.id) == expected)
    }
    let inner = try await notebook.addFolder("inner", in: expected[0])
    await #expect(throws: NotesError.self) {
      try await notebook.move(expected[1], to: nil, before: inner)
    }
    await #expect(throws: StoreError.self) { try await notebook.move(expected[0], to: inner) }
    try await notebook.close()
  }

  @Test("folders that two devices put at one place have one order, and can be moved apart")
  func samePlace() async throws {
    let (ann, bob) = (try await Notebook.inMemory(), try await Notebook.inMemory())
    let first = try await ann.addFolder("first")
    try await ann.store.syncOnce(with: StorePeer(bob.store))
    let ids = [try await ann.addFolder("of ann"), try await bob.addFolder("of bob")]
    try await ann.store.syncOnce(with: StorePeer(bob.store))
    let order = try await ann.folderTree().map(\.id)
    #expect(order == [first] + ids.sorted())
    #expect(try await bob.folderTree().map(\.id) == order)
    try await ann.move(first, to: nil, before: order[2])
    #expect(try await ann.folderTree().map(\.id) == [order[1], first, order[2]])
    try await ann.close()
    try await bob.close()
  }

  @Test("two devices that each put a folder into the other's lose neither")
  func circle() async throws {
    let (ann, bob) = (try await Notebook.inMemory(), try await Notebook.inMemory())
    let (a, b) = (try await ann.addFolder("a"), try await ann.addFolder("b"))
    try await ann.store.syncOnce(with: StorePeer(bob.store))
    try await ann.move(a, to: b)
    try await bob.move(b, to: a)
    try await ann.store.syncOnce(with: StorePeer(bob.store))
    let tree = try await ann.folderTree()
    #expect(tree.count == 1 && tree[0].children.count == 1)
    #expect(try await bob.folderTree() == tree)
    try await ann.close()
    try await bob.close()
  }

  @Test("the trash has what was deleted, and gives notes and whole folders back")
  func trash() async throws {
    let notebook = try await Notebook.inMemory(actor: "ann")
    let home = try await notebook.addFolder("Home")
    let garden = try await notebook.addFolder("Garden", in: home)
    let loose = try await notebook.add("Loose", tags: ["kept"])
    let inside = try await notebook.add("Inside", in: garden)
    var lists = notebook.trash().makeAsyncIterator()
    #expect(try await lists.next() == [])
    try await notebook.delete([loose])
    let one = try #require(try await lists.next())
    #expect(one.map(\.title) == ["Loose"] && one[0].actor == "ann")
    try await notebook.delete(home)
    #expect(try await lists.next()?.map(\.id) == [inside, loose])
    #expect(try await notebook.list().isEmpty)
    #expect(try await notebook.folderTree().isEmpty)
    try await notebook.restore(home)
    #expect(try await lists.next()?.map(\.id) == [loose])
    #expect(try await notebook.list(.below(home)).map(\.id) == [inside])
    try await notebook.restore([loose])
    #expect(try await notebook.summary(of: loose)?.tags == ["kept"])
    try await notebook.purge([loose])
    #expect(try await lists.next() == [])
    await #expect(throws: StoreError.self) { try await notebook.restore([loose]) }
    try await notebook.close()
  }

  @Test("a note whose folder another device has deleted is shown at the top")
  func orphan() async throws {
    let (ann, bob) = (try await Notebook.inMemory(), try await Notebook.inMemory())
    let home = try await ann.addFolder("Home")
    try await ann.store.syncOnce(with: StorePeer(bob.store))
    try await ann.delete(home)
    let note = try await bob.add("New", in: home)
    try await ann.store.syncOnce(with: StorePeer(bob.store))
    for notebook in [ann, bob] {
      #expect(try await notebook.list(.top).map(\.id) == [note])
      try await notebook.close()
    }
  }

  @Test("tags that two devices add are both there, and one that is taken away is gone")
  func tags() async throws {
    let (ann, bob) = (try await Notebook.inMemory(), try await Notebook.inMemory())
    let id = try await ann.add("Note", tags: ["old", " old "])
    try await ann.store.syncOnce(with: StorePeer(bob.store))
    try await ann.tag(id, adding: ["a/b"], removing: ["old", "never"])
    try await bob.tag(id, adding: ["bob"])
    try await ann.store.syncOnce(with: StorePeer(bob.store))
    #expect(try await bob.summary(of: id)?.tags == ["a/b", "bob"])
    #expect(try await ann.list(.tag("a/b")).map(\.id) == [id])
    var counts = ann.tags().makeAsyncIterator()
    #expect(
      try await counts.next()
        == [NoteTagCount(tag: "a/b", count: 1), NoteTagCount(tag: "bob", count: 1)])
    try await ann.delete([id])
    #expect(try await counts.next() == [])
    for bad in ["", " ", "a\nb", "a\0b"] {
      await #expect(throws: NotesError.self) { try await ann.add("x", tags: [bad]) }
    }
    await #expect(throws: StoreError.self) { try await ann.tag("none", adding: ["x"]) }
    try await ann.close()
    try await bob.close()
  }

  @Test("a search finds beginnings of words in titles and texts, and no input is an error")
  func search() async throws {
    let notebook = try await Notebook.inMemory()
    let milk = try await notebook.add("Shopping\nOat milk and bread")
    try await notebook.add("Coffee")
    for text in ["mil", "sho bre", "\"oat milk\""] {
      var hits = notebook.search(text).makeAsyncIterator()
      #expect(try await hits.next()?.map(\.id) == [milk], "\(text)")
    }
    var hits = notebook.search("oat").makeAsyncIterator()
    let hit = try #require(try await hits.next()?.first)
    #expect(hit.excerpt.highlights == ["Oat"] && hit.summary.title == "Shopping")
    for text in ["", "\"", "AND", "*", "title:", "-"] {
      var none = notebook.search(text).makeAsyncIterator()
      _ = try await none.next()
    }
    try await notebook.close()
  }

  @Test("an editor types at once, takes in what another device writes, and keeps both")
  func editor() async throws {
    let (ann, bob) = (
      try await Notebook.inMemory(actor: "ann"), try await Notebook.inMemory(actor: "bob")
    )
    let id = try await ann.add("milk")
    try await ann.store.syncOnce(with: StorePeer(bob.store))
    let editor = try await ann.editor(of: id)
    try editor.insert("Oat ", at: 0)
    #expect(editor.text == "Oat milk")
    try await bob.edit(id) { $0.append("!") }
    try await ann.store.syncOnce(with: StorePeer(bob.store))
    for await _ in editor.changes where editor.text == "Oat milk!" { break }
    try await editor.close()
    #expect(try await ann.body(of: id) == "Oat milk!")
    let edits = try await ann.activity(of: id, by: "ann").page(limit: 10)
    #expect(edits.items.map { $0.changes.map(\.kind) } == [[.edited], [.added]])
    try await ann.delete([id])
    await #expect(throws: StoreError.self) { try await ann.editor(of: id) }
    try await ann.close()
    try await bob.close()
  }

  @Test("activity is paged without gaps while new things are done, and deletions are a log")
  func activity() async throws {
    let notebook = try await Notebook.inMemory(actor: "ann")
    let first = try await notebook.add("0", tags: ["t"])
    for number in 1...300 { try await notebook.add("\(number)") }
    try await notebook.edit(first) { $0.append("!") }
    try await notebook.tag(first, removing: ["t"])
    try await notebook.delete([first])
    let log = notebook.activity()
    var page = try await log.page(limit: 7)
    var all = page.items
    while let next = page.next {
      try await notebook.add("meanwhile")
      page = try await log.page(limit: 97, after: next)
      all += page.items
    }
    #expect(all.count == 304 && Set(all.map(\.id)).count == 304)
    #expect(all.prefix(3).flatMap { $0.changes.map(\.kind) } == [.deleted, .untagged, .edited])
    #expect(all.allSatisfy { $0.actor == "ann" })
    var kinds: [NoteActivity.Kind] = []
    for try await activity in notebook.activity(of: first) {
      kinds += activity.changes.map(\.kind)
    }
    #expect(kinds == [.deleted, .untagged, .edited, .added, .tagged])
    let deletions = try await notebook.deletions().page(limit: 10)
    #expect(deletions.items.map(\.changes) == [[.init(subject: .note(first), kind: .deleted)]])
    #expect(deletions.next == nil)
    try await notebook.close()
  }

  @Test("a tag is one in all forms of Unicode: added once, found, counted and taken away")
  func tagForms() async throws {
    let (composed, apart) = ("caf\u{E9}", "cafe\u{301}")
    let notebook = try await Notebook.inMemory()
    let id = try await notebook.add("Note", tags: [composed, apart])
    let other = try await notebook.add("Other", tags: [apart])
    #expect(try await notebook.store.fetch(NoteTag.where { $0.note == id }).count == 1)
    // As an earlier version has written it.
    try await notebook.store.write { tx in
      try tx.put(
        "note_tags", "\(id)/\(apart)", ["note": .text(id.rawValue), "tag": .text(apart)])
    }
    for form in [composed, apart] {
      #expect(Set(try await notebook.list(.tag(form)).map(\.id)) == [id, other])
    }
    #expect(try await notebook.summary(of: id)?.tags == [composed])
    for try await tags in notebook.tags() {
      #expect(tags == [NoteTagCount(tag: composed, count: 2)])
      break
    }
    try await notebook.tag(id, removing: [composed])
    try await notebook.tag(other, removing: [apart])
    #expect(try await notebook.store.fetch(NoteTag.where { $0.tag != "" }).isEmpty)
    await #expect(throws: NotesError.self) {
      try await notebook.tag(id, adding: [String(repeating: "x", count: 600)])
    }
    try await notebook.close()
  }
}
