import DaybookNotes
import DaybookNotesMarkdown
import Foundation

/// A folder of files that a test makes.
struct MarkdownFiles {
  let url = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: url) }

  func markdown(_ change: (inout MarkdownFolder.Options) -> Void = { _ in }) -> MarkdownFolder {
    var options = MarkdownFolder.Options()
    options.fileAgeMin = .zero
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
  func all() throws -> Found {
    let found = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String }
    var all: [Found.Element] = []
    for path in found ?? [] {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(
        atPath: url.appending(path: path).path, isDirectory: &isFolder)
      if !isFolder.boolValue { all.append((path, try Data(contentsOf: url.appending(path: path)))) }
    }
    return Found(all: all.sorted { ExactText($0.path) < ExactText($1.path) })
  }

  /// Files by their paths. Two paths that differ in their form of Unicode are equal strings, so
  /// that a dictionary would have one of them only.
  struct Found: Sequence, Equatable {
    let all: [(path: String, data: Data)]

    var keys: [String] { all.map(\.path) }
    var values: [Data] { all.map(\.data) }
    var count: Int { all.count }
    var isEmpty: Bool { all.isEmpty }

    func makeIterator() -> some IteratorProtocol<(path: String, data: Data)> { all.makeIterator() }

    static func == (a: Self, b: Self) -> Bool {
      a.values == b.values && a.keys.map { ExactText($0) } == b.keys.map { ExactText($0) }
    }
  }
}
