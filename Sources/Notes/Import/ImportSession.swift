import Crypto
package import Daybook
import DaybookEventCore
import Foundation

/// An import into a notebook: finds notes again, and writes what is different in batches.
///
/// The ids of notes follow from the source and its ids, so two devices that import one source while
/// they are apart make the same notes. What the source had at the last import is known to each
/// device for itself, as ``NoteCopy``: no text is kept twice, and one device's files say nothing
/// about another's.
package actor ImportSession {
  private let notebook: Notebook
  private let source: String
  private let place: String
  private let isLenient: Bool
  private var folders: FolderPaths
  private var copies: [NoteEntity.ID: NoteCopy]
  /// The notes that were not in the trash when the import began.
  private let live: Set<NoteEntity.ID>
  private var waiting: [ImportItem] = []
  private var report = NoteImportReport()
  /// The items that could not be written, and why.
  private var failures: [(item: ImportItem, error: any Error)] = []

  /// The number of notes in an event, and of bytes.
  private static let batchNotes = 200
  private static let batchBytes = 1 << 20
  private var waitingBytes = 0
  /// The notes of the import so far.
  private var seen: Set<NoteEntity.ID> = []

  /// - Parameters:
  ///   - notebook: the notebook that gets the notes.
  ///   - source: the name of the source.
  ///   - place: the name of the place; see ``NoteCopy/place(of:in:)``.
  ///   - folders: the folders by the names that the source has for them.
  ///   - isLenient: whether an item that cannot be written is a failure of its own, not an error.
  package init(
    _ notebook: Notebook, _ source: String, at place: String, _ folders: FolderPaths,
    isLenient: Bool
  ) async throws {
    (self.notebook, self.source, self.place) = (notebook, source, place)
    (self.folders, self.isLenient) = (folders, isLenient)
    copies = try await notebook.copies(in: place)
    live = try await notebook.store.read { db in
      var live: Set<NoteEntity.ID> = []
      try db.forEachRow("SELECT id FROM notes") { live.insert(NoteEntity.ID($0.text(0))) }
      return live
    }
  }

  /// The label of the events of imports from a source, and of exports to it.
  package static func label(_ source: String) -> String { "import \(source)" }

  /// Returns whether a label is one of those.
  static func isLabel(_ label: String) -> Bool { label.hasPrefix("import ") }

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
    guard seen.insert(item.id).inserted else {
      throw NotesError(
        .invalidImport, "“\(source)” has two notes of the id “\(item.note.id)”",
        hint: "Ask who has written the importer")
    }
    waiting.append(item)
    waitingBytes += item.note.body.utf8.count
    if waiting.count >= Self.batchNotes || waitingBytes >= Self.batchBytes { try await write() }
  }

  /// Writes what waits, and returns what was done.
  package func finish() async throws -> (
    report: NoteImportReport, folders: FolderPaths,
    failures: [(item: ImportItem, error: any Error)]
  ) {
    try await write()
    return (report, folders, failures)
  }

  private func write() async throws {
    let items = waiting
    (waiting, waitingBytes) = ([], 0)
    var changes: [ImportChange] = []
    for item in items { changes.append(try await change(item)) }
    var ready: [ImportChange] = []
    var same: [NoteEntity.ID] = []
    for change in changes {
      if let copy = change.copy, copy.digest == change.item.digest,
        ExactText(copy.path) == ExactText(change.item.path)
      {
        same.append(change.item.id)
      } else {
        ready.append(change)
      }
    }
    // What is unchanged there may have been deleted here.
    let gone = same.filter { !live.contains($0) }.count
    report.unchanged += same.count - gone
    report.trashed += gone
    guard !ready.isEmpty else { return }
    do { try await write(ready) } catch {
      guard isLenient, !Task.isCancelled else { throw error }
      // One that cannot be written does not stop the others.
      for change in ready {
        do { try await write([change]) } catch {
          guard Self.isAboutItem(error) else { throw error }
          failures.append((change.item, error))
        }
      }
    }
  }

  /// Returns whether an error is about what is written, and not about the store.
  private static func isAboutItem(_ error: any Error) -> Bool {
    guard let error = error as? StoreError else { return error is NotesError }
    return switch error.code {
    case .invalidID, .invalidName, .wrongType, .overLimit, .tooLarge, .valueTaken, .invalidEdit,
      .noSuchEntity, .entityExists, .wouldLoop:
      true
    default: false
    }
  }

  private func write(_ changes: [ImportChange]) async throws {
    let label = Self.label(source)
    let folders = folders
    let (made, done) = try await notebook.write(label: label) { tx in
      var folders = folders
      let done = try changes.map { try $0.write(tx, &folders) }
      return (folders, done)
    }
    self.folders = made
    var taken: [NoteCopy.Source] = []
    for (change, outcome) in zip(changes, done) {
      switch outcome {
      case .added: report.added += 1
      case .changed: report.changed += 1
      case .unchanged: report.unchanged += 1
      case .trashed: report.trashed += 1
      }
      if outcome != .trashed { taken.append(change.item.copy) }
    }
    for copy in try await notebook.record(taken, in: place) { copies[copy.note] = copy }
  }

  private func change(_ item: ImportItem) async throws -> ImportChange {
    var change = ImportChange(item: item, copy: copies[item.id])
    guard change.copy?.digest != item.digest else { return change }
    change.base = item.base
    if let copy = change.copy { change.base = try await ImportBase(copy, notebook.store) }
    if change.base == nil {
      change.base = try await ImportBase(of: item.id, like: item.note.body, notebook.store)
    }
    if let past = change.base?.past {
      // What was imported before that state is no other device's import of this change.
      let note = item.id.rawValue
      let steps = try await notebook.store.fetch(ImportStep.where { $0.note == note })
      for step in steps where try await past.fetch(step.id) != nil {
        change.earlier.insert(step.id)
      }
    }
    return change
  }
}

