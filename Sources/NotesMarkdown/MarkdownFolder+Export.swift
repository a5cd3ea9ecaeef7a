import DaybookNotes
import DaybookProjections
import Foundation
import GRDB

extension MarkdownFolder {
  /// Writes the notes as files, in subfolders as their folders are.
  ///
  /// A file whose note was not changed stays as it is. A file that was changed since the last
  /// import is not written over: import first. Names that some systems do not allow are changed,
  /// and names that are taken get a number. A file that cannot be written stops no other.
  ///
  /// Cost: reads all files. The names of new files are written to the notebook, 100 notes an event,
  /// and what this device has written is recorded on it.
  /// - Parameter notebook: the notebook with the notes.
  /// - Returns: what was done, and which files were left.
  /// - Throws: `NotesError` `unusableFolder` if the folder cannot be read, `noSpace` if there is no
  ///   room for a file; `StoreError`. Files that were written before the error stay, and the next
  ///   export goes on.
  @discardableResult
  public func export(_ notebook: Notebook) async throws -> MarkdownReport {
    let disk = try MarkdownDisk(url)
    let index = try await MarkdownIndex(self, disk, notebook)
    var run = try await MarkdownExport(self, disk, notebook, index)
    try await run.write()
    if options.removesFiles { try await run.removeDeleted() }
    return try await run.finish()
  }
}

/// One export to a folder.
private struct MarkdownExport {
  /// What is known of a note before its text is read.
  private struct Item: Sendable {
    var id: NoteEntity.ID
    var title: String?
    var opening: String
    var folder: String?
    var isPinned: Bool
    var modified: Date
    var tags: [String]
  }

  private let folder: MarkdownFolder
  private let disk: MarkdownDisk
  private let notebook: Notebook
  private let index: MarkdownIndex
  private var items: [Item] = []
  private var paths: [NoteEntity.ID: String] = [:]
  /// The paths of files by which names that one system takes for the same are equal.
  private var taken: Set<String> = []
  /// Files in the folder that are no note's, by the same form of their paths.
  private var foreign: [String: String] = [:]
  /// Files that were moved since the last import, by note.
  private var moved: [NoteEntity.ID: String] = [:]
  /// Files that another device has written and that were copied here: their digests, by note.
  private var adopted: [NoteEntity.ID: (path: String, digest: String)] = [:]
  private var report = MarkdownReport()

  private static let batch = 100

  init(
    _ folder: MarkdownFolder, _ disk: MarkdownDisk, _ notebook: Notebook, _ index: MarkdownIndex
  ) async throws {
    (self.folder, self.disk, self.notebook, self.index) = (folder, disk, notebook, index)
    items = try await notebook.store.read { db in
      var items: [Item] = []
      try db.forEachRow(
        """
        SELECT id, title, substr(body, 1, 600), folder, coalesce(pinned, 0),
          CASE WHEN modified > created THEN modified
            ELSE coalesce(imported_modified, modified) END,
          (SELECT group_concat(tag, char(10)) FROM note_tags WHERE note = notes.id)
        FROM notes ORDER BY id
        """
      ) { row in
        items.append(
          Item(
            id: NoteEntity.ID(row.text(0)), title: row.textIfAny(1), opening: row.text(2),
            folder: row.textIfAny(3), isPinned: row.integer(4) != 0,
            modified: row.date(5) ?? .now, tags: row.noteTags(6)))
      }
      return items
    }
    let own = Set(items.compactMap { known($0.id) }.map { ExactText($0) })
    var others: [String] = []
    disk.forEach(folder.options.extensions) { path, _ in
      guard !own.contains(ExactText(path)) else { return }
      foreign[FileName.key(path)] = path
      others.append(path)
    }
    try await findMoved(others)
    for path in items.filter({ isFlat($0) }).map({ index.folders.path(of: $0.folder) }) {
      let isNew = !report.findings.contains { $0.path == path }
      if isNew { note(.tooDeep, path, "has notes of folders that would be too deep below it") }
    }
    try await place()
  }

