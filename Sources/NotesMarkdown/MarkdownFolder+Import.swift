import DaybookNotes
import DaybookProjections
import Foundation
import GRDB

extension MarkdownFolder {
  /// Imports the files as notes, with the subfolders as folders.
  ///
  /// A note that this device has imported or exported before is found again by its file's path. A
  /// file that was moved is found by what it holds, and so is one that another device has written.
  /// A note that is in the trash stays there. A file that cannot be taken stops no other.
  ///
  /// Cost: reads all files. Only what is new or different is written, 200 notes an event.
  /// - Parameter notebook: the notebook that gets the notes.
  /// - Returns: what was done, and which files were passed over.
  /// - Throws: `NotesError` `unusableFolder` if the folder cannot be read; `StoreError`. Notes that
  ///   were imported before the error stay, and the next import goes on.
  @discardableResult
  public func importNotes(into notebook: Notebook) async throws -> MarkdownReport {
    let disk = try MarkdownDisk(url)
    let index = try await MarkdownIndex(self, disk, notebook)
    var run = try await MarkdownImport(self, disk, notebook, index)
    try await run.takeKnown()
    try await run.takeMoved()
    try await run.takeCopies()
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
      id: path, folders: Array(FileName.names(path).dropLast()), title: front.title,
      body: text.body, created: front.created ?? facts?.createdDate,
      modified: front.modified ?? facts?.modifiedDate, tags: front.tags, isPinned: front.isPinned)
  }

  var entry: NoteFiles.Entry {
    NoteFiles.Entry(path: path, front: text.front, marks: text.marks)
  }

  var digest: String {
    NoteCopy.digest(title: note.title, front: text.front, marks: text.marks, text: text.body)
  }

  /// What this device knows about the file once it is the note's.
  func copy(of id: NoteEntity.ID) -> NoteCopy.Source {
    NoteCopy.Source(
      note: id, path: path, title: note.title, front: text.front, marks: text.marks,
      text: text.body)
  }
}

/// One import of a folder.
private struct MarkdownImport {
  private typealias File = (path: String, facts: MarkdownDisk.Facts)

  private let folder: MarkdownFolder
  private let disk: MarkdownDisk
  private let notebook: Notebook
  private let session: ImportSession
  private let index: MarkdownIndex
  /// The notes by the exact paths of their files on this device.
  private var byPath: [ExactText: NoteEntity.ID] = [:]
  /// Files of notes that this device knows, and others.
  private var known: [(file: File, id: NoteEntity.ID)] = []
  private var unknown: [File] = []
  private var others: [MarkdownItem] = []
  private var seen: Set<NoteEntity.ID> = []
  private var report = MarkdownReport()
  private var hasUnreadable = false

  init(
    _ folder: MarkdownFolder, _ disk: MarkdownDisk, _ notebook: Notebook, _ index: MarkdownIndex
  ) async throws {
    (self.folder, self.disk, self.notebook) = (folder, disk, notebook)
    var index = index
    var found: [(String, MarkdownDisk.Finding)] = []
    disk.forEach(folder.options.extensions) { found.append(($0, $1)) }
    index.folders.follow(Self.folders(of: found.map(\.0)))
    self.index = index
    session = try await ImportSession(
      notebook, folder.options.source, at: index.place,
      FolderPaths(exactly: index.folders.names), isLenient: true)
    for (id, copy) in index.copies.sorted(by: { $0.key < $1.key }) {
      let path = ExactText(copy.path)
      if byPath[path] == nil || index.notes[id] != nil { byPath[path] = id }
    }
    sort(found)
  }

  /// Returns the folders on the way to some paths.
  private static func folders(of paths: [String]) -> Set<ExactText> {
    var folders: Set<ExactText> = []
    for path in paths {
      var folder = FileName.parent(path)
      while !folder.isEmpty, folders.insert(ExactText(folder)).inserted {
        folder = FileName.parent(folder)
      }
    }
    return folders
  }

  /// Sorts the files into those of known notes and others.
  private mutating func sort(_ found: [(String, MarkdownDisk.Finding)]) {
    var files: [File] = []
    for (path, finding) in found {
      switch finding {
      case .file(let facts): files.append((path, facts))
      case .link: note(.link, path, "is a link, and is not followed")
      case .other: note(.special, path, "is no file")
      case .tooDeep: note(.special, path, "is more than \(MarkdownDisk.levelsMax) folders deep")
      case .badName: note(.special, path, "has files whose names are not UTF-8")
      case .unreadable(let cause):
        hasUnreadable = true
        note(.unreadable, path, "cannot be read: \(cause)")
      }
    }
    // First the files that have a note's exact path; two names may differ in their case only.
    for file in files {
      if let id = byPath[ExactText(file.path)] {
        known.append((file, id))
        seen.insert(id)
      } else {
        unknown.append(file)
      }
    }
    var left = Dictionary(
      byPath.filter { !seen.contains($0.value) }.map { (FileName.key($0.key.text), $0.value) }
    ) { min($0, $1) }
    var others: [File] = []
    for file in unknown {
      guard let id = left.removeValue(forKey: FileName.key(file.path)) else {
        others.append(file)
        continue
      }
      known.append((file, id))
      seen.insert(id)
    }
    unknown = others
  }

