public import Daybook
public import Foundation

/// What a list shows of a note.
public struct NoteSummary: Hashable, Sendable, Identifiable {
  /// The id of the note.
  public var id: NoteEntity.ID
  /// The title that was given to the note, else the first line of its text; empty if that is empty.
  public var title: String
  /// The text behind the title, in one line of at most 200 characters.
  public var preview: String
  /// The folder that the note is in; nil at the top.
  public var folder: NoteFolder.ID?
  /// Whether the note is pinned to the top of lists.
  public var isPinned: Bool
  /// The tags, sorted.
  public var tags: [String]
  /// When the note was created.
  public var created: Date
  /// When the note was last written to.
  public var modified: Date

  /// Makes a summary, for example for a preview or a test.
  /// - Parameters:
  ///   - id: the id of the note.
  ///   - title: the title.
  ///   - preview: the text behind the title.
  ///   - folder: the folder; nil for the top.
  ///   - isPinned: whether the note is pinned.
  ///   - tags: the tags, sorted.
  ///   - created: when the note was created.
  ///   - modified: when the note was last written to.
  public init(
    id: NoteEntity.ID, title: String, preview: String = "", folder: NoteFolder.ID? = nil,
    isPinned: Bool = false, tags: [String] = [], created: Date = .now, modified: Date = .now
  ) {
    self.id = id
    self.title = title
    self.preview = preview
    self.folder = folder
    self.isPinned = isPinned
    self.tags = tags
    self.created = created
    self.modified = modified
  }
}

/// The title and the preview of a note, which follow from the beginning of its text.
struct NoteOpening: Hashable, Sendable {
  var title: String
  var preview: String

  /// The number of characters of a text that decide about title and preview.
  static let length = 600
  private static let titleMax = 120
  private static let previewMax = 200

  /// - Parameters:
  ///   - given: the title that was given to the note; nil if there is none.
  ///   - body: the text, or its first ``length`` characters.
  init(given: String?, body: String) {
    let lines = body.prefix(Self.length).split(whereSeparator: \.isNewline).lazy.map(Self.words)
    var rest = lines.filter { !$0.isEmpty }.makeIterator()
    title = given ?? rest.next() ?? ""
    if title.count > Self.titleMax { title = title.prefix(Self.titleMax - 1) + "…" }
    preview = ""
    while preview.count < Self.previewMax, let line = rest.next() {
      preview += preview.isEmpty ? line : " " + line
    }
    preview = String(preview.prefix(Self.previewMax))
  }

  /// Returns the words of a line, without the marks of a heading, a list or a quotation.
  private static func words(_ line: Substring) -> String {
    var words = line.split(whereSeparator: \.isWhitespace)
    if let first = words.first, first.allSatisfy({ "#>*-+".contains($0) }) {
      words.removeFirst()
    }
    return words.joined(separator: " ")
  }
}

/// Which notes a list has.
public enum NoteFilter: Hashable, Sendable {
  /// All notes.
  case all
  /// The notes at the top: those in no folder, and those whose folder is not there.
  case top
  /// The notes in a folder.
  case folder(NoteFolder.ID)
  /// The notes in a folder, and in all folders below it.
  case below(NoteFolder.ID)
  /// The notes with a tag.
  case tag(String)
  /// The notes that are pinned.
  case pinned
}

/// A tag and the number of notes that have it.
public struct NoteTagCount: Hashable, Sendable, Identifiable {
  /// The tag.
  public var tag: String
  /// The number of notes with the tag, without those in the trash.
  public var count: Int

  /// The tag.
  public var id: String { tag }

  /// Makes a count, for example for a preview or a test.
  /// - Parameters:
  ///   - tag: the tag.
  ///   - count: the number of notes with the tag.
  public init(tag: String, count: Int) {
    self.tag = tag
    self.count = count
  }
}

/// A note in the trash.
public struct TrashedNote: Hashable, Sendable, Identifiable {
  /// The id of the note.
  public var id: NoteEntity.ID
  /// The title, as in ``NoteSummary``.
  public var title: String
  /// The preview, as in ``NoteSummary``.
  public var preview: String
  /// When the note was deleted.
  public var deleted: Date
  /// Who deleted it; empty if that is not known.
  public var actor: String
}

/// A note that a search has found.
public struct NoteHit: Hashable, Sendable, Identifiable {
  /// The note.
  public var summary: NoteSummary
  /// The part of the text around the words found.
  public var excerpt: SearchExcerpt
  /// The relevance; more is better.
  public var score: Double

  /// The id of the note.
  public var id: NoteEntity.ID { summary.id }
}
