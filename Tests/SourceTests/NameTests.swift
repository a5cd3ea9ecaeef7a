import Testing

/// What the names of types promise to readers and apps.
@Suite struct NameTests {
  /// A declaration at the beginning of a line: its access level, and the name.
  private static func declared(in line: Substring) -> (access: Substring?, name: Substring)? {
    let words = line.split(separator: " ").drop { $0.hasPrefix("@") }
    let kinds: Set<Substring> = [
      "struct", "class", "enum", "protocol", "actor", "typealias",
    ]
    guard !line.hasPrefix(" "), !line.contains("import "),
      let kind = words.firstIndex(where: { kinds.contains($0) }),
      words[..<kind].allSatisfy({ $0.wholeMatch(of: /[a-z]+/) != nil }),
      let name = words[(kind + 1)...].first?.prefixMatch(of: /\w+/)
    else { return nil }
    guard words[..<kind].allSatisfy({ !$0.hasSuffix("private") }) else { return nil }
    return (words[..<kind].first { ["public", "package"].contains($0) }, name.output)
  }

  @Test("an app sees at most 90 types of its own import, and Exports.swift lists those from below")
  func exports() throws {
    var names: Set<Substring> = []
    for file in SourceTree.files(below: "Sources", ending: ".swift")
    where !file.contains(".docc/") {
      let text = try SourceTree.text(file)
      let isList = file.hasSuffix("/Exports.swift")
      #expect(isList || !text.contains("@_exported"), "\(file) exports what Exports.swift lists")
      guard file.hasPrefix("Sources/Daybook/") else { continue }
      let seen = text.firstRange(of: "#if DAYBOOK_DOCUMENTATION").map { text[..<$0.lowerBound] }
      for line in (seen ?? text[...]).split(separator: "\n") {
        if let found = Self.declared(in: line), found.access == "public" {
          names.insert(found.name)
        }
        if let match = line.firstMatch(of: /^@_exported public import \w+ \w+\.(\w+)$/) {
          names.insert(match.1)
        } else {
          #expect(!line.hasPrefix("@_exported"), "\(file) exports a whole module: \(line)")
        }
      }
    }
    #expect(names.contains("Store") && names.contains("Value"))
    #expect(names.isDisjoint(with: ["LogError", "EventError", "ProjectionError"]))
    #expect(names.count <= 90, "\(names.count) types: nest those that belong to another one")
  }

  @Test("no two types have one name, but for private ones and those of samples")
  func unique() throws {
    var places: [Substring: Set<String>] = [:]
    let copies = [".docc/", "Sample/", "SwiftUIStandIn/"]
    for file in SourceTree.swiftFiles where !copies.contains(where: { file.contains($0) }) {
      for line in try SourceTree.text(file).split(separator: "\n") {
        guard let found = Self.declared(in: line) else { continue }
        places[found.name, default: []].insert(file)
      }
    }
    #expect(places.count > 1200)
    for (name, files) in places where files.count > 1 {
      Issue.record("\(name) is declared in \(files.sorted())")
    }
  }

  @Test("an import says public, package or nothing: nothing means internal")
  func imports() throws {
    for file in SourceTree.swiftFiles {
      for line in try SourceTree.text(file).split(separator: "\n") {
        let isOther = line.contains(/^ *(?:internal|private|fileprivate) import\b/)
        #expect(!isOther, "\(file): \(line)")
      }
    }
  }
}
