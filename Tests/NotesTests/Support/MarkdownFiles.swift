import Foundation
import Notes
import NotesMarkdown

/// A folder of files that a test makes.
struct MarkdownFiles {
  let url = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: url) }

  func markdown(_ change: (inout MarkdownFolder.Options) -> Void = { _ in }) -> MarkdownFolder {
    var options = MarkdownFolder.Options()
    options.settling = .zero
    change(&options)
    return MarkdownFolder(at: url, options: options)
  }

  func write(_ bytes: Data, _ path: String) throws {
    let file = url.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try bytes.write(to: file)
  }

  func write(_ text: String, _ path: String) throws { try write(Data(text.utf8), path) }

  func read(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: url.appending(path: path)), as: UTF8.self)
  }

  /// All files with their bytes, by path.
  func all() throws -> [String: Data] {
    let found = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String }
    var all: [String: Data] = [:]
    for path in found ?? [] {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(
        atPath: url.appending(path: path).path, isDirectory: &isFolder)
      if !isFolder.boolValue { all[path] = try Data(contentsOf: url.appending(path: path)) }
    }
    return all
  }
}
