import Foundation

/// The checkout that this test was built from, as text.
enum SourceTree {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  /// Paths of the files below a folder, relative to the root, in order.
  static func files(below folder: String, ending suffix: String) -> [String] {
    let base = root.appending(path: folder).path
    let found = FileManager.default.enumerator(atPath: base)?.compactMap { $0 as? String } ?? []
    return found.filter { $0.hasSuffix(suffix) && !$0.contains(".build") }.sorted()
      .map { "\(folder)/\($0)" }
  }

  static var documents: [String] {
    ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + files(below: "docs", ending: ".md")
  }

  static var swiftFiles: [String] {
    ["Sources", "Campaigns", "Tools", "Tests"].flatMap { files(below: $0, ending: ".swift") }
  }

  /// A target as the manifest declares it.
  struct Target {
    var name: String
    var path: String
    var dependencies: Set<String>
  }

  /// The targets of the manifest, except system libraries.
  static func targets() throws -> [Target] {
    let manifest = try text("Package.swift")
    let constants = manifest.matches(
      of: /let (\w+): \[?Target\.Dependency\]? = (\[[^\]]*\]|[^\n]*)/
    ).map { (name: String($0.1), modules: strings($0.2)) }
    let start = /\.(target|executableTarget|testTarget)\(\s*name: "([^"]+)"/
    let matches = manifest.matches(of: start)
    return matches.enumerated().map { index, match in
      let end =
        index + 1 < matches.count ? matches[index + 1].range.lowerBound : manifest.endIndex
      let body = manifest[match.range.upperBound..<end]
      let name = String(match.2)
      let usual = match.1 == "testTarget" ? "Tests/\(name)" : "Sources/\(name)"
      let path = body.firstMatch(of: /path: "([^"]+)"/).map { String($0.1) } ?? usual
      let words = Set(body.replacing(/"[^"]*"/, with: "").matches(of: /\w+/).map { String($0.0) })
      let named = constants.filter { words.contains($0.name) }.flatMap(\.modules)
      return Target(name: name, path: path, dependencies: strings(body).union(named))
    }
  }

  /// The modules of other packages that some target of the manifest depends on.
  static func foreignModules() throws -> Set<String> {
    let products = /\.product\(\s*name: "(\w+)"|(?:syntax|client|hub)\("(\w+)"/
    return Set(
      try text("Package.swift").matches(of: products).compactMap { ($0.1 ?? $0.2).map(String.init) }
    )
  }

  /// The names in quotes in a piece of the manifest.
  private static func strings(_ piece: Substring) -> Set<String> {
    Set(piece.matches(of: /"([A-Za-z0-9]+)"/).map { String($0.1) })
  }
}