  private mutating func note(_ code: MarkdownFinding.Code, _ path: String, _ message: String) {
    report.findings.append(MarkdownFinding(code, path, message))
  }

  // MARK: - Files

  mutating func takeKnown() async throws {
    for (file, id) in known {
      guard let item = read(file) else { continue }
      if item.text.isOpen, index.copies[id]?.front.isEmpty == false {
        note(.unfinished, file.path, "ends before its front matter does")
        continue
      }
      if item.text.front.isEmpty, item.text.body.isEmpty, index.notes[id] == false {
        note(.emptied, file.path, "is empty, and its note is not")
        continue
      }
      try await take(item, id)
    }
    for file in unknown {
      if let item = read(file) { others.append(item) }
    }
  }

  /// Takes files that were moved: what they hold is what a note's file held that is missing. One
  /// that was changed after it was moved is found by its name, if its text has much in common.
  mutating func takeMoved() async throws {
    let missing = index.copies.values.filter {
      !seen.contains($0.note) && index.notes[$0.note] != nil
    }
    let moved = try await index.moved(others, from: missing, notebook)
    var rest: [MarkdownItem] = []
    for item in others {
      guard let id = moved[ExactText(item.path)] else {
        rest.append(item)
        continue
      }
      seen.insert(id)
      try await take(item, id, isMoved: true)
    }
    others = rest
  }

  /// Takes files that another device has written, and that were copied here: their notes are known,
  /// and this device has no files for them.
  mutating func takeCopies() async throws {
    var byPath: [String: [NoteEntity.ID]] = [:]
    var byName: [String: [NoteEntity.ID]] = [:]
    for (id, entry) in index.files.sorted(by: { $0.key < $1.key })
    where index.copies[id] == nil && index.notes[id] != nil {
      byPath[FileName.key(entry.path), default: []].append(id)
      byName[FileName.key(FileName.last(entry.path)), default: []].append(id)
    }
    // Another device may have files that are not known here yet. They have the names of new ones.
    if !others.isEmpty {
      let names = try await notebook.store.read { db in
        var names: [(NoteEntity.ID, String)] = []
        try db.forEachRow("SELECT id, title, substr(body, 1, 600) FROM notes ORDER BY id") { row in
          let name = FileName.new(title: row.textIfAny(1), opening: row.textIfAny(2) ?? "")
          names.append((NoteEntity.ID(row.text(0)), name))
        }
        return names
      }
      for (id, name) in names where index.copies[id] == nil && index.files[id] == nil {
        byName[FileName.key(name), default: []].append(id)
      }
    }
    guard !byName.isEmpty else { return }
    // One that is where another device has it comes first.
    for isPlace in [true, false] {
      var rest: [MarkdownItem] = []
      for item in others {
        let key = FileName.key(isPlace ? item.path : FileName.last(item.path))
        let notes = ((isPlace ? byPath : byName)[key] ?? []).filter { !seen.contains($0) }
        guard let (id, base) = try await origin(of: item, notes, isPlace) else {
          rest.append(item)
          continue
        }
        seen.insert(id)
        try await take(item, id, from: base)
      }
      others = rest
    }
  }

  /// Returns the note that a file is a copy of.
  /// - Parameter isPlace: whether another device has the files of these notes at the same path.
  private func origin(
    of item: MarkdownItem, _ notes: [NoteEntity.ID], _ isPlace: Bool
  ) async throws -> (NoteEntity.ID, ImportBase)? {
    guard isPlace || !item.text.body.isEmpty else { return nil }
    for id in notes {
      guard let base = try await index.origin(of: item, id, notebook) else { continue }
      // Elsewhere many files may have one name, and much in common.
      let isOnly = notes.count == 1 && index.files[id] != nil
      if isPlace || base.distance == 0 || isOnly { return (id, base) }
    }
    return nil
  }

  mutating func takeNew() async throws {
    let trash = try await trash()
    for item in others {
      if trash[FileName.key(item.path)]?.utf8.elementsEqual(item.text.body.utf8) ?? false {
        report.notes.trashed += 1
        continue
      }
      let id = newID(item)
      seen.insert(id)
      try await take(item, id)
    }
  }

