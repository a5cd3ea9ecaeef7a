/// Something at a peer that is not as it should be, and that does not stop the rest: a file of a shared
/// folder that is damaged, not here yet, or somebody else's.
public struct SyncFinding: Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable, CaseIterable {
    /// The file is elsewhere, and has to be brought here by the program that synchronises the folder.
    case placeholder
    /// The file is shorter or longer than its name says: half written, or cut off.
    case incomplete
    /// The file's contents are not what its writer has written.
    case damaged
    /// The file was given another name. It is used.
    case renamed
    /// A second copy of a file. It is passed over.
    case duplicate
    /// A file that has nothing to do here. It is passed over.
    case foreign
    /// The file cannot be opened.
    case unreadable
    /// Later software has written it.
    case newerFormat
    /// Two histories of one origin: one of them is passed over.
    case fork
  }

  public var code: Code
  /// Below the shared folder.
  public var path: String
  /// What it is and what becomes of it, without the path.
  public var message: String

  public init(_ code: Code, _ path: String, _ message: String) {
    self.code = code
    self.path = path
    self.message = message
  }

  public var description: String { "“\(path)” \(message)" }
}
