import DaybookNotesMarkdown

extension FuzzTarget {
  /// A file of Markdown with front matter.
  ///
  /// The bits of its first byte say what is changed: title, tags and pin, and how the text begins.
  static let frontMatter = FuzzTarget("front-matter", trials: 1500) {
    [
      "\u{1}---\ntitle: Old\nother: x\n---\n\nText\n",
      "\u{7}---\ntags:\n  - a\n# why\npin: yes\n---",
      "\u{3}---\n{title: a, tags: [b]}\n---\nText", "\u{2}---\ntags: &t [a]\nmore: *t\n---\n",
      "\u{1}---\ntitle: >\n  Old\r\nlast: |+\n  x\n\n...\nText", "\u{F}no front matter\n",
      "\u{1}---\n? title\n: \"a\\0\u{2028}b\"\n<<: {}\n---\n",
      "\u{9}\u{FEFF}---\r\ndate: 2020-2-30\r\n---\r\n",
      "\u{5}---\na: &a [x]\nb: &b {? *a : *a}\n? *b\n: *b\ntitle: *a\n---\n\n\n\n",
    ].map { Array($0.utf8) }
  } check: { bytes in
    let change = bytes.first ?? 0
    let content = Array(bytes.dropFirst())
    guard let file = MarkdownText(content) else { return }
    try require(file.bytes == content, "a file comes out otherwise than it went in")
    let before = FrontMatter(file.yaml)
    let title = change & 1 == 0 ? before.title : change & 16 == 0 ? "New: \u{85}\"" : nil
    let tags = change & 2 == 0 ? before.tags : change & 32 == 0 ? ["#a", "b, c", "é"] : []
    let isPinned = change & 4 == 0 ? before.isPinned : !before.isPinned
    var changed = file
    changed.body = (change & 8 == 0 ? "" : "\n\n---\n") + file.body
    let front = FrontMatter.changing(file.front, title: title, tags: tags, isPinned: isPinned)
    if let front {
      changed.front = front
      let after = FrontMatter(changed.yaml)
      try require(
        after.title == title && after.tags == tags && after.isPinned == isPinned,
        "what was written is read as something else")
      try require(
        after.created == before.created && after.modified == before.modified,
        "a date has changed with other keys")
      if change & 7 == 0 {
        try require(front.utf8.elementsEqual(file.front.utf8), "nothing was to change")
      }
    }
    try checkJoined(changed)
  }

  /// Checks that a file of front matter and a text that may come from elsewhere is stable.
  private static func checkJoined(_ file: MarkdownText) throws {
    var file = file
    file.apply(marks: file.marks)
    let joined = file.joined
    guard let again = MarkdownText(joined) else {
      throw FuzzFinding("a file that was put together cannot be read")
    }
    func trimmed(_ text: String) -> String.UTF8View.SubSequence {
      text.utf8.drop { $0 == 0x0A || $0 == 0x0D }
    }
    if file.hasCRLF == again.hasCRLF, !file.front.isEmpty {
      try require(
        trimmed(again.body).elementsEqual(trimmed(file.body)), "a text is read as another one")
    }
    var next = again
    next.body = file.body
    if file.hasCRLF == again.hasCRLF, file.hasMark == again.hasMark, !file.front.isEmpty {
      try require(next.joined == joined, "a file grows each time that it is put together")
    }
  }
}
