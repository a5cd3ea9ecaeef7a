import Foundation
import Testing

/// Words that docs/words.md replaces by others.
@Suite struct WordTests {
  /// The words of the table, in lower case.
  private static func unused() throws -> [String] {
    let text = try SourceTree.text("docs/words.md")
    let table = try #require(text.firstRange(of: "## Words that are not used"))
    let rows = text[table.upperBound...].matches(of: /(?m)^\| ([^|]+) \| [^|]+ \|$/)
    let cells: [String] = rows.map { row in String(row.output.1) }
    let words = cells.filter { cell in cell != "not" && cell != "---" }
    return words.flatMap { cell in cell.components(separatedBy: ", ") }
  }

  /// Returns the words that occur in a line, as words of their own.
  private static func found(_ words: [String], in line: some StringProtocol) -> [String] {
    let line = " \(line.lowercased()) "
    return words.filter { word in
      line.ranges(of: word).contains { range in
        let before = line[line.index(before: range.lowerBound)]
        let after = range.upperBound < line.endIndex ? line[range.upperBound] : " "
        return !before.isLetter && !after.isLetter
      }
    }
  }

  @Test("documents and comments use none of the words that docs/words.md replaces")
  func words() throws {
    let words = try Self.unused()
    #expect(words.count > 15 && words.contains("e.g."))
    #expect(Self.found(words, in: "We utilize it, e.g. here") == ["e.g.", "utilize"])
    for document in SourceTree.documents where document != "docs/words.md" {
      for line in try SourceTree.text(document).split(separator: "\n") {
        #expect(Self.found(words, in: line).isEmpty, "\(document): \(line)")
      }
    }
    for file in SourceTree.swiftFiles where !file.hasSuffix("/WordTests.swift") {
      for line in try SourceTree.text(file).split(separator: "\n") {
        guard let comment = line.firstMatch(of: /(?:^| )\/\/\/? (.*)$/) else { continue }
        #expect(Self.found(words, in: comment.1).isEmpty, "\(file): \(line)")
      }
    }
  }

  @Test("the subjects of the latest commits have 72 characters at most, and none of those words")
  func subjects() throws {
    let git = Process()
    git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    git.arguments = ["git", "-C", SourceTree.root.path, "log", "-30", "--format=%s"]
    let output = Pipe()
    git.standardOutput = output
    git.standardError = FileHandle.nullDevice
    try git.run()
    let subjects = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    git.waitUntilExit()
    // A source tree without its history has no subjects.
    let words = try Self.unused()
    for subject in subjects.split(separator: "\n") {
      #expect(subject.count <= 72, "\(subject)")
      #expect(Self.found(words, in: subject).isEmpty, "\(subject)")
    }
  }
}
