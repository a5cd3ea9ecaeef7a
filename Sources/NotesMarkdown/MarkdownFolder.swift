public import DaybookNotes
public import Foundation

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
/// Each device has a folder of its own, or one that another program copies to the others. What a
/// file of one device holds is compared with what that device last imported or exported. So a file
/// that is older than the notebook takes nothing back, and an import of what an export of any
/// device has written changes nothing.
///
/// Files that are no notes are passed over and listed, and stop nothing. Links are not followed.
public struct MarkdownFolder: Sendable {
  /// The rules for files.
  public struct Options: Sendable {
    /// What tells this folder from others that are imported into the same notebook. Devices whose
    /// folders have the same notes give it the same name. What each device knows of its own files
    /// is kept on that device, by this name and the folder's path.
    public var source = "markdown"
    /// The extensions of files that are notes, in lower case.
    public var extensions: Set<String> = ["md", "markdown", "mdown", "txt"]
    /// The largest file that is a note, in bytes.
    public var fileBytesMax = 4 << 20
    /// How old a file's last change has to be. A file that is being written is passed over until
    /// then.
    public var fileAgeMin = Duration.seconds(2)
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
    /// The file cannot be read, or what it holds cannot be stored. It is passed over.
    case unreadable
    /// The file cannot be written or removed, for example because a folder of its path is a link.
    case unwritable
    /// Folders below would have paths that are longer than what every system allows. The files of
    /// their notes stand in this one.
    case tooDeep
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
    /// Title, tags or pin of the note cannot be written safely: the front matter is not understood,
    /// or another key of it would change, too. The text was written.
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
