import DaybookNotes
import DaybookProjections
import Foundation
import GRDB

/// What a notebook knows about the files of its notes: the name that a new file gets, and what
/// belongs to the file and not to the note. It is shared, so that another device writes the same
/// files. What each device has of them is its own; see `NoteCopy`.
enum NoteFiles {
  static let collection = "note_files"

  static let definition = Definition(
    collection,
    [
      .text("path").indexed(), .text("front").merging(), .text("marks"), .text("source"),
      .text("same"),
    ])

  struct Entry: Hashable, Sendable {
    var path: String
    var front: String
    var marks: String
    /// The note that this one was joined with, because both have come from one file.
    var same: NoteEntity.ID?
  }

  static func define(in notebook: Notebook) async throws {
    if try await notebook.store.schema()[collection] != nil { return }
    try await notebook.write(label: "schema") { try $0.define(definition) }
  }

  /// Returns the entries of a source, by note.
  static func all(_ source: String, _ notebook: Notebook) async throws -> [NoteEntity.ID: Entry] {
    try await notebook.store.read { db in
      var all: [NoteEntity.ID: Entry] = [:]
      try db.forEachRow(
        "SELECT id, path, front, marks, same FROM note_files WHERE source = ?",
        arguments: [source]
      ) { row in
        all[NoteEntity.ID(row.text(0))] = Entry(
          path: row.text(1), front: row.text(2), marks: row.text(3),
          same: row.textIfAny(4).map { NoteEntity.ID($0) })
      }
      return all
    }
  }

  /// Returns the entry of a note as a transaction sees it; nil if there is none.
  static func entry(of note: NoteEntity.ID, _ tx: WriteTransaction) throws -> Entry? {
    guard let stored = try tx.fetch(collection, note.rawValue) else { return nil }
    func text(_ field: String) -> String {
      if case .text(let text) = stored[field] { text } else { "" }
    }
    return Entry(path: text("path"), front: text("front"), marks: text("marks"))
  }

  static func put(
    _ entry: Entry, of note: NoteEntity.ID, _ source: String, _ tx: WriteTransaction
  ) throws {
    try tx.put(
      collection, note.rawValue,
      [
        "path": .text(entry.path), "front": .text(entry.front), "marks": .text(entry.marks),
        "source": .text(source),
      ])
  }

  /// Takes over what a file has changed beside title and text.
  static func take(
    _ file: Entry, of note: NoteEntity.ID, _ source: String, _ tx: WriteTransaction,
    _ context: ImportContext
  ) throws {
    guard let known = try entry(of: note, tx) else { return try put(file, of: note, source, tx) }
    // A copy that this device has not seen before may be older than what the notebook has.
    guard let copy = context.copy else { return }
    if copy.marks != file.marks {
      try tx.update(collection, note.rawValue, ["marks": .text(file.marks)])
    }
    if ExactText(copy.path) != ExactText(file.path) {
      try tx.update(collection, note.rawValue, ["path": .text(file.path)])
    }
    guard ExactText(copy.front) != ExactText(file.front),
      let script = script(from: copy.front, to: file.front, in: known.front)
    else { return }
    let step = ImportStep(note, "front", from: copy.front, to: file.front)
    guard try tx.begin(step, unlessAfter: context.earlier) else { return }
    try tx.edit(collection, note.rawValue, "front", by: script, isComparison: true)
  }

  /// Returns the change of the shared front matter that a file's change is.
  private static func script(
    from old: String, to new: String, in shared: String
  ) -> TextScript? {
    // A file shows title, tags and pin as the note has them, which the shared one may not.
    let shown = FrontMatter(MarkdownText(front: old, body: "").yaml)
    let fitted = FrontMatter.changing(
      shared, title: shown.title, tags: shown.tags, isPinned: shown.isPinned)
    guard let fitted else { return shared.script(from: old, to: new) }
    let merged =
      ExactText(fitted) == ExactText(old)
      ? new : fitted.script(from: old, to: new)?.applied(to: fitted)
    let script = TextScript(from: shared, to: merged ?? shared)
    return script.isEmpty ? nil : script
  }
}

/// Names of files.
enum FileName {
  /// Returns the names in a path. What follows a slash may combine with it to one character.
  static func names(_ path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
  }

  /// Returns the folder that a path is in; empty for the top.
  static func parent(_ path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? ""
  }

  /// Returns the last part of a path.
  static func last(_ path: String) -> String {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    return slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }

  /// Returns a name without its extension, and the extension; that is empty if there is none.
  static func parts(_ name: String) -> (stem: String, ending: String) {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
      return (name, "")
    }
    return (String(name[..<dot]), String(name[name.utf8.index(after: dot)...]))
  }

  /// Returns the form of a path by which names that one file system takes for the same are equal.
  static func key(_ path: String) -> String {
    path.precomposedStringWithCanonicalMapping.lowercased()
  }

  /// Returns whether a path that came from another device stays in its folder.
  static func isSafe(_ path: String) -> Bool {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return !path.utf8.contains(0) && parts.count <= MarkdownDisk.levelsMax
      && parts.allSatisfy { part in
        !part.isEmpty && part.count <= 255 && !MarkdownDisk.isPassing(String(Substring(part)))
      }
  }

  /// Returns a name that every system takes for a folder, and that is not passed over.
  static func portableFolder(_ name: String) -> String {
    let name = portable(name, or: "Folder")
    return MarkdownDisk.isPassing(name) ? name + "_" : name
  }

  /// Returns the name of a new file, for a note's title, or the first line of its text.
  static func new(title: String?, opening: String) -> String {
    let first = opening.split(whereSeparator: \.isNewline).lazy
      .map { $0.drop { "#>*-+ \t".contains($0) } }.first { !$0.isEmpty }
    return portable(title ?? String(first ?? ""), or: "Note") + ".md"
  }

  /// Returns a name that every system takes, for a title or a folder.
  static func portable(_ title: String, or other: String) -> String {
    var name = ""
    for character in title.prefix(80) {
      let isBad =
        "<>:\"/\\|?*".contains(character)
        || character.unicodeScalars.contains { $0.value < 32 || $0.value == 127 }
      name.append(isBad ? "-" : character)
    }
    while name.utf8.count > 200 { name.removeLast() }
    name = name.trimmingCharacters(in: CharacterSet(charactersIn: " .~"))
    let stem = name.prefix { $0 != "." }.uppercased()
    let reserved = ["CON", "PRN", "AUX", "NUL", "COM", "LPT"]
    if reserved.contains(String(stem.prefix(3))),
      stem.count == 3 || stem.count == 4 && stem.last!.isNumber
    {
      name = "_" + name
    }
    return name.isEmpty ? other : name
  }
}
