import Crypto
package import Daybook
import Foundation

/// An import into a notebook: finds notes again, and writes what is different in batches.
///
/// The ids of notes follow from the source and its ids, so two devices that import one source while
/// they are apart make the same notes. What the source had at the last import is found in the
/// history, by the label of the event: no text is kept twice, and devices need not have imported
/// themselves.
package actor ImportSession {
  private let notebook: Notebook
  private let source: String
  private var folders: FolderPaths
  private var waiting: [ImportItem] = []
  private var report = NoteImportReport()

  /// The number of notes in an event, and of bytes.
  private static let batchNotes = 200
  private static let batchBytes = 1 << 20
  private var waitingBytes = 0
  /// The notes of the import so far.
  private var seen: Set<NoteEntity.ID> = []

  package init(_ notebook: Notebook, _ source: String) async throws {
    self.notebook = notebook
    self.source = source
    folders = try await FolderPaths(notebook)
  }

  /// The label of the events of imports from a source, and of exports to it.
  package static func label(_ source: String) -> String { "import \(source)" }

  /// Returns the id of a note of a source: a UUID of version 8 (RFC 9562) that follows from both.
  package static func id(of note: String, in source: String) -> NoteEntity.ID {
    var hash = SHA256()
    hash.update(data: Data("daybook note\0\(source)\0".utf8))
    hash.update(data: Data(note.utf8))
    var bytes = Array(hash.finalize().prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return NoteEntity.ID(bytes.withUnsafeBytes { UUID(uuid: $0.load(as: uuid_t.self)) })
  }

  package func take(_ item: ImportItem) async throws {
    waiting.append(item)
    waitingBytes += item.note.body.utf8.count
    if waiting.count >= Self.batchNotes || waitingBytes >= Self.batchBytes { try await write() }
  }

  package func finish() async throws -> NoteImportReport {
    try await write()
    return report
  }

  private func write() async throws {
    let items = waiting
    (waiting, waitingBytes) = ([], 0)
    guard !items.isEmpty else { return }
    let label = Self.label(source)
    var changes: [ImportChange] = []
    for item in items {
      guard seen.insert(item.id).inserted else {
        throw NotesError(
          .invalidImport, "“\(source)” has two notes of the id “\(item.note.id)”",
          hint: "Ask who has written the importer")
      }
      changes.append(ImportChange(item: item, base: try await base(of: item, label)))
    }
    let (folders, ready) = (folders, changes)
    let (made, done) = try await notebook.write(label: label) { tx in
      var folders = folders
      let done = try ready.map { try $0.write(tx, &folders) }
      return (folders, done)
    }
    self.folders = made
    for outcome in done {
      switch outcome {
      case .added: report.added += 1
      case .changed: report.changed += 1
      case .unchanged: report.unchanged += 1
      case .trashed: report.trashed += 1
      }
    }
  }

  /// Returns what the source had at the last import of a note; nil if nothing has changed since, or
  /// it never was imported.
  private func base(of item: ImportItem, _ label: String) async throws -> ImportBase? {
    // Most notes are new, or as they were.
    guard let known = try await notebook.store.fetch(item.id), known.importDigest != item.digest
    else { return nil }
    return try await ImportBase(of: item.id, label: label, notebook.store)
  }
}

/// A note of an import, its id here, and what else is written with it.
package struct ImportItem: Sendable {
  package var id: NoteEntity.ID
  package var note: ImportedNote
  /// What belongs to the digest beside text and title.
  package var extra: String
  /// Writes what belongs to the note beside text and title, if anything is new.
  package var also: @Sendable (_ tx: WriteTransaction, _ isNew: Bool) throws -> Void

  package init(
    _ id: NoteEntity.ID, _ note: ImportedNote, extra: String = "",
    also: @escaping @Sendable (_ tx: WriteTransaction, _ isNew: Bool) throws -> Void = { _, _ in }
  ) {
    self.id = id
    self.note = note
    self.extra = extra
    self.also = also
  }

  /// A digest of all that the source has of the note.
  package var digest: String {
    Self.digest(title: note.title, body: note.body, extra: extra)
  }

  package static func digest(title: String?, body: String, extra: String) -> String {
    var hash = SHA256()
    for part in [title.map { "1\($0)" } ?? "0", extra, body] {
      hash.update(data: Data("\(part.utf8.count) ".utf8))
      hash.update(data: Data(part.utf8))
    }
    return hash.finalize().prefix(16).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }
}

/// What a source had at the last import or export of a note.
package struct ImportBase: Sendable {
  package var text: String
  package var title: String?

  /// Finds the last import of a note, and makes the source's text of it; nil if there was none.
  /// - Parameter label: the label of the import's events.
  package init?(of id: NoteEntity.ID, label: String, _ store: Store) async throws {
    let query = EventQuery(
      collection: NoteEntity.collection, id: id.rawValue, label: label, limit: 1,
      isNewestFirst: true)
    guard let event = try await store.events(query).all().first?.id,
      let note = try await store.at(.event(event)).fetch(id)
    else { return nil }
    let script = try note.importDifference.map { data in
      try data.withUnsafeBytes { try TextScript(decoding: $0) }
    }
    text = script?.applied(to: note.body) ?? note.body
    title = note.title
  }
}

/// One note of an import, and what becomes of it.
struct ImportChange: Sendable {
  enum Outcome: Sendable { case added, changed, unchanged, trashed }

  var item: ImportItem
  /// What the source had at the last import; nil if nothing has changed since, or it never was
  /// imported.
  var base: ImportBase?

  func write(_ tx: WriteTransaction, _ folders: inout FolderPaths) throws -> Outcome {
    let (id, note) = (item.id, item.note)
    guard let known = try tx.fetch(id) else {
      if try tx.isInTrash(id) { return .trashed }
      var new = NoteEntity()
      new.id = id
      (new.title, new.body, new.isPinned) = (note.title, note.body, note.isPinned)
      new.folder = try folders.folder(note.folders, tx)
      (new.importedCreated, new.importedModified) = (note.created, note.modified)
      new.importDigest = item.digest
      try tx.insert(new)
      let tags = try Set(note.tags.map(NoteTag.checked)).sorted()
      try tx.upsert(tags.map { NoteTag(id, $0) })
      try item.also(tx, true)
      return .added
    }
    guard known.importDigest != item.digest else { return .unchanged }
    // Without a base it is not known who has changed what, so all that is here stays.
    _ = try tx.merge(note.body, into: known, base: base?.text ?? note.body)
    if let base, base.title != note.title, known.title != note.title {
      try tx.set(\.title, of: id, to: note.title)
    }
    try tx.noteImport(of: id, digest: item.digest, text: note.body)
    try item.also(tx, false)
    return .changed
  }
}

extension WriteTransaction {
  /// Changes the text of a note as another text has changed since a common base. What was typed
  /// here since then stays.
  /// - Returns: whether there was anything to change.
  package func merge(_ text: String, into note: NoteEntity, base: String) throws -> Bool {
    guard !base.utf8.elementsEqual(text.utf8), !note.body.utf8.elementsEqual(text.utf8) else {
      return false
    }
    let theirs = TextScript(from: base, to: text)
    let ours = TextScript(from: base, to: note.body)
    let change = theirs.rebased(over: ours, isFirst: false)
    guard !change.isEmpty else { return false }
    try edit(note.id, \.body) { try $0.apply(change) }
    return true
  }

  /// Records what a source has, for the next import.
  package func noteImport(of id: NoteEntity.ID, digest: String, text: String) throws {
    guard let now = try fetch(id) else { return }
    let difference = TextScript(from: now.body, to: text)
    try update(id) { note in
      note.importDigest = digest
      note.importDifference = difference.isEmpty ? nil : Data(difference.encoded)
    }
  }

  /// Returns whether an entity was deleted, and can be restored.
  package func isInTrash(_ id: NoteEntity.ID) throws -> Bool {
    // Restoring is tried and taken back, because that is the one call that knows.
    struct Trial: Error {}
    do {
      try nested { tx in
        try tx.restore(id)
        throw Trial()
      }
    } catch is Trial {
      return true
    } catch let error as StoreError where error.code == .noSuchEntity {
      return false
    }
    return false
  }
}

/// The folders of a notebook by the names on the way to them.
package struct FolderPaths: Sendable {
  private var known: [[String]: NoteFolder.ID] = [:]

  package init(_ notebook: Notebook) async throws {
    func add(_ nodes: [NoteFolderNode], below path: [String]) {
      for node in nodes {
        let path = path + [node.folder.name]
        if known[path] == nil { known[path] = node.id }
        add(node.children, below: path)
      }
    }
    add(try await notebook.folderTree(), below: [])
  }

  /// Returns the folder at the end of a path, and makes what is missing of it; nil for the top.
  package mutating func folder(
    _ path: [String], _ tx: WriteTransaction
  ) throws -> NoteFolder.ID? {
    guard let name = path.last else { return nil }
    if let known = known[path], try tx.fetch(known) != nil { return known }
    let parent = try folder(Array(path.dropLast()), tx)
    let made = try tx.addFolder(name, in: parent, id: Self.id(of: path))
    known[path] = made
    return made
  }

  /// Returns the id of a folder that an import makes, so that two devices make the same one.
  private static func id(of path: [String]) -> NoteFolder.ID {
    NoteFolder.ID(
      ImportSession.id(of: path.joined(separator: "\0"), in: "folders").rawValue)
  }
}
