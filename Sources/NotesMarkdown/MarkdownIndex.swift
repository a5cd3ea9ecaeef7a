import DaybookNotes
import DaybookProjections
import GRDB

/// What this device and the notebook know of a folder's files when an import or export begins.
struct MarkdownIndex: Sendable {
  let place: String
  /// What this device knows of its files, by note.
  let copies: [NoteEntity.ID: NoteCopy]
  /// What the notebook knows of the files that any device has, by note.
  let files: [NoteEntity.ID: NoteFiles.Entry]
  /// The notes that are not in the trash, and whether their text is empty.
  let notes: [NoteEntity.ID: Bool]
  var folders: FolderPlaces

  init(_ folder: MarkdownFolder, _ disk: MarkdownDisk, _ notebook: Notebook) async throws {
    try await NoteFiles.define(in: notebook)
    try await notebook.joinImports()
    try await NoteFiles.join(folder.options.source, notebook)
    place = NoteCopy.place(of: folder.options.source, in: disk.root)
    files = try await NoteFiles.all(folder.options.source, notebook)
    notes = try await notebook.store.read { db in
      var notes: [NoteEntity.ID: Bool] = [:]
      try db.forEachRow("SELECT id, coalesce(body, '') = '' FROM notes") { row in
        notes[NoteEntity.ID(row.text(0))] = row.integer(1) != 0
      }
      return notes
    }
    copies = try await Self.copies(in: place, of: notes, files, notebook)
    folders = try await FolderPlaces(notebook, disk, place)
  }

  /// Returns what this device knows of its files. Those of notes that were joined with others
  /// belong to the others.
  private static func copies(
    in place: String, of notes: [NoteEntity.ID: Bool], _ files: [NoteEntity.ID: NoteFiles.Entry],
    _ notebook: Notebook
  ) async throws -> [NoteEntity.ID: NoteCopy] {
    let copies = try await notebook.copies(in: place)
    var gone: [NoteCopy] = []
    var taken: [NoteCopy.Source] = []
    for copy in copies.values.sorted(by: { $0.note < $1.note }) where notes[copy.note] == nil {
      guard let same = files[copy.note]?.same, notes[same] != nil, copies[same] == nil,
        !taken.contains(where: { $0.note == same }),
        let base = try await ImportBase(copy, notebook.store)
      else { continue }
      gone.append(copy)
      taken.append(
        NoteCopy.Source(
          note: same, path: copy.path, title: copy.title, front: copy.front, marks: copy.marks,
          text: base.text))
    }
    guard !gone.isEmpty else { return copies }
    try await notebook.record(taken, in: place)
    try await notebook.forget(gone)
    return try await notebook.copies(in: place)
  }

  /// Returns what a file that this device does not know has come from, if it is a copy of a note's
  /// file: an earlier state of the note, or the one that it differs from least.
  func origin(of item: MarkdownItem, _ id: NoteEntity.ID, _ notebook: Notebook) async throws
    -> ImportBase?
  {
    let text = item.text
    let base = try await ImportBase(of: id, like: text.body, notebook.store) { body in
      // What a file cannot tell apart, such as empty lines before a text, is no difference.
      var file = MarkdownText(front: text.front, body: body)
      file.apply(marks: text.marks)
      return MarkdownText(file.joined)?.body.utf8.elementsEqual(text.body.utf8) ?? false
    }
    return base.flatMap { $0.isNear(text.body) ? $0 : nil }
  }

  /// Finds files that were moved: what they hold is what a note's file held that is missing. One
  /// that was changed after it was moved is found by its name, if its text has much in common.
  /// - Parameters:
  ///   - items: files of no note.
  ///   - missing: what this device knows of the files that are gone.
  /// - Returns: the notes, by the exact paths of the files.
  func moved(_ items: [MarkdownItem], from missing: [NoteCopy], _ notebook: Notebook) async throws
    -> [ExactText: NoteEntity.ID]
  {
    func name(_ path: String) -> String { FileName.key(FileName.last(path)) }
    var missing = missing.sorted { $0.note < $1.note }
    var moved: [ExactText: NoteEntity.ID] = [:]
    func take(_ copy: NoteCopy, _ item: MarkdownItem) {
      missing.removeAll { $0.note == copy.note }
      moved[ExactText(item.path)] = copy.note
    }
    for item in items {
      let same = missing.filter { $0.digest == item.digest }
      let copy = same.first { name($0.path) == name(item.path) } ?? same.first
      if let copy { take(copy, item) }
    }
    for item in items where moved[ExactText(item.path)] == nil {
      let named = missing.filter { name($0.path) == name(item.path) }
      guard named.count == 1, let base = try await ImportBase(named[0], notebook.store),
        ImportBase.areNear(
          base.text, item.text.body, TextScript(from: base.text, to: item.text.body).size)
      else { continue }
      take(named[0], item)
    }
    return moved
  }
}
