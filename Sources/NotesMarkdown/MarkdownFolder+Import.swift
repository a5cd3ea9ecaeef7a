import Foundation
import GRDB
import Notes
import Projections

extension MarkdownFolder {
  /// Imports the files as notes, with the subfolders as folders.
  ///
  /// A note that was imported or exported before is found again by its file's path. A file that was
  /// moved without other changes is found by what it holds. A note that is in the trash stays
  /// there.
  ///
  /// Cost: reads all files. Only what is new or different is written, 200 notes an event.
  /// - Parameter notebook: the notebook that gets the notes.
  /// - Returns: what was done, and which files were passed over.
  /// - Throws: `NotesError` `unusableFolder` if the folder cannot be read; `StoreError`. Notes that
  ///   were imported before the error stay, and the next import goes on.
  @discardableResult
  public func importNotes(into notebook: Notebook) async throws -> MarkdownReport {
    let disk = try MarkdownDisk(url)
    try await NoteFiles.define(in: notebook)
    var run = try await MarkdownImport(self, disk, notebook)
    try await run.takeKnown()
    try await run.takeMoved()
    try await run.takeNew()
    return try await run.finish()
  }
}

/// A file of a folder as an import sees it.
struct MarkdownItem: Sendable {
  var path: String
  var text: MarkdownText
  var front: FrontMatter
  var note: ImportedNote

  init(_ path: String, _ text: MarkdownText, _ facts: MarkdownDisk.Facts?) {
    self.path = path
    self.text = text
    front = FrontMatter(text.yaml)
    note = ImportedNote(
      id: path, folders: path.split(separator: "/").dropLast().map(String.init),
      title: front.title, body: text.body, created: front.created ?? facts?.createdDate,
      modified: front.modified ?? facts?.modifiedDate, tags: front.tags, isPinned: front.isPinned)
  }

  /// What the file has beside title and text.
  var extra: String { text.marks + "\n" + text.front }
  var digest: String { ImportItem.digest(title: note.title, body: note.body, extra: extra) }
}

/// One import of a folder.
private struct MarkdownImport {
  private let folder: MarkdownFolder
  private let disk: MarkdownDisk
  private let notebook: Notebook
  private let session: ImportSession
  private let entries: [NoteEntity.ID: NoteFiles.Entry]
  private var notes: [NoteEntity.ID: (digest: String?, isEmpty: Bool)] = [:]
  /// The notes by the paths of their files; a note that is not in the trash before one that is.
  private var byPath: [String: NoteEntity.ID] = [:]
  private var files: [(path: String, facts: MarkdownDisk.Facts)] = []
  /// Files that belong to no note that is known.
  private var unknown: [(path: String, facts: MarkdownDisk.Facts)] = []
  private var seen: Set<NoteEntity.ID> = []
  private var report = MarkdownReport()
  private var hasUnreadable = false

  init(_ folder: MarkdownFolder, _ disk: MarkdownDisk, _ notebook: Notebook) async throws {
    self.folder = folder
    self.disk = disk
    self.notebook = notebook
    let source = folder.options.source
    session = try await ImportSession(notebook, source)
    entries = try await NoteFiles.all(source, notebook)
    let rows = try await notebook.store.read { db in
      var rows: [(NoteEntity.ID, String?, Bool)] = []
      try db.forEachRow("SELECT id, import_digest, coalesce(body, '') = '' FROM notes") {
        rows.append((NoteEntity.ID($0.text(0)), $0.textIfAny(1), $0.integer(2) != 0))
      }
      return rows
    }
    for (id, digest, isEmpty) in rows { notes[id] = (digest, isEmpty) }
    for (id, entry) in entries.sorted(by: { $0.key < $1.key }) {
      let key = FileName.key(entry.path)
      if byPath[key] == nil || notes[id] != nil { byPath[key] = id }
    }
    look()
  }

  /// Lists the files, and sorts them into those of known notes and others.
  private mutating func look() {
    var found: [(String, MarkdownDisk.Finding)] = []
    disk.forEach(folder.options.extensions) { found.append(($0, $1)) }
    for (path, finding) in found {
      switch finding {
      case .file(let facts):
        if byPath[FileName.key(path)] == nil {
          unknown.append((path, facts))
        } else {
          files.append((path, facts))
        }
      case .link: note(.link, path, "is a link, and is not followed")
      case .other: note(.special, path, "is no file, or too deep in folders")
      case .badName: note(.special, path, "has files whose names are not UTF-8")
      case .unreadable(let cause):
        hasUnreadable = true
        note(.unreadable, path, "cannot be read: \(cause)")
      }
    }
  }

  private mutating func note(_ code: MarkdownFinding.Code, _ path: String, _ message: String) {
    report.findings.append(MarkdownFinding(code, path, message))
  }

  // MARK: - Files

  mutating func takeKnown() async throws {
    for (path, facts) in files {
      guard let id = byPath[FileName.key(path)] else { continue }
      // Some systems treat these two names as one.
      guard seen.insert(id).inserted else {
        unknown.append((path, facts))
        continue
      }
      guard let item = read(path, facts) else { continue }
      if item.text.isOpen, !(entries[id]?.front.isEmpty ?? true) {
        note(.unfinished, path, "ends before its front matter does")
        continue
      }
      if item.text.front.isEmpty, item.text.body.isEmpty, notes[id]?.isEmpty == false {
        note(.emptied, path, "is empty, and its note is not")
        continue
      }
      try await take(item, id)
    }
  }

