import DaybookNotes
import DaybookNotesMarkdown
import DaybookSimulation
import Foundation
import Testing

/// Folders of Markdown, in and out.
@Suite(.timeLimit(.minutes(10))) struct MarkdownFolderTests {
  private static let odd: [String: String] = [
    "plain.md": "# Plain\n\nText\n", "empty.md": "", "no end.md": "no line end",
    "crlf.md": "---\r\ntags: [a, b]\r\nother: {x: 1}\r\n---\r\n\r\nText\r\n",
    "mixed.md": "a\r\nb\nc\r", "bom.md": "\u{FEFF}---\ntitle: Given\n---\nText",
    "x.md": "short\n", "h/x.txt": "short, too\n",
    "Home/front.md":
      "---\n# remark\ntitle: \"Soup: hot\"\nlayout: post\ntags:\n  - a\n---\n\n\nSoup",
    "Home/Deep er/dots.md": "---\ntitle: x\n...\nText\n", "rule.md": "---\nno front matter\n",
    "bad.md": "---\ntitle: [open\n---\nText", "list.md": "---\n- a\n---\nText",
    "emoji 🥣.md": "🥣\n", "fence.md": "---\n---\nText", "a:b?.md": "Name\n",
    "bom crlf.markdown": "\u{FEFF}x\r\ny\r\n", "only front.md": "---\npinned: true\n---",
  ]

  @Test("what is imported and exported again is the same, byte by byte")
  func roundTrip() async throws {
    let (files, out) = (try MarkdownFiles(), try MarkdownFiles())
    defer {
      files.remove()
      out.remove()
    }
    for (path, text) in Self.odd { try files.write(text, path) }
    let before = try files.all()
    let notebook = try await Notebook.inMemory()
    let report = try await files.markdown().importNotes(into: notebook)
    #expect(report.notes.added == Self.odd.count)
    #expect(report.findings.map(\.code) == [.invalidFrontMatter, .invalidFrontMatter])
    let again = try await files.markdown().export(notebook)
    #expect(again.written == 0 && again.unchanged == Self.odd.count && again.findings.isEmpty)
    #expect(try files.all() == before)
    // Into another folder, by another device.
    let other = try await Notebook.inMemory()
    try await notebook.store.syncOnce(with: StorePeer(other.store))
    #expect(try await out.markdown().export(other).written == Self.odd.count)
    #expect(try out.all() == before)
    try await notebook.close()
    try await other.close()
  }

  @Test("files of random parts of Markdown and front matter come out as they went in")
  func randomMarkdownFiles() async throws {
    let (files, out) = (try MarkdownFiles(), try MarkdownFiles())
    defer {
      files.remove()
      out.remove()
    }
    let parts = [
      "---", "---\n", "---\r\n", "...\n", "\n", "\r\n", "\r", "\u{FEFF}", "title: x\n",
      "tags: [a]\n",
      "- a\n", "&a b: *a\n", "text ", "# Text\n", " ", "\t", "🥣", "e\u{301}", "{", "'", "\"", "#",
      String(repeating: "x: y\n", count: 14_000),
    ]
    var random = SplitMix64(seed: 48)
    for number in 0..<300 {
      let text = (0..<random.below(9)).map { _ in parts[random.below(parts.count)] }.joined()
      try files.write(text, "\(number).md")
    }
    let before = try files.all()
    let notebook = try await Notebook.inMemory()
    #expect(try await files.markdown().importNotes(into: notebook).notes.added == 300)
    #expect(try await files.markdown().export(notebook).unchanged == 300)
    #expect(try await out.markdown().export(notebook).written == 300)
    #expect(try out.all() == before)
    try await notebook.close()
  }

  @Test("an import understands title, tags, pin and dates, and makes folders of subfolders")
  func understands() async throws {
    let files = try MarkdownFiles()
    defer { files.remove() }
    try files.write(
      "---\ntitle: Soup\ntags: \"a, #b\"\npinned: true\ndate: 2020-02-03 04:05:06Z\n---\nHot",
      "Home/Deep/soup.md")
    let notebook = try await Notebook.inMemory()
    try await files.markdown().importNotes(into: notebook)
    let note = try #require(try await notebook.list().first)
    #expect(note.title == "Soup" && note.preview == "Hot" && note.isPinned)
    #expect(note.tags == ["a", "b"])
    #expect(note.created == Date(timeIntervalSince1970: 1_580_702_706))
    let tree = try await notebook.folderTree()
    #expect(tree.map(\.folder.name) == ["Home"])
    #expect(tree[0].children.map(\.id) == [note.folder])
    try await notebook.close()
  }

  @Test("an import that is repeated writes nothing")
  func repeated() async throws {
    let files = try MarkdownFiles()
    defer { files.remove() }
    for (path, text) in Self.odd { try files.write(text, path) }
    let notebook = try await Notebook.inMemory()
    try await files.markdown().importNotes(into: notebook)
    let digest = try await notebook.store.digest()
    let report = try await files.markdown().importNotes(into: notebook)
    #expect(report.notes == NoteImportReport(unchanged: Self.odd.count))
    try await files.markdown().export(notebook)
    #expect(try await notebook.store.digest() == digest)
    try await notebook.close()
  }

  @Test("a change of a file merges with what was typed in the app, and comes out as both")
  func merges() async throws {
    let files = try MarkdownFiles()
    defer { files.remove() }
    try files.write("---\nkey: kept\n---\nOne\nTwo\nThree\n", "a.md")
    let notebook = try await Notebook.inMemory()
    try await files.markdown().importNotes(into: notebook)
    let id = try #require(try await notebook.list().first?.id)
    for round in 1...3 {
      try await notebook.edit(id) { $0.append("app \(round)\n") }
      let text = try files.read("a.md").replacing("One", with: "One \(round)")
      try files.write(text, "a.md")
      // An export does not write over what it has not seen.
      #expect(try await files.markdown().export(notebook).findings.map(\.code) == [.changedOutside])
      #expect(try files.read("a.md") == text)
      #expect(try await files.markdown().importNotes(into: notebook).notes.changed == 1)
      #expect(try await files.markdown().importNotes(into: notebook).notes.unchanged == 1)
      #expect(try await files.markdown().export(notebook).written == 1)
      #expect(try await files.markdown().importNotes(into: notebook).notes.unchanged == 1)
    }
    #expect(
      try files.read("a.md")
        == "---\nkey: kept\n---\nOne 3 2 1\nTwo\nThree\napp 1\napp 2\napp 3\n")
    try await notebook.close()
  }

  @Test("both sides that make the same change make it once")
  func sameChange() async throws {
    let files = try MarkdownFiles()
    defer { files.remove() }
    try files.write("One\n", "a.md")
    let notebook = try await Notebook.inMemory()
    try await files.markdown().importNotes(into: notebook)
    let id = try #require(try await notebook.list().first?.id)
    try await notebook.edit(id) { $0.append("Two\n") }
    try files.write("One\nTwo\n", "a.md")
    try await files.markdown().importNotes(into: notebook)
    try await notebook.edit(id) { $0.append("Three\n") }
    #expect(try await files.markdown().importNotes(into: notebook).notes.unchanged == 1)
    #expect(try await notebook.body(of: id) == "One\nTwo\nThree\n")
    try await notebook.close()
  }

  @Test("tags, pin and title go into front matter without touching its other lines, and back")
  func frontMatter() async throws {
    let files = try MarkdownFiles()
    defer { files.remove() }
    try files.write(
      "---\n# about\ntags:\n  - a\n\n# more\nkey:  'x'   # kept\npinned: false\n---\n\nText",
      "a.md")
    try files.write("{}", "b.md")
    let notebook = try await Notebook.inMemory()
    try await files.markdown().importNotes(into: notebook)
    let id = try #require(try await notebook.list().first { $0.title == "Text" }?.id)
    try await notebook.tag(id, adding: ["b: c", "no"], removing: ["a"])
    try await notebook.setPinned(id)
    try await notebook.setTitle(id, "New")
    #expect(try await files.markdown().export(notebook).written == 1)
    #expect(
      try files.read("a.md")
        == "---\n# about\ntags: [\"b: c\", \"no\"]\n\n# more\nkey:  'x'   # kept\npinned: true\n"
        + "title: New\n---\n\nText")
    try files.write(
      try files.read("a.md").replacing("\"no\"", with: "yes-so").replacing("true", with: "false"),
      "a.md")
    try await files.markdown().importNotes(into: notebook)
    let note = try #require(try await notebook.summary(of: id))
    #expect(note.tags == ["b: c", "yes-so"] && !note.isPinned && note.title == "New")
    try await notebook.close()
  }

  @Test("files that are no notes are passed over with a reason, and stop nothing")
  func oddMarkdownFiles() async throws {
    let files = try MarkdownFiles()
    defer { files.remove() }
    try files.write("Good\n", "good.md")
    try files.write(Data([0x61, 0xFF, 0x62]), "latin.md")
    try files.write(Data([0x61, 0, 0x62]), "nul.md")
    try files.write(Data(repeating: 0x61, count: 5000), "huge.md")
    for name in [".hidden.md", "~lock.md", "x.md.tmp", "picture.png"] { try files.write("x", name) }
    let manager = FileManager.default
    try manager.createSymbolicLink(
      atPath: files.url.appending(path: "link.md").path, withDestinationPath: "good.md")
    try manager.createSymbolicLink(
      atPath: files.url.appending(path: "loop").path, withDestinationPath: ".")
    #expect(mkfifo(files.url.appending(path: "pipe.md").path, 0o644) == 0)
    let deep = "---\na: " + String(repeating: "[", count: 20_000) + "\n---\nDeep"
    try files.write(deep, "deep.md")
    let nested = "---\n" + String(repeating: "- ", count: 20_000) + "x\n---\nNested"
    try files.write(nested, "nested.md")
    let notebook = try await Notebook.inMemory()
    let report = try await files.markdown { $0.fileBytesMax = 4096 }.importNotes(into: notebook)
    let found = Dictionary(grouping: report.findings, by: \.path).mapValues { $0.map(\.code) }
    #expect(
      found == [
        "latin.md": [.notText], "nul.md": [.notText], "huge.md": [.tooLarge], "link.md": [.link],
        "pipe.md": [.special], "deep.md": [.tooLarge], "nested.md": [.tooLarge],
      ])
    #expect(try await notebook.list().map(\.title) == ["Good"])
    let whole = try await files.markdown().importNotes(into: notebook)
    #expect(
      Set(whole.findings.filter { $0.code == .invalidFrontMatter }.map(\.path))
        == ["deep.md", "nested.md"])
    try await notebook.close()
  }

  @Test("a file that is half written or was emptied changes no note until it is whole")
  func halfWritten() async throws {
    let files = try MarkdownFiles()
    defer { files.remove() }
    let text = "---\ntags: [a]\nkey: value\n---\nText that is long\n"
    try files.write(text, "a.md")
    let notebook = try await Notebook.inMemory()
    try await files.markdown().importNotes(into: notebook)
    let digest = try await notebook.store.digest()
    for (part, code) in [("", MarkdownFinding.Code.emptied), ("---\ntags: [", .unfinished)] {
      try files.write(part, "a.md")
      let report = try await files.markdown().importNotes(into: notebook)
      #expect(report.findings.map(\.code) == [code])
      #expect(try await files.markdown().export(notebook).findings.map(\.code) == [.changedOutside])
    }
    try files.write(text + "more", "a.md")
    let young = files.markdown { $0.fileAgeMin = .seconds(3600) }
    #expect(try await young.importNotes(into: notebook).findings.map(\.code) == [.unfinished])
    #expect(try await notebook.store.digest() == digest)
    #expect(try await files.markdown().importNotes(into: notebook).notes.changed == 1)
    try await notebook.close()
  }

  @Test("names that collide or that some systems refuse are changed, and stay what they are then")
  func names() async throws {
    let files = try MarkdownFiles()
    defer { files.remove() }
    let notebook = try await Notebook.inMemory()
    let folder = try await notebook.addFolder("a/b")
    for body in ["Same", "same", "SAME", "CON", "x:y*?", "../up", "", "lpt1.txt", " . "] {
      try await notebook.add(body, in: folder)
    }
    let long = String(repeating: "ü", count: 400)
    try await notebook.add(long, in: folder)
    try files.write("in the way", "a-b/Same.md")
    #expect(try await files.markdown().export(notebook).written == 10)
    let names = try files.all().keys.map { ($0 as NSString).lastPathComponent }
    #expect(Set(names.map { $0.lowercased() }).count == 11)
    #expect(try files.all().keys.allSatisfy { $0.hasPrefix("a-b/") })
    #expect(try files.read("a-b/Same.md") == "in the way")
    #expect(names.contains("_CON.md") && names.contains("x-y--.md") && names.contains("-up.md"))
    let before = try files.all()
    #expect(try await files.markdown().export(notebook).unchanged == 10)
    let report = try await files.markdown().importNotes(into: notebook)
    #expect(report.notes == NoteImportReport(added: 1, unchanged: 10))
    #expect(try files.all() == before)
    try await notebook.close()
  }

  @Test("a path that another device made up does not leave the folder")
  func unsafePaths() async throws {
    let files = try MarkdownFiles()
    defer { files.remove() }
    let notebook = try await Notebook.inMemory()
    try await files.markdown().importNotes(into: notebook)
    for (number, path) in [
      "../../x.md", "/etc/x.md", "a/../x.md", ".hidden/x.md", "x\0.md", "x.sh",
    ]
    .enumerated() {
      let id = try await notebook.add("Note \(number)")
      try await notebook.store.write { tx in
        try tx.put(
          "note_files", id.rawValue, ["path": .text(path), "source": .text("markdown")])
      }
    }
    let outside = files.url.deletingLastPathComponent().appending(path: "x.md").path
    try await files.markdown().export(notebook)
    #expect(try files.all().keys.sorted() == (0..<6).map { "Note \($0).md" })
    #expect(!FileManager.default.fileExists(atPath: outside))
    // A folder that is a link is not written through.
    let target = try MarkdownFiles()
    defer { target.remove() }
    try FileManager.default.createSymbolicLink(
      at: files.url.appending(path: "Linked"), withDestinationURL: target.url)
    let folder = try await notebook.addFolder("Linked")
    try await notebook.add("Through", in: folder)
    #expect(
      try await files.markdown().export(notebook).findings.map(\.code) == [.unwritable])
    // Nor is one behind it, which a check of the last name only would miss.
    try FileManager.default.createDirectory(
      at: target.url.appending(path: "In/Deep"), withIntermediateDirectories: true)
    let inner = try await notebook.addFolder("In", in: folder)
    try await notebook.add("Through, too", in: try await notebook.addFolder("Deep", in: inner))
    let report = try await files.markdown().export(notebook)
    #expect(report.findings.map(\.code) == [.unwritable, .unwritable])
    #expect(report.findings.allSatisfy { $0.message.contains("link") })
    #expect(try target.all().isEmpty)
    try await notebook.close()
  }

  @Test("files follow their notes to other folders and into the trash, and notes follow files")
  func moves() async throws {
    let files = try MarkdownFiles()
    defer { files.remove() }
    try files.write("One\n", "one.md")
    try files.write("Two\n", "two.md")
    let notebook = try await Notebook.inMemory()
    try await files.markdown().importNotes(into: notebook)
    let one = try #require(try await notebook.list().first { $0.title == "One" }?.id)
    let two = try #require(try await notebook.list().first { $0.title == "Two" }?.id)
    let home = try await notebook.addFolder("Home")
    try await notebook.move([one], to: home)
    try await notebook.delete([two])
    let report = try await files.markdown().export(notebook)
    #expect(report.written == 1 && report.removed == 2)
    #expect(try files.all().keys.sorted() == ["Home/one.md"])
    // A new file of an old path is another note.
    try files.write("Other\n", "one.md")
    #expect(try await files.markdown().importNotes(into: notebook).notes.added == 1)
    #expect(try await notebook.body(of: one) == "One\n")
    // A file that was moved outside takes its note along.
    try FileManager.default.moveItem(
      at: files.url.appending(path: "Home/one.md"), to: files.url.appending(path: "moved.md"))
    let moved = try await files.markdown().importNotes(into: notebook)
    #expect(moved.notes.changed == 1 && moved.notes.added == 0 && moved.findings.isEmpty)
    #expect(try await notebook.summary(of: one)?.folder == nil)
    // One that is gone leaves its note.
    try FileManager.default.removeItem(at: files.url.appending(path: "moved.md"))
    let gone = try await files.markdown().importNotes(into: notebook)
    #expect(gone.findings.map(\.code) == [.missing])
    #expect(try await notebook.body(of: one) == "One\n")
    try await notebook.close()
  }

  @Test("a text that looks like front matter comes back as text")
  func looksLikeFront() async throws {
    let files = try MarkdownFiles()
    defer { files.remove() }
    let notebook = try await Notebook.inMemory()
    let body = "---\nkey: value\n---\n\nText"
    let id = try await notebook.add(body)
    try await files.markdown().export(notebook)
    #expect(try await files.markdown().importNotes(into: notebook).notes.unchanged == 1)
    #expect(try await notebook.body(of: id) == body)
    try await notebook.close()
  }
}
