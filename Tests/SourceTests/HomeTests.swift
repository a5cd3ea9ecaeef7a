import Testing

/// What one module does for all others.
@Suite struct HomeTests {
  /// The lines of a file that are no comments.
  private static func code(_ file: String) throws -> [Substring] {
    try SourceTree.text(file).split(separator: "\n")
      .filter { line in !line.drop { $0 == " " }.hasPrefix("//") }
  }

  /// Files that open what a user names, which may be a pipe, or a descriptor of the process.
  private static let openers: Set<String> = [
    "Sources/Interchange/Import/CSVFeed.swift", "Sources/Interchange/Import/ImportSource.swift",
    "Tools/evtool/Output/StandardOutput.swift",
  ]

  @Test("only Disk calls the system to open, write, sync, rename and measure files")
  func systemCalls() throws {
    let call = try Regex(
      #"\bO_(?:RDONLY|WRONLY|RDWR)\b"#
        + #"|(?:^|[^.\w])(?:pwrite|fsync|fdatasync|rename|lseek|fstat|lstat)\("#)
    var users: Set<String> = []
    for folder in ["Sources", "Tools/evtool"] {
      for file in SourceTree.files(below: folder, ending: ".swift") where !file.contains(".docc/") {
        for line in try Self.code(file) where !line.contains("func ") && line.contains(call) {
          users.insert(file)
          #expect(
            file.hasPrefix("Sources/Disk/") || Self.openers.contains(file),
            "\(file) calls the system itself: let it use Sources/Disk: \(line)")
        }
      }
    }
    #expect(users.isSuperset(of: Self.openers), "files that are listed and call nothing any more")
    #expect(users.contains("Sources/Disk/SystemCalls.swift"))
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
