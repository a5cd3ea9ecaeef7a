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
    var lines = Lines(body.unicodeScalars.prefix(Self.length))
    title = given ?? lines.next() ?? ""
    if title.unicodeScalars.count > Self.titleMax, title.count > Self.titleMax {
      title = title.prefix(Self.titleMax - 1) + "…"
    }
    preview = ""
    var count = 0
    while count < Self.previewMax, let line = lines.next() {
      preview += preview.isEmpty ? line : " " + line
      count = preview.unicodeScalars.count
    }
    if count > Self.previewMax { preview = String(preview.prefix(Self.previewMax)) }
  }

  /// The lines of a text that have words, without the marks of a heading, a list or a quotation.
  ///
  /// It goes over scalars: a list of thousands of notes would spend most of its time in finding
  /// characters.
  private struct Lines: IteratorProtocol {
    private var rest: String.UnicodeScalarView.SubSequence.Iterator

    init(_ text: String.UnicodeScalarView.SubSequence) { rest = text.makeIterator() }

    mutating func next() -> String? {
      while true {
        guard let line = nextLine() else { return nil }
        if !line.isEmpty { return line }
      }
    }

    /// Returns the words of the next line; nil at the end of the text.
    private mutating func nextLine() -> String? {
      var line = String.UnicodeScalarView()
      var word = String.UnicodeScalarView()
      var isFirst = true
      var isEnd = true
      func end(_ word: inout String.UnicodeScalarView) {
        guard !word.isEmpty else { return }
        if !isFirst || !word.allSatisfy({ "#>*-+".unicodeScalars.contains($0) }) {
          if !line.isEmpty { line.append(" ") }
          line += word
        }
        isFirst = false
        word = String.UnicodeScalarView()
      }
      while let scalar = rest.next() {
        isEnd = false
        switch scalar.value {
        case 10...13, 0x85, 0x2028, 0x2029:
          end(&word)
          return String(line)
        case 9, 32: end(&word)
        case 128... where scalar.properties.isWhitespace: end(&word)
        default: word.append(scalar)
        }
      }
      end(&word)
      return isEnd ? nil : String(line)
    }
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
  public var excerpt: Store.SearchExcerpt
  /// The relevance; more is better.
  public var score: Double

  /// The id of the note.
  public var id: NoteEntity.ID { summary.id }
}