  /// Finds the files that were moved since the last import, so that they are not written again
  /// where they were, and copies of other devices' files that were put elsewhere.
  private mutating func findMoved(_ others: [String]) async throws {
    let missing = items.filter { known($0.id).map { !disk.exists($0) } ?? false }
      .compactMap { index.copies[$0.id] }
    if !missing.isEmpty {
      let found = try await index.moved(others.compactMap(item(at:)), from: missing, notebook)
      for (path, id) in found { moved[id] = path.text }
    }
    var byName: [String: [String]] = [:]
    for path in others { byName[FileName.key(FileName.last(path)), default: []].append(path) }
    for (id, entry) in index.files.sorted(by: { $0.key < $1.key })
    where index.copies[id] == nil && index.notes[id] != nil {
      let named = byName[FileName.key(FileName.last(entry.path))] ?? []
      // One at the same path is found when the note gets its path.
      guard named.count == 1, FileName.key(named[0]) != FileName.key(entry.path),
        !moved.values.contains(where: { ExactText($0) == ExactText(named[0]) }),
        let item = item(at: named[0]), !item.text.body.isEmpty,
        try await index.origin(of: item, id, notebook) != nil
      else { continue }
      moved[id] = named[0]
    }
  }

  private func isFlat(_ item: Item) -> Bool {
    item.folder.map { index.folders.flat.contains(NoteFolder.ID($0)) } ?? false
  }

  private mutating func note(_ code: MarkdownFinding.Code, _ path: String, _ message: String) {
    report.findings.append(MarkdownFinding(code, path, message))
  }

  // MARK: - Names

  /// Gives each note a path. Notes that have one on this device keep it as long as they are in its
  /// folder.
  private mutating func place() async throws {
    var exact: Set<ExactText> = []
    var others: [Item] = []
    for item in items {
      let parent = index.folders.path(of: item.folder)
      if let path = known(item.id), ExactText(FileName.parent(path)) == ExactText(parent),
        exact.insert(ExactText(path)).inserted
      {
        paths[item.id] = path
      } else {
        others.append(item)
      }
    }
    taken = Set(exact.map { FileName.key($0.text) })
    for item in others {
      let parent = index.folders.path(of: item.folder)
      let name = name(of: item)
      let prefix = parent.isEmpty ? "" : parent + "/"
      let (stem, ending) = FileName.parts(name)
      var path = prefix + name
      if known(item.id) == nil, let there = foreign[FileName.key(path)],
        try await adopt(there, item.id)
      {
        path = there
      } else {
        var number = 2
        while isTaken(path) {
          path = "\(prefix)\(stem) \(number).\(ending)"
          number += 1
        }
      }
      taken.insert(FileName.key(path))
      paths[item.id] = path
    }
  }

  /// Takes a file that is there for that of a note, if it is a copy of one that another device has
  /// written.
  /// - Returns: whether it is one.
  private mutating func adopt(_ path: String, _ id: NoteEntity.ID) async throws -> Bool {
    guard !taken.contains(FileName.key(path)), let item = item(at: path),
      let base = try await index.origin(of: item, id, notebook),
      // The note may have files that it is not known to have yet.
      index.files[id] != nil || base.distance == 0 && !item.text.body.isEmpty
    else { return false }
    // What was changed there is not known to the notebook, so it is not written over.
    adopted[id] = (path, base.distance == 0 ? item.digest : "")
    foreign[FileName.key(path)] = nil
    return true
  }

  private func item(at path: String) -> MarkdownItem? {
    guard disk.facts(path) != nil,
      let bytes = try? disk.read(path, atMost: folder.options.fileBytesMax),
      bytes.count <= folder.options.fileBytesMax
    else { return nil }
    return MarkdownText(bytes).map { MarkdownItem(path, $0, nil) }
  }

  private func isTaken(_ path: String) -> Bool {
    let key = FileName.key(path)
    return taken.contains(key) || foreign[key] != nil || disk.exists(path)
  }

  /// Returns the path that a note's file has on this device, if an import would take it.
  private func known(_ id: NoteEntity.ID) -> String? {
    index.copies[id].flatMap { usable($0.path) }
  }

  private func usable(_ path: String) -> String? {
    let ending = FileName.parts(FileName.last(path)).ending.lowercased()
    return FileName.isSafe(path) && folder.options.extensions.contains(ending) ? path : nil
  }

  private func name(of item: Item) -> String {
    if let path = known(item.id) ?? index.files[item.id].flatMap({ usable($0.path) }) {
      return FileName.last(path)
    }
    return FileName.new(title: item.title, opening: item.opening)
  }

  // MARK: - Files

  mutating func write() async throws {
    var start = 0
    while start < items.count {
      let batch = Array(items[start..<min(start + Self.batch, items.count)])
      start += Self.batch
      let ids = batch.map(\.id)
      let notes = try await notebook.store.fetch(NoteEntity.where { $0.id.in(ids) })
      let byID = Dictionary(notes.map { ($0.id, $0) }) { first, _ in first }
      var done: [NoteCopy.Source] = []
      // What was written is recorded also if the next file fails.
      var failure: (any Error)?
      for item in batch where failure == nil {
        guard let note = byID[item.id] else { continue }
        do {
          if let written = try write(item, note) { done.append(written) }
        } catch let error as NotesError where error.code == .noSpace { failure = error } catch {
          self.note(
            .unwritable, paths[item.id] ?? "", "cannot be written: \(error.localizedDescription)")
        }
      }
      try await record(done)
      if let failure { throw failure }
    }
  }

