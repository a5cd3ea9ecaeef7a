public import Daybook
public import Foundation

/// A note as the store holds it, for queries and relationships of an app's own.
///
/// Lists are made of ``NoteSummary``, which reads no whole bodies. A note is written by the methods
/// of ``Notebook``.
public struct NoteEntity: Entity, Hashable {
  public static let collection = "notes"
  public static let fields: [EntityField<NoteEntity>] = [
    .field("title", \.title).searchable(weight: 2),
    .field("body", \.body).merging().searchable(),
    .field("folder", \.folder).references(NoteFolder.self, onDelete: .cascade),
    .field("pinned", \.isPinned),
    .field("imported_created", \.importedCreated),
    .field("imported_modified", \.importedModified),
    .field("created", \.created).kept(.created),
    .field("modified", \.modified).kept(.modified),
  ]

  public static func refine(_ definition: Definition) -> Definition {
    // Has all that a list sorts by, so that only the rows which are shown are read.
    definition.indexed(by: "folder", "pinned", "modified", "created", "imported_modified")
  }

  /// The id of the note.
  public var id = ID()
  /// A title that was given to the note; nil if the first line of the body is its title.
  public var title: String?
  /// The text. Changes of it merge.
  public var body = ""
  /// The folder; nil at the top. A note whose folder is not there is shown at the top.
  public var folder: NoteFolder.ID?
  /// Whether the note is pinned to the top of lists.
  public var isPinned = false
  /// When the note was created, if an import says so.
  public var importedCreated: Date?
  /// When the note was last changed before it was imported, if an import says so.
  public var importedModified: Date?
  /// When the note was added to the store. The store keeps it.
  public var created = Date.distantPast
  /// When the note was last written to. The store keeps it.
  public var modified = Date.distantPast

  /// Makes an empty note at the top.
  public init() {}
}

/// A tag of a note. Each is an entity, so that tags which two people add while they are apart are
/// all there afterwards. Its id is made of note and tag.
public struct NoteTag: Entity, Hashable {
  public static let collection = "note_tags"
  public static let fields: [EntityField<NoteTag>] = [
    // A note in the trash keeps its tags.
    .field("note", \.note).references(NoteEntity.self, onDelete: .keep),
    .field("tag", \.tag).indexed(),
  ]

  /// The id: the id of the note, a slash, and the tag.
  public var id = ID("")
  /// The note.
  public var note = NoteEntity.ID("")
  /// The tag, without a number sign.
  public var tag = ""

  /// Makes an empty tag of no note.
  public init() {}

  init(_ note: NoteEntity.ID, _ tag: String) {
    id = ID("\(note)/\(tag)")
    self.note = note
    self.tag = tag
  }

  /// Returns note and tag of an id; nil if it is not made of them.
  static func parts(of id: String) -> (note: NoteEntity.ID, tag: String)? {
    guard let slash = id.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
    return (NoteEntity.ID(String(id[..<slash])), String(id[id.utf8.index(after: slash)...]))
  }
}