/// A note of an import, its id here, and what else is written with it.
package struct ImportItem: Sendable {
  package var id: NoteEntity.ID
  package var note: ImportedNote
  /// The path of the file that it comes from; empty if there is none.
  package var path: String
  /// What the file has beside title and text.
  package var front: String
  package var marks: String
  /// What it has come from, if this device knows nothing of it, and it is no new note.
  package var base: ImportBase?
  /// Whether its file was moved, so that the note goes to the folder where that is now.
  package var isMoved = false
  /// Writes what belongs to the note beside text and title, if anything is new.
  package var also: Also

  package typealias Also = @Sendable (WriteTransaction, ImportContext) throws -> Void

  package init(
    _ id: NoteEntity.ID, _ note: ImportedNote, path: String = "", front: String = "",
    marks: String = "", base: ImportBase? = nil, also: @escaping Also = { _, _ in }
  ) {
    (self.id, self.note, self.path) = (id, note, path)
    (self.front, self.marks, self.base, self.also) = (front, marks, base, also)
  }

  /// A digest of all that the source has of the note.
  package var digest: String { copy.digest }

  package var copy: NoteCopy.Source {
    NoteCopy.Source(
      note: id, path: path, title: note.title, front: front, marks: marks, text: note.body)
  }
}

/// What is known of a note when an import writes it.
package struct ImportContext: Sendable {
  /// What this device knew of its copy; nil if it has not seen it before.
  package var copy: NoteCopy?
  /// Whether the note is new.
  package var isNew: Bool
  /// The imports that were known when the source had what the copy says.
  package var earlier: Set<ImportStep.ID>
}

/// One note of an import, and what becomes of it.
struct ImportChange: Sendable {
  enum Outcome: Sendable { case added, changed, unchanged, trashed }

  var item: ImportItem
  /// What this device knows of the copy; nil if it has not seen it.
  var copy: NoteCopy?
  /// What the source's text has come from; nil if that is not known.
  var base: ImportBase?
  /// The imports that were known when the source had that text.
  var earlier: Set<ImportStep.ID> = []

  func write(_ tx: WriteTransaction, _ folders: inout FolderPaths) throws -> Outcome {
    let (id, note) = (item.id, item.note)
    guard let known = try tx.fetch(id) else {
      if try tx.isInTrash(id) { return .trashed }
      var new = NoteEntity()
      new.id = id
      (new.title, new.body, new.isPinned) = (note.title, note.body, note.isPinned)
      new.folder = try folders.folder(note.folders, tx)
      new.importedCreated = note.created.flatMap(Self.storable)
      new.importedModified = note.modified.flatMap(Self.storable)
      try tx.insert(new)
      let tags = try Set(note.tags.map(NoteTag.checked)).sorted(by: utf8Less)
      try tx.insertOrOverwrite(tags.map { NoteTag(id, $0) })
      try item.also(tx, ImportContext(copy: nil, isNew: true, earlier: []))
      return .added
    }
    var hasChanged = copy != nil && copy?.digest != item.digest
    if item.isMoved, let copy {
      let before = copy.path.utf8.split(separator: UInt8(ascii: "/")).dropLast()
      if before.map({ ExactText(String(Substring($0))) }) != note.folders.map({ ExactText($0) }) {
        try tx.set(\.folder, of: id, to: try folders.folder(note.folders, tx))
      }
      hasChanged = true
    }
    // Without a base it is not known who has changed what, so all that is here stays.
    if let base {
      if try tx.importText(note.body, from: base.text, of: id, known.body, earlier: earlier) {
        hasChanged = true
      }
      if base.title != note.title, known.title != note.title {
        try tx.set(\.title, of: id, to: note.title)
        hasChanged = true
      }
    }
    try item.also(tx, ImportContext(copy: copy, isNew: false, earlier: earlier))
    return hasChanged ? .changed : .unchanged
  }

