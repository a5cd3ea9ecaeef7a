import Daybook
import Foundation
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
    case .tag(let tag): ("id IN (SELECT note FROM note_tags WHERE tag = ?)", [tag])
    case .pinned: ("pinned = 1", [])
    }
  }

  /// Reads a list: pinned notes first, then the latest.
  static func summaries(_ filter: NoteFilter, limit: Int?, _ db: Database) throws -> [NoteSummary] {
    let (sql, arguments) = condition(filter)
    // The inner statement sorts by an index that has all it needs.
    return try summaries(
      """
      WHERE rowid IN (
        SELECT rowid FROM notes WHERE \(sql)
        ORDER BY coalesce(pinned, 0) DESC, \(shown) DESC, id LIMIT ?)
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
        ORDER BY coalesce(pinned, 0) DESC, \(shown) DESC, id
        """)
    let rows = try Row.fetchCursor(statement, arguments: arguments)
    var summaries: [NoteSummary] = []
    while let row = try rows.next() { summaries.append(NoteSummary(row)) }
    return summaries
  }

  static func folders(_ db: Database) throws -> [NoteFolderNode] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT id, name, parent, rank FROM folders ORDER BY rank, id")
    let folders = rows.map { row in
      var folder = NoteFolder()
      folder.id = NoteFolder.ID(row[0] as String? ?? "")
      folder.name = row[1] ?? ""
      folder.parent = (row[2] as String?).map { NoteFolder.ID($0) }
      folder.rank = row[3] ?? ""
      return folder
    }
    var counts: [NoteFolder.ID: Int] = [:]
    let counted = try Row.fetchCursor(
      db, sql: "SELECT folder, count(*) FROM notes WHERE folder IS NOT NULL GROUP BY folder")
    while let row = try counted.next() { counts[NoteFolder.ID(row[0] as String)] = row[1] }
    return NoteFolderNode.tree(folders, counts: counts)
  }

  static func tags(_ db: Database) throws -> [NoteTagCount] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT tag, count(*) FROM note_tags JOIN notes ON notes.id = note_tags.note
        GROUP BY tag ORDER BY tag
        """)
    return rows.map { NoteTagCount(tag: $0[0], count: $0[1]) }
  }
}

extension NoteSummary {
  fileprivate init(_ row: Row) {
    let opening = NoteOpening(given: row[1], body: row[2] ?? "")
    let tags: String? = row[7]
    self.init(
      id: NoteEntity.ID(row[0] as String), title: opening.title, preview: opening.preview,
      folder: (row[3] as String?).map { NoteFolder.ID($0) }, isPinned: row[4],
      tags: tags.map { $0.split(separator: "\n").map(String.init).sorted() } ?? [],
      created: row[5] ?? .distantPast, modified: row[6] ?? .distantPast)
  }
}