  /// Records what was written: the names of new files for all devices, the rest for this one.
  private func record(_ done: [NoteCopy.Source]) async throws {
    let new = done.filter { index.files[$0.note] == nil }
    let source = folder.options.source
    if !new.isEmpty {
      try await notebook.write(label: ImportSession.label(source)) { tx in
        for copy in new
        where try tx.fetch(copy.note) != nil && NoteFiles.entry(of: copy.note, tx) == nil {
          // Title, tags and pin are the note's; all else that the front matter has belongs here.
          let entry = NoteFiles.Entry(path: copy.path, front: "", marks: copy.marks)
          try NoteFiles.put(entry, of: copy.note, source, tx)
        }
      }
    }
    let changed = done.filter { copy in
      guard let known = index.copies[copy.note] else { return true }
      return known.digest != copy.digest || ExactText(known.path) != ExactText(copy.path)
    }
    try await notebook.record(changed, in: index.place)
  }

  /// Writes a note's file, unless it is as it should be.
  /// - Returns: what the file has; nil if it was left alone.
  private mutating func write(_ item: Item, _ note: NoteEntity) throws -> NoteCopy.Source? {
    guard let path = paths[item.id] else { return nil }
    if let there = moved[item.id] {
      self.note(
        .changedOutside, there,
        "was moved since the last import, and is not written: import first")
      return nil
    }
    let entry = index.files[item.id]
    var text = MarkdownText(front: entry?.front ?? "", body: note.body)
    if let front = FrontMatter.changing(
      text.front, title: note.title, tags: item.tags, isPinned: note.isPinned)
    {
      text.front = front
    } else {
      self.note(
        .frontMatterKept, path,
        "has front matter that cannot be changed safely, so title, tags and pin are not in it")
    }
    text.apply(marks: entry?.marks ?? "")
    let bytes = text.joined
    guard let again = MarkdownText(bytes) else {
      self.note(.notText, path, "would have a NUL")
      return nil
    }
    // A file that is larger than an import takes is still written.
    let done = MarkdownItem(path, again, nil)
    let digest = index.copies[item.id]?.digest ?? adopted[item.id]?.digest
    let old = known(item.id)
    if let old, ExactText(old) != ExactText(path), disk.exists(old) {
      guard isOwn(old, digest) else { return nil }
    }
    if disk.exists(path) {
      if (try? disk.read(path, atMost: bytes.count)) == bytes {
        report.unchanged += 1
        return done.copy(of: item.id)
      }
      guard isOwn(path, digest) else { return nil }
    }
    let isGone = old.map { ExactText($0) != ExactText(path) && disk.exists($0) } ?? false
    let isSame = old.map { FileName.key($0) == FileName.key(path) } ?? false
    // Where case does not matter, the new name is that of the old file, too.
    if let old, isGone, isSame { try disk.remove(old) }
    try disk.write(bytes, path, modified: item.modified)
    report.written += 1
    if let old, isGone, folder.options.removesFiles {
      if !isSame { try disk.remove(old) }
      report.removed += 1
    }
    return done.copy(of: item.id)
  }

  /// Returns whether a file is as it was at the last import or export. Notes it if not.
  private mutating func isOwn(_ path: String, _ digest: String?) -> Bool {
    if let digest, item(at: path)?.digest == digest { return true }
    note(
      .changedOutside, path, "was changed since the last import, and is not written: import first")
    return false
  }

  /// Removes the files of notes that are in the trash, and forgets them.
  mutating func removeDeleted() async throws {
    var gone: [NoteCopy] = []
    for copy in index.copies.values.sorted(by: { $0.note < $1.note })
    where index.notes[copy.note] == nil {
      if let path = usable(copy.path), !taken.contains(FileName.key(path)), disk.exists(path) {
        guard isOwn(path, copy.digest) else { continue }
        do { try disk.remove(path) } catch {
          note(.unwritable, path, "cannot be removed: \(error.localizedDescription)")
          continue
        }
        report.removed += 1
      }
      gone.append(copy)
    }
    try await notebook.forget(gone)
  }

  func finish() async throws -> MarkdownReport {
    try await index.folders.record([:], notebook)
    return report
  }
}
