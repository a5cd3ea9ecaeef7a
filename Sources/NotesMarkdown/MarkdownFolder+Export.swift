import Foundation
import GRDB
import Notes
import Projections

extension MarkdownFolder {
  /// Writes the notes as files, in subfolders as their folders are.
  ///
  /// A file whose note was not changed stays as it is. A file that was changed since the last
  /// import is not written over: import first. Names that some systems do not allow are changed,
  /// and names that are taken get a number.
  ///
  /// Cost: reads all files. The names of new files are written to the notebook, 100 notes an event.
  /// - Parameter notebook: the notebook with the notes.
  /// - Returns: what was done, and which files were left.
  /// - Throws: `NotesError` `unusableFolder` if the folder cannot be written; `StoreError`. Files
  ///   that were written before the error stay, and the next export goes on.
  @discardableResult
  public func export(_ notebook: Notebook) async throws -> MarkdownReport {
    let disk = try MarkdownDisk(url)
    try await NoteFiles.define(in: notebook)
    var run = try await MarkdownExport(self, disk, notebook)
    try await run.write()
    if options.removesFiles { try await run.removeDeleted() }
    return run.report
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
    var digest: String?
    var modified: Date
    var tags: [String]
  }

  private let folder: MarkdownFolder
  private let disk: MarkdownDisk
  private let notebook: Notebook
  private let entries: [NoteEntity.ID: NoteFiles.Entry]
  private var items: [Item] = []
  private var paths: [NoteEntity.ID: String] = [:]
  private var taken: Set<String> = []
  /// Files in the folder that are no note's.
  private var foreign: Set<String> = []
  private(set) var report = MarkdownReport()

  private static let batch = 100

  init(_ folder: MarkdownFolder, _ disk: MarkdownDisk, _ notebook: Notebook) async throws {
    self.folder = folder
    self.disk = disk
    self.notebook = notebook
    entries = try await NoteFiles.all(folder.options.source, notebook)
    items = try await notebook.store.read { db in
      var items: [Item] = []
      try db.forEachRow(
        """
        SELECT id, title, substr(body, 1, 600), folder, coalesce(pinned, 0), import_digest,
          CASE WHEN modified > created THEN modified
            ELSE coalesce(imported_modified, modified) END,
          (SELECT group_concat(tag, char(10)) FROM note_tags WHERE note = notes.id)
        FROM notes ORDER BY id
        """
      ) { row in
        items.append(
          Item(
            id: NoteEntity.ID(row.text(0)), title: row.textIfAny(1), opening: row.text(2),
            folder: row.textIfAny(3), isPinned: row.integer(4) != 0, digest: row.textIfAny(5),
            modified: row.date(6) ?? .now, tags: row.noteTags(7)))
      }
      return items
    }
    // A name that differs from that of another file in its case only is taken, too.
    let own = Set(items.compactMap { known($0.id) }.map(FileName.key))
    disk.forEach(folder.options.extensions) { path, _ in
      let key = FileName.key(path)
      if !own.contains(key) { foreign.insert(key) }
    }
    place(try await folderPaths())
  }

  // MARK: - Names

  /// Returns the paths of the folders.
  private func folderPaths() async throws -> [String: String] {
    var paths: [String: String] = [:]
    var taken: Set<String> = []
    func add(_ nodes: [NoteFolderNode], below parent: String) {
      for node in nodes {
        let prefix = parent.isEmpty ? "" : parent + "/"
        let name = node.folder.name
        // The name of a folder that is there is allowed here.
        let isThere = !name.contains("/") && FileName.isSafe(name) && disk.exists(prefix + name)
        let stem = prefix + (isThere ? name : FileName.portable(name, or: "Folder"))
        var path = stem
        var number = 2
        while !taken.insert(FileName.key(path)).inserted {
          path = "\(stem) \(number)"
          number += 1
        }
        paths[node.folder.id.rawValue] = path
        add(node.children, below: path)
      }
    }
    add(try await notebook.folderTree(), below: "")
    return paths
  }

  /// Gives each note a path. Notes that have one keep it as long as they are in its folder.
  private mutating func place(_ folders: [String: String]) {
    func parent(of item: Item) -> String { item.folder.flatMap { folders[$0] } ?? "" }
    var others: [Item] = []
    for item in items {
      if let path = known(item.id),
        FileName.parent(path) == parent(of: item),
        taken.insert(FileName.key(path)).inserted
      {
        paths[item.id] = path
      } else {
        others.append(item)
      }
    }
    for item in others {
      let name = name(of: item)
      let prefix = parent(of: item).isEmpty ? "" : parent(of: item) + "/"
      let (stem, ending) = FileName.parts(name)
      var path = prefix + name
      var number = 2
      while isTaken(path) {
        path = "\(prefix)\(stem) \(number).\(ending)"
        number += 1
      }
      taken.insert(FileName.key(path))
      paths[item.id] = path
    }
  }

  private func isTaken(_ path: String) -> Bool {
    let key = FileName.key(path)
    return taken.contains(key) || foreign.contains(key) || disk.exists(path)
  }

