import DaybookEventCore
import DaybookLocks
import Foundation

/// Lines that a person types, with history and completion.
///
/// The system's editing library does the editing: libedit, which is looked for when the first line
/// is read. Without it, lines are read as the terminal sends them.
final class LineEditor: Sendable {
  /// libedit's functions, as they stand in its `readline.h`.
  private struct Library: @unchecked Sendable {
    typealias Text = UnsafeMutablePointer<CChar>
    var readLine: @convention(c) (UnsafePointer<CChar>?) -> Text?
    var addHistory: @convention(c) (UnsafePointer<CChar>?) -> CInt
    var readHistory: @convention(c) (UnsafePointer<CChar>?) -> CInt
    var writeHistory: @convention(c) (UnsafePointer<CChar>?) -> CInt
    var stifleHistory: @convention(c) (CInt) -> Void
    var completionOver: UnsafeMutablePointer<CInt>
  }

  private typealias Generator = @convention(c) (UnsafePointer<CChar>?, CInt) -> Library.Text?
  private typealias Matches =
    @convention(c) (UnsafePointer<CChar>?, Generator) -> UnsafeMutablePointer<Library.Text?>?
  private typealias Completion =
    @convention(c) (UnsafePointer<CChar>?, CInt, CInt) -> UnsafeMutablePointer<Library.Text?>?

  private struct Completing {
    var words: @Sendable (_ text: String, _ line: String) -> [String] = { _, _ in [] }
    var matches: ArraySlice<String> = []
    var find: Matches?
    /// The line that is being typed.
    var line: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    var over: UnsafeMutablePointer<CInt>?
  }

  /// What the library's callbacks, which take no context, look at.
  nonisolated(unsafe) private static var completing = Completing()
  private static let lock = Mutex(())
  /// How many statements the history keeps.
  private static let historyCount: CInt = 1_000

  private let library: Library?
  private let historyPath: String?

  /// - Parameter history: the name of the file in the folder of the user's state.
  init(history: String) {
    library = Self.load()
    historyPath = library == nil ? nil : Self.path(history)
    guard let library, let historyPath else { return }
    library.stifleHistory(Self.historyCount)
    _ = library.readHistory(historyPath)
  }

  /// Whether the library is there.
  var hasHistory: Bool { library != nil }

  /// Sets what the Tab key offers for a word that is typed, and the line before it.
  func setWords(_ words: @escaping @Sendable (_ text: String, _ line: String) -> [String]) {
    Self.lock.withLock { _ in Self.completing.words = words }
  }

  /// Reads a line, and blocks until there is one.
  /// - Returns: the line without its end; nil at the end of the input.
  func read(_ prompt: String) -> String? {
    guard let library else {
      FileHandle.standardOutput.write(Data(prompt.utf8))
      return readLine()
    }
    guard let line = library.readLine(prompt) else { return nil }
    defer { free(line) }
    return String(cString: line)
  }

  /// Keeps a statement for the arrow keys, also of the next call of the command.
  func remember(_ statement: String) {
    guard let library else { return }
    let line = statement.split { $0 == "\n" }.joined(separator: " ")
    _ = library.addHistory(line)
    guard let historyPath else { return }
    _ = library.writeHistory(historyPath)
    // Statements may hold what others should not read.
    chmod(historyPath, 0o600)
  }

  private static func path(_ name: String) -> String? {
    let home = Environment["HOME"] ?? ""
    let state = Environment["XDG_STATE_HOME"] ?? (home.isEmpty ? "" : home + "/.local/state")
    guard state.begins(with: "/") else { return nil }
    let folder = state + "/daybook"
    let made: Void? = try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return made == nil ? nil : folder + "/" + name
  }

  // MARK: - The library

  private static func load() -> Library? {
    let names = ["libedit.so.2", "libedit.so.0", "libedit.3.dylib", "libedit.dylib"]
    guard let handle = names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else {
      return nil
    }
    func find<T>(_ name: String, as type: T.Type) -> T? {
      dlsym(handle, name).map { unsafeBitCast($0, to: type) }
    }
    typealias Text = Library.Text
    typealias Take = @convention(c) (UnsafePointer<CChar>?) -> CInt
    guard
      let readLine = find(
        "readline", as: (@convention(c) (UnsafePointer<CChar>?) -> Text?).self),
      let add = find("add_history", as: Take.self), let read = find("read_history", as: Take.self),
      let write = find("write_history", as: Take.self),
      let stifle = find("stifle_history", as: (@convention(c) (CInt) -> Void).self),
      let matches = find("rl_completion_matches", as: Matches.self),
      let function = dlsym(handle, "rl_attempted_completion_function"),
      let line = dlsym(handle, "rl_line_buffer"),
      let over = dlsym(handle, "rl_attempted_completion_over")
    else { return nil }
    // Letters of the user's language are letters.
    setlocale(LC_CTYPE, "")
    lock.withLock { _ in
      completing.find = matches
      completing.over = over.assumingMemoryBound(to: CInt.self)
      completing.line = line.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
    }
    function.assumingMemoryBound(to: Completion?.self).pointee = { text, start, _ in
      LineEditor.complete(text, from: Int(start))
    }
    // A dot is a part of names, such as `date.truncate`. The text stays as long as the process.
    // Versions of libedit read one of the two.
    for name in ["rl_basic_word_break_characters", "rl_completer_word_break_characters"] {
      dlsym(handle, name)?.assumingMemoryBound(to: UnsafePointer<CChar>?.self).pointee =
        UnsafePointer(strdup(" \t\n\"'`$(){}[]<>=,;:|&!+-*/%^"))
    }
    return Library(
      readLine: readLine, addHistory: add, readHistory: read, writeHistory: write,
      stifleHistory: stifle, completionOver: over.assumingMemoryBound(to: CInt.self))
  }

  /// - Parameter start: where the word begins in the line, in bytes.
  private static func complete(_ text: UnsafePointer<CChar>?, from start: Int)
    -> UnsafeMutablePointer<Library.Text?>?
  {
    guard let text else { return nil }
    let (words, line) = lock.withLock { _ in (completing.words, completing.line?.pointee) }
    let before = line.map { line in
      let bytes = UnsafeBufferPointer(start: line, count: strnlen(line, max(start, 0)))
      return String(decoding: bytes.lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    let found = words(String(cString: text), before ?? "")
    let find = lock.withLock { _ in
      completing.matches = found[...]
      // Names of files are no part of the language.
      completing.over?.pointee = 1
      return completing.find
    }
    return find?(text) { _, _ in
      LineEditor.lock.withLock { _ in
        LineEditor.completing.matches.popFirst().flatMap { strdup($0) }
      }
    }
  }
}
