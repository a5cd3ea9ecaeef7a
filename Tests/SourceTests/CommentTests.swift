import Foundation
import Testing

/// What an app sees of the libraries has comments, from which `Tools/docs` makes pages.
@Suite struct CommentTests {
  /// What the compiler says about the public names of a module, as far as it is needed here.
  private struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
      struct Comment: Decodable {
        struct Line: Decodable { var text: String }
        var lines: [Line]
      }
      struct Location: Decodable {
        struct Place: Decodable { var line: Int }
        var uri: String
        var position: Place
      }
      var pathComponents: [String]
      var docComment: Comment?
      var location: Location?

      /// Whether a comment begins with a sentence about the symbol, and not with a parameter.
      var isDescribed: Bool {
        guard let first = docComment?.lines.first?.text else { return false }
        return !first.isEmpty && !first.hasPrefix("- ")
      }
    }
    var symbols: [Symbol]
  }

  /// Returns the public symbols of a module, and of those that it exports. Those that the compiler
  /// adds to a type are left out, and implementations have the comments of the protocol.
  private static func symbols(of module: String) throws -> [SymbolGraph.Symbol] {
    let built = try BuiltModules()
    let folder = FileManager.default.temporaryDirectory.appending(path: "symbols-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try #require(SourceTree.targets().first { $0.name == module }).path
    let exports = try SourceTree.files(below: path, ending: ".swift").flatMap {
      try SourceTree.text($0).matches(of: /@_exported public import (?:\w+ )?(Daybook\w*)/)
        .map { String($0.1) }
    }
    var arguments = ["symbolgraph-extract", "-module-name", module] + built.arguments
    arguments += ["-target", try Self.triple(), "-minimum-access-level", "public"]
    arguments += ["-skip-synthesized-members", "-output-dir", folder.path]
    arguments += [
      "-experimental-allowed-reexported-modules=\(Set(exports).sorted().joined(separator: ","))"
    ]
    #if os(macOS)
      let sdk = try BuiltModules.run("xcrun", ["--show-sdk-path"]).output
      arguments += ["-sdk", sdk.trimmingCharacters(in: .whitespacesAndNewlines)]
    #endif
    let run = try BuiltModules.run("swift", arguments)
    guard run.status == 0 else { throw BuiltModules.Failure(description: run.output) }
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return try files.flatMap {
      try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: $0)).symbols
    }
  }

  private static func triple() throws -> String {
    let info = try BuiltModules.run("swiftc", ["-print-target-info"]).output
    return String(try #require(info.firstMatch(of: /"triple": "([^"]+)"/)).1)
  }

  @Test(
    "every public symbol of a library has a comment that says what it is",
    arguments: [
      "Daybook": 1000, "DaybookGQL": 100, "DaybookHubClient": 15, "DaybookMacros": 20,
      "DaybookNotes": 150, "DaybookNotesMarkdown": 20,
    ])
  func comments(module: String, least: Int) throws {
    let symbols = try Self.symbols(of: module)
    if module != "DaybookMacros" || BuiltModules.hasMacros { #expect(symbols.count > least) }
    for symbol in symbols where !symbol.isDescribed {
      let name = symbol.pathComponents.joined(separator: ".")
      let place = symbol.location.map { "\($0.uri):\($0.position.line + 1)" } ?? "no known place"
      Issue.record("\(name) has no comment: \(place)")
    }
  }
}
