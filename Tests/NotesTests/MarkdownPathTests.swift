import DaybookNotes
import DaybookNotesMarkdown
import Foundation
import Testing

/// Names and folders of Markdown files: odd ones, long ones, and those that are nearly the same.
@Suite(.timeLimit(.minutes(10))) struct MarkdownPathTests {
  /// Imports and exports a few times, and expects that nothing changes any more.
  private func expectNoChange(_ files: MarkdownFiles, _ notebook: Notebook) async throws {
    let before = try files.all()
    let count = try await notebook.list().count
    for _ in 1...2 {
      #expect(try await files.markdown().export(notebook).written == 0)
      #expect(try await files.markdown().importNotes(into: notebook).notes.unchanged == count)
    }
    #expect(try files.all() == before)
    #expect(try await notebook.list().count == count)
  }

  @Test("names that differ in case or in their form of Unicode are notes of their own")
  func nearlySameNames() async throws {
    let files = try MarkdownFiles()
    defer { files.remove() }
    let names = [
      "A.md", "a.md", "caf\u{E9}.md", "cafe\u{301}.md", "Dir/x.md", "dir/x.md", "d\u{E9}/y.md",
      "de\u{301}/y.md",
    ]
    for (number, name) in names.enumerated() { try files.write("Text \(number)\n", name) }
    // A system that takes two of these for one has fewer files.
    let count = try files.all().count
    let notebook = try await Notebook.inMemory()
    #expect(try await files.markdown().importNotes(into: notebook).notes.added == count)
    try await expectNoChange(files, notebook)
    for note in try await notebook.list() {
      try await notebook.edit(note.id) { $0.append("\(note.title) in the app\n") }
    }
    for (path, data) in try files.all() {
      let text = String(decoding: data, as: UTF8.self)
      try files.write(text + text.trimmingCharacters(in: .newlines) + " in the file\n", path)
    }
    #expect(try await files.markdown().importNotes(into: notebook).notes.changed == count)
    #expect(try await files.markdown().export(notebook).written == count)
    for data in try files.all().values {
      let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
      let first = try #require(lines.first)
      #expect(Set(lines) == [first, "\(first) in the app", "\(first) in the file"])
      #expect(lines.count == 3)
    }
    try await expectNoChange(files, notebook)
    try await notebook.close()
  }

  @Test("a file or folder whose name changes in case or in its form of Unicode stays its note's")
  func changedForm() async throws {
    let files = try MarkdownFiles()
    defer { files.remove() }
    try files.write("One\n", "Home/Caf\u{E9}.md")
    let notebook = try await Notebook.inMemory()
    try await files.markdown().importNotes(into: notebook)
    let id = try #require(try await notebook.list().first?.id)
    let folder = try await notebook.summary(of: id)?.folder
    try FileManager.default.removeItem(at: files.url.appending(path: "Home"))
    try files.write("One\nTwo\n", "home/cafe\u{301}.md")
    #expect(try await files.markdown().importNotes(into: notebook).notes.changed == 1)
    #expect(try await notebook.body(of: id) == "One\nTwo\n")
    #expect(try await notebook.summary(of: id)?.folder == folder)
    #expect(try await notebook.folderTree().count == 1)
    try await expectNoChange(files, notebook)
    #expect(try files.all().count == 1)
    try await notebook.close()
  }

  @Test("a file that cannot be taken, and one that cannot be written, stop no other")
  func oneBadFile() async throws {
    let files = try MarkdownFiles()
    defer { files.remove() }
    let tag = String(repeating: "t", count: 3000)
    try files.write("---\ndate: 0000-00-00\n---\nYear 0\n", "0.md")
    try files.write("---\ntags: [\(tag), kept]\n---\nTag\n", "tag.md")
    try files.write("Good\n", "good.md")
    let notebook = try await Notebook.inMemory()
    #expect(try await files.markdown().importNotes(into: notebook).notes.added == 3)
    #expect(try await notebook.tags().first { _ in true }.map(\.tag) == ["kept"])
    // A file stands where a folder has to be, and a folder where a file has to be.
    let (home, other) = (
      try await notebook.addFolder("Home"), try await notebook.addFolder("Other")
    )
    try files.write("in the way", "Home")
    try await notebook.add("Blocked", in: home)
    try await notebook.add("Fine", in: other)
    let report = try await files.markdown().export(notebook)
    #expect(report.findings.map(\.code) == [.unwritable] && report.written == 1)
    #expect(try files.read("Other/Fine.md") == "Fine" && files.read("Home") == "in the way")
    try FileManager.default.removeItem(at: files.url.appending(path: "Home"))
    #expect(try await files.markdown().export(notebook).written == 1)
    try await expectNoChange(files, notebook)
    try await notebook.close()
  }

  @Test("folders with names of temporary files, long paths and deep ones are written once")
  func longAndDeep() async throws {
    let files = try MarkdownFiles()
    defer { files.remove() }
    let notebook = try await Notebook.inMemory()
    for name in ["drafts.tmp", "x.part", "~old", ".hidden", "a.crdownload", "b~"] {
      try await notebook.add("In \(name)", in: try await notebook.addFolder(name))
    }
    var folder: NoteFolder.ID?
    for _ in 0..<12 {
      folder = try await notebook.addFolder(String(repeating: "long ", count: 40), in: folder)
      try await notebook.add(String(repeating: "word ", count: 50), in: folder)
    }
    folder = nil
    for level in 0..<80 {
      folder = try await notebook.addFolder("\(level)", in: folder)
      try await notebook.add("Level \(level)", in: folder)
    }
    let count = try await notebook.list().count
    let report = try await files.markdown().export(notebook)
    #expect(report.written == count && Set(report.findings.map(\.code)) == [.tooDeep])
    #expect(try files.all().keys.allSatisfy { $0.utf8.count <= 1024 })
    try await expectNoChange(files, notebook)
    // Another device reads all of it.
    let other = try await Notebook.inMemory()
    #expect(try await files.markdown().importNotes(into: other).notes.added == count)
    try await expectNoChange(files, other)
    try await notebook.close()
    try await other.close()
  }

  @Test("folders of other programs may be as deep and long as can be imported")
  func deepFiles() async throws {
    let files = try MarkdownFiles()
    defer { files.remove() }
    let deep = (0..<63).map { "\($0)" }.joined(separator: "/")
    try files.write("Deep\n", deep + "/a.md")
    try files.write("Too deep\n", deep + "/63/a.md")
    let long = (0..<6).map { "\($0)" + String(repeating: "x", count: 240) }.joined(separator: "/")
    try files.write("Long\n", long + "/a.md")
    let notebook = try await Notebook.inMemory()
    let report = try await files.markdown().importNotes(into: notebook)
    #expect(report.notes.added == 2 && report.findings.map(\.code) == [.special])
    try await expectNoChange(files, notebook)
    #expect(try files.all().count == 3)
    try await notebook.close()
  }

  @Test("a new file in a folder whose name was adapted for the disk is in that folder")
  func adaptedFolder() async throws {
    let files = try MarkdownFiles()
    defer { files.remove() }
    let notebook = try await Notebook.inMemory()
    let folder = try await notebook.addFolder("a/b: c?")
    try await notebook.add("One", in: folder)
    try await files.markdown().export(notebook)
    try files.write("New", "a-b- c-/new.md")
    #expect(try await files.markdown().importNotes(into: notebook).notes.added == 1)
    #expect(try await notebook.folderTree().map(\.id) == [folder])
    #expect(try await notebook.list(.folder(folder)).count == 2)
    try await expectNoChange(files, notebook)
    // Folders of one name keep their paths whatever their order is, and follow a new name.
    let twin = try await notebook.addFolder("a/b: c?")
    try await notebook.add("Two", in: twin)
    #expect(try await files.markdown().export(notebook).written == 1)
    try await notebook.move(twin, to: nil, before: folder)
    try await expectNoChange(files, notebook)
    try await notebook.rename(folder, to: "Plain")
    let report = try await files.markdown().export(notebook)
    #expect(report.written == 2 && report.removed == 2)
    #expect(
      try files.all().keys.sorted() == ["Plain/One.md", "Plain/new.md", "a-b- c- 2/Two.md"])
    try await expectNoChange(files, notebook)
    // Another device that has a copy of the files knows the folders, too.
    let other = try await Notebook.inMemory()
    try await notebook.store.syncOnce(with: StorePeer(other.store))
    #expect(try await files.markdown().importNotes(into: other).notes.added == 0)
    #expect(try await other.folderTree().count == 2)
    try await notebook.close()
    try await other.close()
  }
}
