/// A problem at a peer that does not stop the sync. For example, a file in a shared folder is
/// damaged, has not arrived yet, or does not belong there.
public struct SyncFinding: Hashable, Sendable, CustomStringConvertible {
  /// The kind of a problem.
  public enum Code: String, Sendable, CaseIterable {
    /// The file is not on this machine yet; the program that syncs the folder has to download it.
    case placeholder
    /// The file is shorter or longer than its name says. It is half written or truncated.
    case incomplete
    /// The file's contents are not what its writer wrote.
    case damaged
    /// The file was renamed. It is used.
    case renamed
    /// The file is a second copy of another file. It is ignored.
    case duplicate
    /// The file does not belong here. It is ignored.
    case foreign
    /// The file cannot be opened.
    case unreadable
    /// Newer software has written the file.
    case newerFormat
    /// An origin has two histories. One of them is ignored.
    case fork
  }

  /// The kind of the problem.
  public var code: Code
  /// The path relative to the shared folder.
  public var path: String
  /// A description of the problem and its consequence, without the path.
  public var message: String

  /// Makes a finding, for a peer that an app writes.
  /// - Parameters:
  ///   - code: the kind of the problem.
  ///   - path: where it is.
  ///   - message: the problem and its consequence, without the path.
  public init(_ code: Code, _ path: String, _ message: String) {
    self.code = code
    self.path = path
    self.message = message
  }

  public var description: String { "“\(path)” \(message)" }
}
