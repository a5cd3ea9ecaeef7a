import Foundation
import GRDB
import Notes
import Projections

/// What a notebook knows about the files of its notes: their paths, and what belongs to the file
/// and not to the note. It is shared, so that another device writes the same files.
enum NoteFiles {
  static let collection = "note_files"

  static let definition = Definition(
    collection, [.text("path").indexed(), .text("front"), .text("marks"), .text("source")])

  struct Entry: Hashable, Sendable {
    var path: String
    var front: String
    var marks: String
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
        "SELECT id, path, front, marks FROM note_files WHERE source = ?", arguments: [source]
      ) { row in
        all[NoteEntity.ID(row.text(0))] = Entry(
          path: row.text(1), front: row.text(2), marks: row.text(3))
      }
      return all
    }
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
}

/// Names of files.
enum FileName {
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
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return path.utf8.count <= 1024 && !path.utf8.contains(0) && parts.count <= 64
      && parts.allSatisfy { part in
        !part.isEmpty && part != "." && part != ".." && part.utf8.count <= 255
          && !MarkdownDisk.isPassing(String(part))
      }
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
