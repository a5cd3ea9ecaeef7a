import Daybook
import DaybookEventCore
public import Foundation

/// A note that comes from another app.
public struct ImportedNote: Hashable, Sendable {
  /// What tells the note from the others of its source; the same at every import.
  public var id: String
  /// The names of the folders that it is in, from the top.
  public var folders: [String]
  /// A title of its own; nil if the first line of the text is the title.
  public var title: String?
  /// The text.
  public var body: String
  /// When it was created; nil if that is not known.
  public var created: Date?
  /// When it was last changed; nil if that is not known.
  public var modified: Date?
  /// The tags.
  public var tags: [String]
  /// Whether it is pinned.
  public var isPinned: Bool

  /// Makes a note.
  /// - Parameters:
  ///   - id: what tells the note from the others of its source.
  ///   - folders: the names of the folders that it is in, from the top.
  ///   - title: a title of its own; nil if the first line of the text is the title.
  ///   - body: the text.
  ///   - created: when it was created; nil if that is not known.
  ///   - modified: when it was last changed; nil if that is not known.
  ///   - tags: the tags.
  ///   - isPinned: whether it is pinned.
  public init(
    id: String, folders: [String] = [], title: String? = nil, body: String, created: Date? = nil,
    modified: Date? = nil, tags: [String] = [], isPinned: Bool = false
  ) {
    self.id = id
    self.folders = folders
    self.title = title
    self.body = body
    self.created = created
    self.modified = modified
    self.tags = tags
    self.isPinned = isPinned
  }
}

/// A source of notes of another app, such as its logs or its database.
///
/// An app that knows a format writes an importer for it. The text of each note is what the other
/// app shows now. Importing again takes over only what the other app has changed since.
public protocol NoteImporter: Sendable {
  /// The name of the source: that of the other app, say. Notes of one source are told apart by
  /// their ids.
  var source: String { get }

  /// Returns the notes of the source. They may come in any order, and one after the other.
  /// - Throws: what reading the source throws.
  func notes() -> AsyncThrowingStream<ImportedNote, any Error>
}

/// What an import has done.
public struct NoteImportReport: Hashable, Sendable {
  /// The number of notes that were added.
  public var added = 0
  /// The number of notes that the source has changed since the last import, and that were changed.
  public var changed = 0
  /// The number of notes that were as they are.
  public var unchanged = 0
  /// The number of notes that are in the trash here, and were left there. Notes that were purged,
  /// and that the source still has as they were, are among them.
  public var trashed = 0

  /// Makes a report, for example for a preview or a test.
  /// - Parameters:
  ///   - added: the number of notes that were added.
  ///   - changed: the number of notes that were changed.
  ///   - unchanged: the number of notes that were as they are.
  ///   - trashed: the number of notes that were left in the trash.
  public init(added: Int = 0, changed: Int = 0, unchanged: Int = 0, trashed: Int = 0) {
    self.added = added
    self.changed = changed
    self.unchanged = unchanged
    self.trashed = trashed
  }
}

extension Notebook {
  /// Imports the notes of another app.
  ///
  /// A note that was imported before is found again, also if it was imported on another device. A
  /// change of the source becomes an edit, so what was typed here since the last import stays. What
  /// the source had then is known to each device for itself.
  /// Folders are found by their names, and made if they are not there. What the source no longer
  /// has stays here.
  /// - Parameter importer: the source.
  /// - Returns: what was done.
  /// - Throws: what the importer throws; `StoreError`. Notes that were imported before the error
  ///   stay, and the next import goes on.
  @discardableResult
  public func importNotes(from importer: some NoteImporter) async throws -> NoteImportReport {
    try await joinImports()
    let place = NoteCopy.place(of: importer.source, in: "")
    let session = try await ImportSession(
      self, importer.source, at: place, FolderPaths(self), isLenient: false)
    for try await note in importer.notes() {
      let id = ImportSession.id(of: note.id, in: importer.source)
      try await session.take(ImportItem(id, note))
    }
    return try await session.finish().report
  }
}
