import Testing

/// What one module does for all others.
@Suite struct HomeTests {
  /// The lines of a file that are no comments.
  private static func code(_ file: String) throws -> [Substring] {
    try SourceTree.text(file).split(separator: "\n")
      .filter { line in !line.drop { $0 == " " }.hasPrefix("//") }
  }

  @Test("only Projections has SQL on the internal tables")
  func internalTables() throws {
    var isNamed = false
    for folder in ["Sources", "Tools/evtool"] {
      for file in SourceTree.files(below: folder, ending: ".swift") where !file.contains(".docc/") {
        for line in try Self.code(file) where line.contains("_daybook_") {
          isNamed = true
          #expect(
            file.hasPrefix("Sources/Projections/"),
            "\(file) names an internal table: ask Projections for what it holds: \(line)")
        }
      }
    }
    #expect(isNamed)
  }
}
