import DaybookEventCore

/// A file of Markdown, taken apart so that it can be put together again byte by byte.
package struct MarkdownText: Hashable, Sendable {
  /// The most bytes of front matter. What is longer is taken for text.
  static let frontBytesMax = 64 << 10

  /// Whether the file begins with a byte order mark.
  package var hasMark = false
  /// Whether all lines end with CR LF. The parts below have LF only then.
  package var hasCRLF = false
  /// The front matter with its fences and the empty lines behind it, as it is; empty if there is
  /// none.
  package var front = ""
  /// The text.
  package var body = ""

  init(front: String = "", body: String) {
    self.front = front
    self.body = body
  }

  /// Takes a file apart.
  /// - Returns: nil if the bytes are not UTF-8, or have a NUL.
  package init?(_ bytes: [UInt8]) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    hasMark = bytes.starts(with: mark)
    var text = bytes[(hasMark ? mark.count : 0)...]
    guard !text.contains(0) else { return nil }
    hasCRLF = Self.hasOnlyCRLF(text)
    if hasCRLF { text = text.filter { $0 != 0x0D }[...] }
    let split = Self.endOfFront(text) ?? text.startIndex
    guard let front = String(utf8: text[..<split]),
      let body = String(utf8: text[split...])
    else { return nil }
    (self.front, self.body) = (front, body)
  }

  /// The bytes of a file from which front matter and text are read again as they are here, also if
  /// they did not come from one file. Empty lines between them are not doubled.
  package var joined: [UInt8] {
    var file = self
    if !front.isEmpty, !body.isEmpty {
      // Without a line end behind it, a fence would be none.
      if front.utf8.last != 0x0A { file.front += "\n" }
      // Empty lines before a text are read as part of the front matter; they are there once.
      var blank = file.front.utf8.reversed().prefix { $0 == 0x0A }.count - 1
      var bytes = Array(file.front.utf8)
      for byte in body.utf8 {
        guard byte == 0x0A, blank > 0 else { break }
        bytes.removeLast()
        blank -= 1
      }
      file.front = String(decoding: bytes, as: UTF8.self)
    }
    // A text that begins as front matter does would be taken for it.
    if front.isEmpty, let again = MarkdownText(file.bytes), !again.front.isEmpty {
      file.front = "---\n---\n"
    }
    return file.bytes
  }

  /// The file. It is what it was made of as long as nothing was changed.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = hasMark ? [0xEF, 0xBB, 0xBF] : []
    for byte in (front + body).utf8 {
      if hasCRLF, byte == 0x0A { bytes.append(0x0D) }
      bytes.append(byte)
    }
    return bytes
  }

  /// What is different from a usual file, in words that the store keeps.
  package var marks: String { (hasMark ? "bom " : "") + (hasCRLF ? "crlf " : "") }

  package mutating func apply(marks: String) {
    let words = marks.split(separator: " ")
    hasMark = words.contains("bom")
    // A CR in the text would be lost when the file is read again.
    hasCRLF = words.contains("crlf") && !(front + body).utf8.contains(0x0D)
  }

  /// Whether the file begins as front matter does, and does not end it.
  var isOpen: Bool { front.isEmpty && Self.isFence(body.utf8.prefix { $0 != 0x0A }, "---") }

  /// The YAML between the fences.
  package var yaml: [UInt8] { Array(Array(front.utf8)[yamlRange]) }

  /// The place of the YAML between the fences, in bytes of the front matter.
  var yamlRange: Range<Int> {
    let bytes = Array(front.utf8)
    guard let first = bytes.firstIndex(of: 0x0A) else { return bytes.endIndex..<bytes.endIndex }
    let start = first + 1
    var line = start
    while line < bytes.endIndex {
      let end = bytes[line...].firstIndex(of: 0x0A) ?? bytes.endIndex
      if Self.isEnd(bytes[line..<end]) { break }
      line = min(end + 1, bytes.endIndex)
    }
    return start..<line
  }

  /// Returns whether each line ends with CR LF, and there is one.
  private static func hasOnlyCRLF(_ text: ArraySlice<UInt8>) -> Bool {
    var before: UInt8 = 0
    var hasLines = false
    for byte in text {
      if byte == 0x0A {
        guard before == 0x0D else { return false }
        hasLines = true
      } else if before == 0x0D {
        return false
      }
      before = byte
    }
    return hasLines && before != 0x0D
  }

  /// Returns the end of the front matter; nil if there is none.
  private static func endOfFront(_ text: ArraySlice<UInt8>) -> Int? {
    var lines = text.prefix(frontBytesMax)[...]
    func next() -> ArraySlice<UInt8>? {
      guard !lines.isEmpty else { return nil }
      let end = lines.firstIndex(of: 0x0A) ?? lines.endIndex
      // A line that the limit cuts off is no fence.
      if end == lines.endIndex, end < text.endIndex { return nil }
      defer { lines = lines[min(end + 1, lines.endIndex)...] }
      return lines[..<end]
    }
    guard let first = next(), isFence(first, "---") else { return nil }
    while let line = next() {
      guard isEnd(line) else { continue }
      // Empty lines behind it belong to it, so that a text begins with its first line.
      while lines.first == 0x0A { lines = lines.dropFirst() }
      return lines.startIndex
    }
    return nil
  }

  private static func isEnd(_ line: ArraySlice<UInt8>) -> Bool {
    isFence(line, "---") || isFence(line, "...")
  }

  private static func isFence(_ line: some Collection<UInt8>, _ fence: StaticString) -> Bool {
    var rest = line[...]
    for byte in fence.description.utf8 {
      guard rest.first == byte else { return false }
      rest = rest.dropFirst()
    }
    return rest.allSatisfy { $0 == 0x20 || $0 == 0x09 }
  }
}
