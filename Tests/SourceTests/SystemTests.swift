import Testing

/// What the oldest systems have that `Package.swift` names: macOS 14, iOS 17 and their like.
///
/// On Linux a compiler takes all that the newest toolchain has, so the sources are searched.
@Suite struct SystemTests {
  /// What came with macOS 15, iOS 18 or later, and what to write instead.
  private static let newer = [
    ("import Synchronization", "DaybookLocks.Mutex"), ("Atomic<", "DaybookLocks.Mutex"),
    ("TaskExecutor", "Blocking.task"), ("executorPreference", "Blocking.task"),
    ("isolated deinit", "OwnedTask, or what ends with its owner"),
    ("String(validating:", "String(utf8:)"), (".next(isolation:", "StreamReader"),
    ("Int128", "two integers of 64 bits, or @available"), ("RangeSet", "an array of ranges"),
    (".indices(where:", "an array of ranges"), ("removeSubranges(", "an array of ranges"),
    ("some AsyncSequence<", "a type of its own"), ("any AsyncSequence<", "a type of its own"),
    ("RawSpan", "a buffer pointer"), ("UTF8Span", "a buffer pointer"),
    ("InlineArray<", "an array"), ("Task.immediate", "Task"), ("Task(name:", "Task"),
    ("#Expression", "a function"),
  ]

  @Test("a library uses nothing that its oldest systems do not have, unless it is marked")
  func available() throws {
    var fileCount = 0
    for file in SourceTree.files(below: "Sources", ending: ".swift") {
      fileCount += 1
      let text = try SourceTree.text(file)
      let found = Self.newer.filter { text.contains($0.0) }
      guard !found.isEmpty, !text.hasPrefix("#if NIOClient && os(Linux)") else { continue }
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      for (index, line) in lines.enumerated() {
        let isComment = line.drop { $0 == " " }.hasPrefix("//")
        let isMarked = index > 0 && lines[index - 1].contains("@available(macOS")
        guard !isComment, !isMarked else { continue }
        for (name, instead) in found where line.contains(name) {
          Issue.record("\(file):\(index + 1) needs a newer system: \(line)\nUse \(instead).")
        }
      }
    }
    #expect(fileCount > 400)
  }
}