  /// Returns the texts of deleted notes of which another device may have a file, by path.
  private func trash() async throws -> [String: String] {
    let gone = index.files.filter { index.copies[$0.key] == nil && index.notes[$0.key] == nil }
    guard !gone.isEmpty, !others.isEmpty else { return [:] }
    var texts: [String: String] = [:]
    for try await note in notebook.store.deleted(in: NoteEntity.self) {
      guard let entry = gone[NoteEntity.ID(note.id)], case .text(let text) = note["body"] else {
        continue
      }
      texts[FileName.key(entry.path)] = text
    }
    return texts
  }

  /// Returns the id of a new file's note.
  ///
  /// It follows from the file's name and from what it holds. So two devices that import copies of
  /// a file make the same note, wherever each has put it; and two files of one name that were never
  /// the same are two notes.
  private func newID(_ item: MarkdownItem) -> NoteEntity.ID {
    let name = FileName.last(item.path).precomposedStringWithCanonicalMapping
    var number = 0
    while true {
      let id = ImportSession.id(
        of: "\(name)\0\(item.digest)\0\(number)", in: folder.options.source)
      if index.notes[id] == nil, !seen.contains(id) { return id }
      number += 1
    }
  }

  /// - Parameter base: what the file has come from, if this device does not know the file.
  private mutating func take(
    _ item: MarkdownItem, _ id: NoteEntity.ID, from base: ImportBase? = nil, isMoved: Bool = false
  ) async throws {
    if let problem = item.front.problem {
      note(.invalidFrontMatter, item.path, "has front matter that is not understood: \(problem)")
    }
    let (source, front, entry) = (folder.options.source, item.front, item.entry)
    let isExact = base?.distance == 0
    var new = ImportItem(
      id, item.note, path: item.path, front: entry.front, marks: entry.marks, base: base
    ) { tx, context in
      try NoteFiles.take(entry, of: id, source, tx, context)
      guard !context.isNew, front.problem == nil else { return }
      if let copy = context.copy {
        let before = FrontMatter(MarkdownText(front: copy.front, body: "").yaml)
        try tx.changeTags(
          of: id, adding: Set(front.tags).subtracting(before.tags),
          removing: Set(before.tags).subtracting(front.tags))
        if before.isPinned != front.isPinned { try tx.set(\.isPinned, of: id, to: front.isPinned) }
      } else if !isExact {
        // Without knowing what the file had, nothing is taken away.
        try tx.changeTags(of: id, adding: Set(front.tags), removing: [])
        if front.isPinned { try tx.set(\.isPinned, of: id, to: true) }
      }
    }
    new.isMoved = isMoved
    try await session.take(new)
  }

  /// Reads a file; nil if it is passed over.
  private mutating func read(_ file: File) -> MarkdownItem? {
    let (path, facts) = file
    let limit = folder.options.fileBytesMax
    guard facts.size <= limit else {
      note(.tooLarge, path, "has \(facts.size) bytes, and \(limit) are allowed")
      return nil
    }
    let age = Date.now.timeIntervalSince(facts.modifiedDate)
    let least = folder.options.fileAgeMin
    let seconds =
      Double(least.components.seconds) + Double(least.components.attoseconds) / 1e18
    // A date in the future says nothing about the age.
    guard age < 0 || age >= seconds else {
      note(.unfinished, path, "was written just now")
      return nil
    }
    let bytes: [UInt8]
    do { bytes = try disk.read(path, atMost: limit) } catch {
      note(.unreadable, path, "cannot be read: \(error.localizedDescription)")
      return nil
    }
    guard disk.facts(path) == facts, bytes.count == facts.size else {
      note(.unfinished, path, "is being written")
      return nil
    }
    guard let text = MarkdownText(bytes) else {
      note(.notText, path, "is not UTF-8, or has a NUL")
      return nil
    }
    return MarkdownItem(path, text, facts)
  }

  mutating func finish() async throws -> MarkdownReport {
    let done = try await session.finish()
    let trashed = report.notes.trashed
    report.notes = done.report
    report.notes.trashed += trashed
    report.unchanged = report.notes.unchanged
    for failure in done.failures {
      note(
        .unreadable, failure.item.path,
        "cannot be taken: \(failure.error.localizedDescription)")
    }
    var made: [ExactText: NoteFolder.ID] = [:]
    for folder in Self.folders(of: known.map(\.file.path) + unknown.map(\.path)) {
      made[folder] = done.folders[path: FileName.names(folder.text)]
    }
    try await index.folders.record(made, notebook)
    if !hasUnreadable {
      for copy in index.copies.values.sorted(by: { ExactText($0.path) < ExactText($1.path) })
      where index.notes[copy.note] != nil && !seen.contains(copy.note) {
        note(.missing, copy.path, "is gone, and its note is not")
      }
    }
    return report
  }
}