  /// Returns a date if the store can keep it; some files have dates of no year that it knows.
  private static func storable(_ date: Date) -> Date? {
    let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded(.down))
    return milliseconds.flatMap(Timestamp.text) == nil ? nil : date
  }
}

extension WriteTransaction {
  /// Changes the text of a note as a source has changed its own, unless another device has imported
  /// that change already.
  /// - Returns: whether there was anything to change.
  fileprivate func importText(
    _ text: String, from base: String, of id: NoteEntity.ID, _ body: String,
    earlier: Set<ImportStep.ID>
  ) throws -> Bool {
    guard !base.utf8.elementsEqual(text.utf8), !body.utf8.elementsEqual(text.utf8) else {
      return false
    }
    var start = base
    // What another device has imported since may have some of the same lines.
    let note = id.rawValue
    let steps = try fetch(ImportStep.where { $0.note == note && $0.field == "body" })
    if !steps.allSatisfy({ earlier.contains($0.id) }), let fit = LineFit(from: base, to: text) {
      start = fit.fitted(to: body) { _, _ in true }
    }
    guard let script = body.script(from: start, to: text),
      try begin(ImportStep(id, "body", from: base, to: text), unlessAfter: earlier)
    else { return false }
    try edit(NoteEntity.collection, id.rawValue, "body", by: script, isComparison: true)
    return true
  }

  /// Records a change of an import.
  /// - Returns: false if its result was imported already, from whatever base, by an import that is
  ///   not among the earlier ones.
  package func begin(_ step: ImportStep, unlessAfter earlier: Set<ImportStep.ID> = []) throws
    -> Bool
  {
    let same = try fetch(
      ImportStep.where {
        $0.note == step.note && $0.field == step.field && $0.result == step.result
      })
    guard same.allSatisfy({ earlier.contains($0.id) }) else { return false }
    try insert(step)
    return true
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

extension NoteCopy {
  /// What a place has of a note, as an import has read it or an export has written it.
  package struct Source: Sendable {
    package var note: NoteEntity.ID
    package var path: String
    package var title: String?
    package var front: String
    package var marks: String
    package var text: String

    package init(
      note: NoteEntity.ID, path: String, title: String?, front: String, marks: String, text: String
    ) {
      (self.note, self.path, self.title) = (note, path, title)
      (self.front, self.marks, self.text) = (front, marks, text)
    }

    package var digest: String {
      NoteCopy.digest(title: title, front: front, marks: marks, text: text)
    }
  }

  package static func digest(title: String?, front: String, marks: String, text: String) -> String {
    Digest.text([title.map { "1\($0)" } ?? "0", marks, front, text])
  }
}

extension Notebook {
  /// Returns what this device knows of the copies in a place.
  package func copies(in place: String) async throws -> [NoteEntity.ID: NoteCopy] {
    let all = try await store.fetch(NoteCopy.where { $0.place == place })
    return Dictionary(all.map { ($0.note, $0) }) { first, _ in first }
  }

  /// Records what a place has of some notes, on this device only.
  /// - Returns: what is known now.
  @discardableResult
  package func record(_ sources: [NoteCopy.Source], in place: String) async throws -> [NoteCopy] {
    guard !sources.isEmpty else { return [] }
    return try await write(label: "copies") { tx in
      var copies: [NoteCopy] = []
      for source in sources {
        // The state that the difference is for is the one that this transaction sees.
        guard let note = try tx.fetch(source.note) else { continue }
        var copy = NoteCopy(source.note, in: place)
        (copy.path, copy.title, copy.digest) = (source.path, source.title, source.digest)
        (copy.front, copy.marks) = (source.front, source.marks)
        let difference = TextScript(from: note.body, to: source.text)
        copy.difference = difference.isEmpty ? nil : Data(difference.encoded)
        // The event is known once a local collection was written.
        if copies.isEmpty { try tx.insertOrOverwrite(copy) }
        copy.seen = "\(tx.event)"
        try tx.insertOrOverwrite(copy)
        copies.append(copy)
      }
      return copies
    }
  }

  /// Forgets the copies of notes that are gone from a place.
  package func forget(_ copies: [NoteCopy]) async throws {
    guard !copies.isEmpty else { return }
    try await write(label: "copies") { tx in
      try tx.delete(copies.map(\.id).filter { try tx.fetch($0) != nil })
    }
  }
}
