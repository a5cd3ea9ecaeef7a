import Testing

/// What the oldest systems have that `Package.swift` names: macOS 14, iOS 17 and their like.
///
/// On Linux a compiler takes all that the newest toolchain has, so the sources are searched.
@Suite struct SystemTests {
  /// Names that came with macOS 15, iOS 18 or later, and what to write instead.
  private static var newer: [(name: Regex<Substring>, instead: String)] {
    [
      (/\bimport Synchronization\b/, "DaybookLocks.Mutex"),
      (/\b(?:Atomic|AtomicLazyReference)</, "DaybookLocks.Mutex"),
      (/\bTaskExecutor\b|\bexecutorPreference\b|\bwithTaskExecutorPreference\b/, "Blocking.task"),
      (/\bisolated deinit\b/, "OwnedTask, or what ends with its owner"),
      (/\bString\(validating:/, "String(utf8:)"),
      (/\bnext\(isolation:/, "StreamReader"),
      (/\bU?Int128\b/, "two integers of 64 bits, or @available"),
      (/\bRangeSet\b|\.indices\((?:where|of):|\b(?:remove|move)Subranges\b/, "an array of ranges"),
      (/\b(?:some|any) AsyncSequence</, "a type of its own"),
      (
        /\b(?:Mutable|Output)?(?:Raw)?Span\b(?=<|\()|\bUTF8Span\b|\bInlineArray</,
        "a buffer pointer"
      ),
      (/\bTask\.immediate\b|\bTask\(name:/, "Task"),
      (/#Expression\b/, "a function"),
    ]
  }

  @Test("a library uses nothing that its oldest systems do not have, unless it is marked")
  func available() throws {
    var lineCount = 0
    let newer = Self.newer
    for file in SourceTree.files(below: "Sources", ending: ".swift") {
      let lines = try SourceTree.text(file).split(
        separator: "\n", omittingEmptySubsequences: false)
      for (index, line) in lines.enumerated() {
        lineCount += 1
        let isComment = line.contains(/^\s*\/\//)
        let isMarked = index > 0 && lines[index - 1].contains("@available(macOS")
        guard !isComment, !isMarked else { continue }
        for (name, instead) in newer where line.contains(name) {
          Issue.record("\(file):\(index + 1) needs a newer system: \(line)\nUse \(instead).")
        }
      }
    }
    #expect(lineCount > 50_000)
  }
}
