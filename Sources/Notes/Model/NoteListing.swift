import Daybook
import DaybookEventCore
package import DaybookProjections
package import Foundation
import GRDB

/// The statements that read lists of notes.
///
/// Titles and previews are made from the first characters of the texts, so they follow every merge
/// and are the same on all devices that have the same text.
enum NoteListing {
  static let collections = ["notes", "folders", "note_tags"]

  /// The time by which lists are sorted. A note that was imported keeps its date until it is
  /// written to.
  private static let shown = """
    CASE WHEN modified > created THEN modified ELSE coalesce(imported_modified, modified) END
    """

  private static func condition(_ filter: NoteFilter) -> (sql: String, arguments: [String]) {
    let below = """
      WITH RECURSIVE below(id) AS (
        SELECT id FROM folders WHERE id = ?
        UNION SELECT folders.id FROM folders JOIN below ON folders.parent = below.id)
      SELECT id FROM below
      """
    return switch filter {
    case .all: ("1", [])
    case .top: ("(folder IS NULL OR folder NOT IN (SELECT id FROM folders))", [])
    case .folder(let id): ("folder = ?", [id.rawValue])
    case .below(let id): ("folder IN (\(below))", [id.rawValue])
    case .tag(let tag):
      // Tags are written in one form of Unicode, and older ones may have another.
      (
        "id IN (SELECT note FROM note_tags WHERE tag IN (?, ?, ?))",
        [tag, NoteTag.normal(tag), tag.decomposedStringWithCanonicalMapping]
      )
    case .pinned: ("pinned = 1", [])
    }
  }

  /// Reads a list: pinned notes first, then the latest. Among notes of the same millisecond, the
  /// one that was made last is the first.
  static func summaries(_ filter: NoteFilter, limit: Int?, _ db: Database) throws -> [NoteSummary] {
    let (sql, arguments) = condition(filter)
    // The inner statement sorts by an index that has all it needs.
    return try summaries(
      """
      WHERE rowid IN (
        SELECT rowid FROM notes WHERE \(sql)
        ORDER BY coalesce(pinned, 0) DESC, \(shown) DESC, id DESC LIMIT ?)
      """, StatementArguments(arguments) + [limit ?? -1], db)
  }

  /// Reads the notes of some ids, in no order of theirs.
  static func summaries(of ids: [NoteEntity.ID], _ db: Database) throws -> [NoteSummary] {
    let list = try String(decoding: JSONEncoder().encode(ids), as: UTF8.self)
    return try summaries("WHERE id IN (SELECT value FROM json_each(?))", [list], db)
  }

  private static func summaries(
    _ condition: String, _ arguments: StatementArguments, _ db: Database
  ) throws -> [NoteSummary] {
    let statement = try db.cachedStatement(
      sql: """
        SELECT id, title, substr(body, 1, \(NoteOpening.length)), folder, coalesce(pinned, 0),
          coalesce(imported_created, created), \(shown),
          (SELECT group_concat(tag, char(10)) FROM note_tags WHERE note = notes.id)
        FROM notes \(condition)
        ORDER BY coalesce(pinned, 0) DESC, \(shown) DESC, id DESC
        """)
    var summaries: [NoteSummary] = []
    try db.forEachRow(of: statement, arguments: arguments) { summaries.append(NoteSummary($0)) }
    return summaries
  }

  static func folders(_ db: Database) throws -> [NoteFolderNode] {
    var folders: [NoteFolder] = []
    try db.forEachRow("SELECT id, name, parent, rank FROM folders ORDER BY rank, id") { row in
      var folder = NoteFolder()
      folder.id = NoteFolder.ID(row.text(0))
      folder.name = row.text(1)
      folder.parent = row.textIfAny(2).map { NoteFolder.ID($0) }
      folder.rank = FractionalIndex(row.text(3))
      folders.append(folder)
    }
    var counts: [NoteFolder.ID: Int] = [:]
    try db.forEachRow(
      "SELECT folder, count(*) FROM notes WHERE folder IS NOT NULL GROUP BY folder"
    ) { counts[NoteFolder.ID($0.text(0))] = Int($0.integer(1)) }
    return NoteFolderNode.tree(folders, counts: counts)
  }

  static func tags(_ db: Database) throws -> [NoteTagCount] {
    var counts: [String: Int] = [:]
    var forms: [String: [String]] = [:]
    try db.forEachRow(
      """
      SELECT tag, count(*) FROM note_tags JOIN notes ON notes.id = note_tags.note GROUP BY tag
      """
    ) { row in
      let tag = NoteTag.normal(row.text(0))
      counts[tag, default: 0] += Int(row.integer(1))
      forms[tag, default: []].append(row.text(0))
    }
    // A note that has two forms of one tag counts once.
    for (tag, forms) in forms where forms.count > 1 {
      let list = try String(decoding: JSONEncoder().encode(forms), as: UTF8.self)
      try db.forEachRow(
        """
        SELECT count(DISTINCT note) FROM note_tags JOIN notes ON notes.id = note_tags.note
        WHERE tag IN (SELECT value FROM json_each(?))
        """, arguments: [list]
      ) { counts[tag] = Int($0.integer(0)) }
    }
    return counts.map { NoteTagCount(tag: $0.key, count: $0.value) }
      .sorted { utf8Less($0.tag, $1.tag) }
  }
}

extension NoteSummary {
  fileprivate init(_ row: Columns) {
    let opening = NoteOpening(given: row.textIfAny(1), body: row.text(2))
    self.init(
      id: NoteEntity.ID(row.text(0)), title: opening.title, preview: opening.preview,
      folder: row.textIfAny(3).map { NoteFolder.ID($0) }, isPinned: row.integer(4) != 0,
      tags: row.noteTags(7), created: row.date(5) ?? .distantPast,
      modified: row.date(6) ?? .distantPast)
  }
}

extension Columns {
  /// Returns the time that a column shows; nil for NULL.
  package func date(_ column: Int32) -> Date? {
    textIfAny(column).flatMap { Timestamp.milliseconds($0) }.map {
      Date(timeIntervalSince1970: Double($0) / 1000)
    }
  }

  /// Returns the tags that a column holds, one a line, in their normal form.
  package func noteTags(_ column: Int32) -> [String] {
    guard let text = textIfAny(column), !text.isEmpty else { return [] }
    return Set(text.split(separator: "\n").map { NoteTag.normal(String($0)) })
      .sorted(by: utf8Less)
  }
}