  /// Takes moved files: their contents equal those of a note's file that is missing.
  mutating func takeMoved() async throws {
    var missing: [String: NoteEntity.ID] = [:]
    for id in entries.keys.sorted() where !seen.contains(id) {
      if let digest = notes[id]?.digest { missing[digest] = missing[digest] ?? id }
    }
    guard !missing.isEmpty else { return }
    var others: [(path: String, facts: MarkdownDisk.Facts)] = []
    for (path, facts) in unknown {
      guard let item = read(path, facts, isTrial: true), let id = missing[item.digest] else {
        others.append((path, facts))
        continue
      }
      missing[item.digest] = nil
      seen.insert(id)
      try await move(id, to: item)
    }
    unknown = others
  }

  private mutating func move(_ id: NoteEntity.ID, to item: MarkdownItem) async throws {
    let paths = try await FolderPaths(notebook)
    let (source, text) = (folder.options.source, item.text)
    let entry = NoteFiles.Entry(path: item.path, front: text.front, marks: text.marks)
    try await notebook.write(label: ImportSession.label(source)) { tx in
      var paths = paths
      try tx.set(\.folder, of: id, to: try paths.folder(item.note.folders, tx))
      try NoteFiles.put(entry, of: id, source, tx)
    }
    report.notes.changed += 1
  }

  mutating func takeNew() async throws {
    for (path, facts) in unknown {
      guard let item = read(path, facts) else { continue }
      let id = newID(path)
      guard seen.insert(id).inserted else { continue }
      try await take(item, id)
    }
  }

  /// Returns the id of a new file's note.
  ///
  /// The id follows from the path, so two devices make the same note. If that note has another path
  /// now, the id is another one.
  private func newID(_ path: String) -> NoteEntity.ID {
    let key = path.precomposedStringWithCanonicalMapping
    var number = 0
    while true {
      let name = number == 0 ? key : "\(key)\0\(number)"
      let id = ImportSession.id(of: name, in: folder.options.source)
      let other = entries[id].map { FileName.key($0.path) != FileName.key(path) } ?? false
      if !other, !seen.contains(id) { return id }
      number += 1
    }
  }

  private mutating func take(_ item: MarkdownItem, _ id: NoteEntity.ID) async throws {
    if let problem = item.front.problem {
      note(.invalidFrontMatter, item.path, "has front matter that is not understood: \(problem)")
    }
    let source = folder.options.source
    let (text, front) = (item.text, item.front)
    let entry = NoteFiles.Entry(path: item.path, front: text.front, marks: text.marks)
    try await session.take(
      ImportItem(id, item.note, extra: item.extra) { tx, isNew in
        if !isNew, front.problem == nil {
          var before = MarkdownText(front: "", body: "")
          if case .text(let old)? = try tx.fetch(NoteFiles.collection, id.rawValue)?["front"] {
            before.front = old
          }
          try Self.change(id, from: FrontMatter(before.yaml), to: front, tx)
        }
        try NoteFiles.put(entry, of: id, source, tx)
      })
  }

  /// Changes tags and pin as the front matter of a file has changed them.
  private static func change(
    _ id: NoteEntity.ID, from old: FrontMatter, to new: FrontMatter, _ tx: WriteTransaction
  ) throws {
    try tx.changeTags(
      of: id, adding: Set(new.tags).subtracting(old.tags),
      removing: Set(old.tags).subtracting(new.tags))
    if old.isPinned != new.isPinned { try tx.set(\.isPinned, of: id, to: new.isPinned) }
  }

  /// Reads a file; nil if it is passed over.
  /// - Parameter isTrial: whether nothing is reported.
  private mutating func read(
    _ path: String, _ facts: MarkdownDisk.Facts, isTrial: Bool = false
  ) -> MarkdownItem? {
    func refuse(_ code: MarkdownFinding.Code, _ message: String) -> MarkdownItem? {
      if !isTrial { note(code, path, message) }
      return nil
    }
    let limit = folder.options.fileBytesMax
    guard facts.size <= limit else {
      return refuse(.tooLarge, "has \(facts.size) bytes, and \(limit) are allowed")
    }
    let age = Date.now.timeIntervalSince(facts.modifiedDate)
    let settling = folder.options.settling
    let seconds =
      Double(settling.components.seconds) + Double(settling.components.attoseconds) / 1e18
    // A date in the future says nothing about the age.
    guard age < 0 || age >= seconds else { return refuse(.unfinished, "was written just now") }
    let bytes: [UInt8]
    do { bytes = try disk.read(path, atMost: limit) } catch {
      return refuse(.unreadable, "cannot be read: \(error.localizedDescription)")
    }
    guard disk.facts(path) == facts, bytes.count == facts.size else {
      return refuse(.unfinished, "is being written")
    }
    guard let text = MarkdownText(bytes) else {
      return refuse(.notText, "is not UTF-8, or has a NUL")
    }
    return MarkdownItem(path, text, facts)
  }

  mutating func finish() async throws -> MarkdownReport {
    let moved = report.notes.changed
    report.notes = try await session.finish()
    report.notes.changed += moved
    report.unchanged = report.notes.unchanged
    if !hasUnreadable {
      for (id, entry) in entries.sorted(by: { $0.value.path < $1.value.path })
      where notes[id] != nil && !seen.contains(id) {
        note(.missing, entry.path, "is gone, and its note is not")
      }
    }
    return report
  }
}