  /// Returns the path that a note's file has, if it is one that an import would take.
  private func known(_ id: NoteEntity.ID) -> String? {
    guard let path = entries[id]?.path, FileName.isSafe(path) else { return nil }
    let ending = FileName.parts(FileName.last(path)).ending.lowercased()
    return folder.options.extensions.contains(ending) ? path : nil
  }

  private func name(of item: Item) -> String {
    if let path = known(item.id) {
      return FileName.last(path)
    }
    let first = item.opening.split(whereSeparator: \.isNewline).lazy
      .map { $0.drop { "#>*-+ \t".contains($0) } }.first { !$0.isEmpty }
    return FileName.portable(item.title ?? String(first ?? ""), or: "Note") + ".md"
  }

  // MARK: - Files

  /// A file that is written, or is as it should be, and what the notebook has to know about it.
  private struct Done: Sendable {
    var id: NoteEntity.ID
    var item: MarkdownItem
    var isKnown: Bool
  }

  mutating func write() async throws {
    var start = 0
    while start < items.count {
      let batch = Array(items[start..<min(start + Self.batch, items.count)])
      start += Self.batch
      let ids = batch.map(\.id)
      let notes = try await notebook.store.fetch(NoteEntity.where { $0.id.in(ids) })
      let byID = Dictionary(notes.map { ($0.id, $0) }) { first, _ in first }
      var done: [Done] = []
      for item in batch {
        if let note = byID[item.id], let one = try write(item, note) { done.append(one) }
      }
      let (new, source) = (done.filter { !$0.isKnown }, folder.options.source)
      guard !new.isEmpty else { continue }
      try await notebook.write(label: ImportSession.label(source)) { tx in
        for one in new where try tx.fetch(one.id) != nil {
          let text = one.item.text
          try tx.noteImport(of: one.id, digest: one.item.digest, text: text.body)
          try NoteFiles.put(
            NoteFiles.Entry(path: one.item.path, front: text.front, marks: text.marks),
            of: one.id, source, tx)
        }
      }
    }
  }

  private mutating func write(_ item: Item, _ note: NoteEntity) throws -> Done? {
    guard let path = paths[item.id] else { return nil }
    let entry = entries[item.id]
    let old = known(item.id)
    var text = MarkdownText(front: entry?.front ?? "", body: note.body)
    if let front = FrontMatter.changing(
      text.front, title: note.title, tags: item.tags, isPinned: note.isPinned)
    {
      text.front = front
    } else {
      report.findings.append(
        MarkdownFinding(
          .frontMatterKept, path,
          "has front matter that cannot be changed, so title, tags and pin are not in it"))
    }
    text.apply(marks: entry?.marks ?? "")
    guard let bytes = Self.bytes(text), let again = MarkdownText(bytes) else {
      report.findings.append(MarkdownFinding(.notText, path, "would have a NUL"))
      return nil
    }
    // A file that is larger than an import takes is still written.
    let done = MarkdownItem(path, again, nil)
    if let old, old != path, disk.exists(old) {
      guard isOwn(old, item.digest) else { return nil }
    }
    let isKnown = item.digest == done.digest && entry?.path == path
    if disk.exists(path) {
      let there = try? disk.read(path, atMost: bytes.count)
      if there == bytes {
        report.unchanged += 1
        return Done(id: item.id, item: done, isKnown: isKnown)
      }
      guard isOwn(path, item.digest) else { return nil }
    }
    try disk.write(bytes, path, modified: item.modified)
    report.written += 1
    if let old, old != path, folder.options.removesFiles, disk.exists(old) {
      try disk.remove(old)
      report.removed += 1
    }
    return Done(id: item.id, item: done, isKnown: isKnown)
  }

  /// Returns the bytes of a file that is taken apart in the same way again; nil for a NUL.
  private static func bytes(_ text: MarkdownText) -> [UInt8]? {
    guard !text.body.utf8.contains(0) else { return nil }
    // A text that begins as front matter does would be taken for it.
    if text.front.isEmpty, let again = MarkdownText(text.bytes), !again.front.isEmpty {
      var guarded = text
      guarded.front = "---\n---\n"
      return guarded.bytes
    }
    return text.bytes
  }

  /// Returns whether a file is as it was at the last import or export. Notes it if not.
  private mutating func isOwn(_ path: String, _ digest: String?) -> Bool {
    if let digest, disk.facts(path) != nil,
      let bytes = try? disk.read(path, atMost: folder.options.fileBytesMax),
      let text = MarkdownText(bytes), MarkdownItem(path, text, nil).digest == digest
    {
      return true
    }
    report.findings.append(
      MarkdownFinding(
        .changedOutside, path, "was changed since the last import, and is not written: import first"
      ))
    return false
  }

  /// Removes the files of notes that are in the trash.
  mutating func removeDeleted() async throws {
    let live = Set(items.map(\.id))
    let gone = entries.filter { !live.contains($0.key) && known($0.key) != nil }
    guard gone.contains(where: { disk.exists($0.value.path) }) else { return }
    for try await note in notebook.store.deleted(in: NoteEntity.self) {
      guard let entry = gone[NoteEntity.ID(note.id)], disk.exists(entry.path),
        !taken.contains(FileName.key(entry.path)),
        case .text(let digest) = note["import_digest"], isOwn(entry.path, digest)
      else { continue }
      try disk.remove(entry.path)
      report.removed += 1
    }
  }
}
