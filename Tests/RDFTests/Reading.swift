import DaybookRDF
import Foundation

/// Reading and writing as tests do it.
enum Reading {
  /// The statements of a text, as lines of N-Quads without their dots, in the order of the text.
  static func lines(_ text: String, _ format: RDFFormat = .turtle, base: String? = nil) throws
    -> [String]
  {
    try statements(text, format, base: base).map { String($0.description.dropLast(2)) }
  }

  static func statements(_ text: String, _ format: RDFFormat = .turtle, base: String? = nil) throws
    -> [RDFStatement]
  {
    let reader = RDFReader(text, format, base: try base.map { try IRI($0) })
    var statements: [RDFStatement] = []
    while let statement = try reader.next() { statements.append(statement) }
    return statements
  }

  /// The statements of bytes that come in pieces, and the error that ends them.
  static func pieces(_ bytes: [UInt8], _ format: RDFFormat, of size: Int) -> (
    [RDFStatement], RDFError?
  ) {
    var rest = bytes[...]
    let reader = RDFReader(format, base: try? IRI("http://example.org/base")) { count in
      let piece = rest.prefix(min(count, size))
      rest = rest.dropFirst(piece.count)
      return Array(piece)
    }
    var statements: [RDFStatement] = []
    do throws(RDFError) {
      while let statement = try reader.next() { statements.append(statement) }
      return (statements, nil)
    } catch { return (statements, error) }
  }

  /// The error of a text; nil if it can be read.
  static func error(_ text: String, _ format: RDFFormat = .turtle) -> RDFError? {
    pieces(Array(text.utf8), format, of: 4096).1
  }

  /// A file in a new folder, for as long as `body` runs.
  static func withFile<T>(_ name: String, _ text: String, _ body: (URL) throws -> T) throws -> T {
    let folder = URL.temporaryDirectory.appending(path: "rdf-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: name)
    try Data(text.utf8).write(to: file)
    return try body(file)
  }
}
