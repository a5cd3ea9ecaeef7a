public import Foundation
@_exported public import Notes

/// A folder of Markdown files with front matter, one note a file, whose subfolders are the folders
/// of notes.
///
/// ```swift
/// let folder = MarkdownFolder(at: url)
/// let report = try await folder.importNotes(into: notebook)
/// try await folder.export(notebook)
/// ```
/// An import that is repeated takes over what has changed in the files: a change of a text becomes
/// an edit, and merges with what was typed in the app since. An export writes the files that the
/// app has changed. A file that neither has changed stays as it is, byte by byte: front matter with
/// keys that notes do not know, line ends, byte order mark.
///
/// Files that are no notes are passed over and listed, and stop nothing. Links are not followed.
public struct MarkdownFolder: Sendable {
  /// The rules for files.
  public struct Options: Sendable {
    /// What tells this folder from others that are imported into the same notebook. Devices that
    /// import copies of one folder give it the same name.
    public var source = "markdown"
    /// The extensions of files that are notes, in lower case.
    public var extensions: Set<String> = ["md", "markdown", "mdown", "txt"]
    /// The largest file that is a note, in bytes.
    public var fileBytesMax = 4 << 20
    /// How old a file's last change has to be. A file that is being written is passed over until
    /// then.
    public var settling = Duration.seconds(2)
    /// Whether an export removes the files of notes that are in the trash or were moved.
    public var removesFiles = true

    /// Makes the usual rules.
    public init() {}
  }

  /// The folder.
  public let url: URL
  /// The rules.
  public let options: Options

  /// Makes a folder of Markdown. Nothing is read yet.
  /// - Parameters:
  ///   - url: the folder in the file system.
  ///   - options: the rules.
  public init(at url: URL, options: Options = Options()) {
    self.url = url
    self.options = options
  }
}

/// What an import or export of Markdown has done.
public struct MarkdownReport: Hashable, Sendable {
  /// What became of the notes of an import.
  public var notes = NoteImportReport()
  /// The number of files that an export has written.
  public var written = 0
  /// The number of files that an export has removed, because their notes were moved or deleted.
  public var removed = 0
  /// The number of files that were as they should be.
  public var unchanged = 0
  /// Files that were passed over or not changed, and why.
  public var findings: [MarkdownFinding] = []
}

/// A file that was passed over, or not understood as a whole.
public struct MarkdownFinding: Hashable, Sendable, CustomStringConvertible {
  /// The kind of a finding.
  public enum Code: String, Sendable, CaseIterable {
    /// The bytes are not UTF-8, or have a NUL. The file is passed over.
    case notText
    /// The file is larger than ``MarkdownFolder/Options/fileBytesMax``. It is passed over.
    case tooLarge
    /// The file is a link. It is not followed.
    case link
    /// The name is no file's, or not UTF-8. It is passed over.
    case special
    /// The file cannot be read. It is passed over.
    case unreadable
    /// The file is being written, or ends before its front matter does. It is passed over until it
    /// is whole.
    case unfinished
    /// The file is empty, and its note is not. The note stays as it is; to delete it, delete it in
    /// the app.
    case emptied
    /// The front matter is no YAML that is understood. The note has the text, and the front matter
    /// stays as it is.
    case invalidFrontMatter
    /// The file of a note is gone. The note stays; to delete it, delete it in the app.
    case missing
    /// The file was changed since the last import, so an export does not write it. Import first.
    case changedOutside
    /// Title, tags or pin of the note cannot be written, because the front matter is not
    /// understood. The text was written.
    case frontMatterKept
  }

  /// The kind of the finding.
  public var code: Code
  /// The path, relative to the folder.
  public var path: String
  /// What was found, without the path.
  public var message: String

  /// The path, and what was found there.
  public var description: String { "“\(path)” \(message)" }

  init(_ code: Code, _ path: String, _ message: String) {
    self.code = code
    self.path = path
    self.message = message
  }
}
