import DaybookNotes
import DaybookNotesMarkdown
import Foundation
import Testing

/// Front matter: what is understood of it, and what stays as it is when something changes.
@Suite(.timeLimit(.minutes(10))) struct FrontMatterTests {
  /// Imports a file, changes its note, and returns the file after an export.
  private func changed(
    _ text: String, _ change: (Notebook, NoteEntity.ID) async throws -> Void
  ) async throws -> (file: String, findings: [MarkdownFinding.Code]) {
    let files = try MarkdownFiles()
    defer { files.remove() }
    try files.write(text, "a.md")
    let notebook = try await Notebook.inMemory()
    try await files.markdown().importNotes(into: notebook)
    let id = try #require(try await notebook.list().first?.id)
    try await change(notebook, id)
    let report = try await files.markdown().export(notebook)
    let file = try files.read("a.md")
    // What was written is read as it was meant, and says nothing new.
    #expect(try await files.markdown().importNotes(into: notebook).notes.unchanged == 1)
    #expect(try await files.markdown().export(notebook).written == 0)
    #expect(try files.read("a.md") == file)
    try await notebook.close()
    return (file, report.findings.map(\.code))
  }

  private func understood(_ front: String) async throws -> NoteSummary {
    let files = try MarkdownFiles()
    defer { files.remove() }
    try files.write("---\n\(front)\n---\nText", "a.md")
    let notebook = try await Notebook.inMemory()
    try await files.markdown().importNotes(into: notebook)
    let note = try #require(try await notebook.list().first)
    try await notebook.close()
    return note
  }

  @Test("aliases cost nothing, as keys or as values, however often they refer to each other")
  func aliases() async throws {
    var text = "---\na0: &a0 [x, x]\n"
    for level in 1..<40 {
      text += "a\(level): &a\(level) {? [*a\(level - 1), *a\(level - 1)] : *a\(level - 1)}\n"
    }
    text += "? *a39\n: *a39\ntags: *a39\n---\nText"
    let (file, findings) = try await changed(text) { try await $0.setTitle($1, "New") }
    #expect(file == text.replacing("\n---\nText", with: "\ntitle: New\n---\nText"))
    #expect(findings.isEmpty)
    let named = try await understood("name: &n Soup\nwords: &w [a, b]\ntitle: *n\ntags: *w")
    #expect(named.title == "Soup" && named.tags == ["a", "b"])
  }

  @Test(
    "only the value of a key that changes is written, and all around it stays byte by byte",
    arguments: [
      ("other: \"a\rb\"\ntitle: Old\nlast: 1\n", "other: \"a\rb\"\ntitle: New\nlast: 1\n"),
      ("other: \"a\u{85}b\"\ntitle: Old\n", "other: \"a\u{85}b\"\ntitle: New\n"),
      ("other: \"a\u{2028}b\"\ntitle: Old\n", "other: \"a\u{2028}b\"\ntitle: New\n"),
      ("title: Old\rlast: 1\n", "title: New\rlast: 1\n"),
      ("title: >\n  Old\n\nlast: 1\n", "title: New\n\nlast: 1\n"),
      ("title: |-\n    Old\n# about\nlast: 1\n", "title: New\n# about\nlast: 1\n"),
      ("\"title\" : 'Old' # why\nlast: {a: [1]}\n", "\"title\" : New # why\nlast: {a: [1]}\n"),
      ("  title:\n    Old\n  last: 1\n", "  title: New\n  last: 1\n"),
      ("title: # why\n  Old\nlast: 1\n", "title: # why\n  New\nlast: 1\n"),
      ("title: !!str Old\nlast: 1\n", "title: New\nlast: 1\n"),
      ("a: &x {a: 1}\ntitle: Old\nb: *x\n", "a: &x {a: 1}\ntitle: New\nb: *x\n"),
      ("{title: Old, last: 1}\n", "{title: New, last: 1}\n"),
      ("? title\n: Old\nlast: 1\n", "? title\n: New\nlast: 1\n"),
      ("title: Old\nlast: |+\n  x\n\n\n", "title: New\nlast: |+\n  x\n\n\n"),
      ("title:\nlast: 1\n", "title: New\nlast: 1\n"),
      ("\u{FEFF}title: Old\n", "\u{FEFF}title: New\n"),
    ])
  func keepsOtherKeys(yaml: String, expected: String) async throws {
    let (file, findings) = try await changed("---\n\(yaml)---\nText\n") {
      try await $0.setTitle($1, "New")
      try await $0.edit($1) { $0.append("more\n") }
    }
    #expect(
      file.utf8.elementsEqual("---\n\(expected)---\nText\nmore\n".utf8), "\(file.debugDescription)")
    #expect(findings.isEmpty)
  }

  @Test("a title of any characters is written so that it is read again")
  func anyTitle() async throws {
    let all = (1..<0x300).compactMap(Unicode.Scalar.init).map { String(Character($0)) }.joined()
    for title in [
      all, "New: \u{7F}\u{85}\u{2028}\u{FEFF}\u{FFFE}\"\\\t", "- x", "null", "2020-01-01", "a: b",
      "#", "é",
      "e\u{301}", "\u{1F600}", "yes", " ", "*a", "&a", "%", "@", "`", "a #b",
    ] {
      let files = try MarkdownFiles()
      defer { files.remove() }
      let (ann, bob) = (try await Notebook.inMemory(), try await Notebook.inMemory())
      try await ann.setTitle(try await ann.add("Text"), title)
      #expect(try await files.markdown().export(ann).findings.isEmpty)
      #expect(try await files.markdown().importNotes(into: bob).findings.isEmpty)
      let read = try await bob.store.fetch(NoteEntity.where { $0.body == "Text" }).first?.title
      #expect(read?.utf8.elementsEqual(title.utf8) ?? false, "\(title.debugDescription)")
      try await ann.close()
      try await bob.close()
    }
  }

  @Test("a value that another key refers to is left alone, and said so")
  func anchors() async throws {
    for yaml in ["title: &t Old\nalias: *t\n", "tags: &t [a]\nalias: *t\n"] {
      let text = "---\n\(yaml)---\nText"
      let (file, findings) = try await changed(text) { notebook, id in
        try await notebook.setTitle(id, "New")
        try await notebook.tag(id, adding: ["b"], removing: ["a"])
      }
      #expect(file == text && findings == [.frontMatterKept])
    }
  }

  @Test("front matter at the end of a file without a newline stays front matter")
  func withoutNewline() async throws {
    let (file, _) = try await changed("---\nkey: value\n---") { notebook, id in
      try await notebook.edit(id) { $0.append("Text") }
    }
    #expect(file == "---\nkey: value\n---\nText")
  }

  @Test("a text that begins with empty lines does not grow by them at each export")
  func emptyLines() async throws {
    let files = try MarkdownFiles()
    defer { files.remove() }
    try files.write("---\nkey: value\n---\n\nText", "a.md")
    let notebook = try await Notebook.inMemory()
    try await files.markdown().importNotes(into: notebook)
    let id = try #require(try await notebook.list().first?.id)
    try await notebook.edit(id) { try $0.insert("\n\n", at: 0) }
    for round in 1...3 {
      try await files.markdown().export(notebook)
      #expect(try await files.markdown().importNotes(into: notebook).notes.unchanged == 1)
      #expect(
        try await notebook.body(of: id) == "\n\nText" + String(repeating: "!", count: round - 1))
      #expect(
        try files.read("a.md")
          == "---\nkey: value\n---\n\n\nText" + String(repeating: "!", count: round - 1))
      try await notebook.edit(id) { $0.append("!") }
    }
    try await notebook.close()
  }

  @Test(
    "a title that is null is none",
    arguments: ["null", "~", "", "Null", "NULL", "!!null x", "\"\"", "\"a\\0b\""])
  func null(value: String) async throws {
    #expect(try await understood("title: \(value)").title == "Text")
    #expect(try await understood("title: \"null\"").title == "null")
  }

  @Test("a day that there is none is no date, and stops nothing")
  func dates() async throws {
    for date in [
      "0000-01-01", "2020-02-30", "2021-02-29", "2020-13-01", "2020-00-01", "2020-01-01 24:00:00",
      "2020-01-01 00:60:00", "9999-12-31 23:00:00 -14", "20200101", "2020-01-01x",
    ] {
      let note = try await understood("date: \(date)")
      #expect(abs(note.created.timeIntervalSinceNow) < 3600, "\(date): \(note.created)")
    }
    for (date, seconds) in [
      ("2020-02-29", 1_582_934_400.0), ("2020-2-3 4:05:06 +1", 1_580_699_106),
      ("2020-02-03T04:05:06.25-01:30", 1_580_708_106.25), ("\"2020-02-03\"", 1_580_688_000),
    ] {
      #expect(try await understood("date: \(date)").created.timeIntervalSince1970 == seconds)
    }
  }

  @Test("tags that are taken away leave no other key that gives them back")
  func otherKeys() async throws {
    let text = "---\ntags: [a]\nkeywords: b\n---\nText"
    let (file, findings) = try await changed(text) { notebook, id in
      try await notebook.tag(id, removing: ["a"])
    }
    #expect(file == "---\ntags: []\nkeywords: b\n---\nText" && findings.isEmpty)
    let (sign, _) = try await changed("Text") { notebook, id in
      try await notebook.tag(id, adding: ["#a"])
    }
    #expect(sign == "---\ntags: [\"##a\"]\n---\n\nText")
  }

  @Test("front matter does not become longer than what is read as such")
  func length() async throws {
    let yaml = String(repeating: "x", count: 65_500)
    let text = "---\nkey: \(yaml)\n---\nText"
    let (file, findings) = try await changed(text) { notebook, id in
      try await notebook.setTitle(id, String(repeating: "long ", count: 20))
    }
    #expect(file == text && findings == [.frontMatterKept])
  }
}
