import Foundation
import Testing

@Suite("The documents") struct DocumentTests {
  @Test("the paths that documents name exist")
  func paths() throws {
    var count = 0
    for document in SourceTree.documents where !document.contains("/measurements/") {
      let text = try SourceTree.text(document)
      for match in text.matches(of: /`((?:Sources|Campaigns|Tests|Tools|docs)\/[\w.+\/-]+)`/) {
        count += 1
        #expect(SourceTree.exists(String(match.1)), "\(document) names \(match.1)")
      }
    }
    #expect(count > 40)
  }

  @Test("links between documents lead to files, and to headings of theirs")
  func links() throws {
    var count = 0
    for document in SourceTree.documents {
      let folder = (document as NSString).deletingLastPathComponent
      for match in try SourceTree.text(document).matches(of: /\]\(([^)#:\s]*)(?:#([^)]*))?\)/) {
        count += 1
        let path = (folder as NSString).appendingPathComponent(String(match.1))
        let target = match.1.isEmpty ? document : (path as NSString).standardizingPath
        #expect(SourceTree.exists(target), "\(document) links to \(match.1)")
        guard let anchor = match.2, target.hasSuffix(".md") else { continue }
        let anchors = try Self.lines(of: target).filter { $0.hasPrefix("#") }.map(Self.anchor)
        #expect(anchors.contains(String(anchor)), "\(document) links to \(match.1)#\(anchor)")
      }
    }
    #expect(count > 100)
  }

  @Test("no line is longer than 120 characters, except in tables and code")
  func lineLength() throws {
    var count = 0
    for document in SourceTree.documents {
      for line in try Self.lines(of: document) where !line.hasPrefix("|") {
        count += 1
        #expect(line.count <= 120, "\(document): \(line)")
      }
    }
    #expect(count > 3_000)
  }

  @Test("each fuzz target is in the list of all, and has a row")
  func fuzzTargets() throws {
    let all = try SourceTree.text("Campaigns/Fuzz/Targets/FuzzTarget.swift")
    let list = try #require(all.firstMatch(of: /let all: \[FuzzTarget\] = \[([^\]]*)\]/)).1
    let listed = Set(list.split { !$0.isLetter }.map(String.init))
    let rows = try SourceTree.text("docs/testing.md").split(separator: "\n")
      .filter { $0.hasPrefix("| `") }.joined()
    var count = 0
    for file in SourceTree.files(below: "Campaigns/Fuzz/Targets", ending: ".swift") {
      let text = try SourceTree.text(file)
      for match in text.matches(of: /static let (\w+) = FuzzTarget\("([\w-]+)"/) {
        count += 1
        #expect(listed.contains(String(match.1)), "\(file): \(match.1)")
        #expect(rows.contains("`\(match.2)`"), "docs/testing.md has no row for \(match.2)")
      }
    }
    #expect(count == listed.count)
  }

  /// The lines of a document that are not code.
  private static func lines(of document: String) throws -> [Substring] {
    var isCode = false
    return try SourceTree.text(document).split(separator: "\n").filter { line in
      if line.hasPrefix("```") { isCode.toggle() }
      return !isCode && !line.hasPrefix("```")
    }
  }

  /// The anchor that web pages of repositories give to a heading.
  private static func anchor(_ heading: Substring) -> String {
    let text = heading.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
    return String(
      text.compactMap { character -> Character? in
        if character == " " { return "-" }
        return character.isLetter || character.isNumber || "-_".contains(character)
          ? character : nil
      })
  }
}
