/// A file of Markdown, taken apart so that it can be put together again byte by byte.
struct MarkdownText: Hashable, Sendable {
  /// The most bytes of front matter. What is longer is taken for text.
  static let frontBytesMax = 64 << 10

  /// Whether the file begins with a byte order mark.
  var hasMark = false
  /// Whether all lines end with CR LF. The parts below have LF only then.
  var hasCRLF = false
  /// The front matter with its fences and the empty lines behind it, as it is; empty if there is
  /// none.
  var front = ""
  /// The text.
  var body = ""

  init(front: String = "", body: String) {
    self.front = front
    self.body = body
  }

  /// Takes a file apart.
  /// - Returns: nil if the bytes are not UTF-8, or have a NUL.
  init?(_ bytes: [UInt8]) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    hasMark = bytes.starts(with: mark)
    var text = bytes[(hasMark ? mark.count : 0)...]
    guard !text.contains(0) else { return nil }
    hasCRLF = Self.hasOnlyCRLF(text)
    if hasCRLF { text = text.filter { $0 != 0x0D }[...] }
    let split = Self.endOfFront(text) ?? text.startIndex
    guard let front = String(validating: text[..<split], as: UTF8.self),
      let body = String(validating: text[split...], as: UTF8.self)
    else { return nil }
    (self.front, self.body) = (front, body)
  }

  /// The file. It is what it was made of as long as nothing was changed.
  var bytes: [UInt8] {
    var bytes: [UInt8] = hasMark ? [0xEF, 0xBB, 0xBF] : []
    for byte in (front + body).utf8 {
      if hasCRLF, byte == 0x0A { bytes.append(0x0D) }
      bytes.append(byte)
    }
    return bytes
  }

  /// What is different from a usual file, in words that the store keeps.
  var marks: String { (hasMark ? "bom " : "") + (hasCRLF ? "crlf " : "") }

  mutating func apply(marks: String) {
    let words = marks.split(separator: " ")
    hasMark = words.contains("bom")
    // A CR in the text would be lost when the file is read again.
    hasCRLF = words.contains("crlf") && !(front + body).utf8.contains(0x0D)
  }

  /// Whether the file begins as front matter does, and does not end it.
  var isOpen: Bool { front.isEmpty && Self.isFence(body.utf8.prefix { $0 != 0x0A }, "---") }

  /// The YAML between the fences.
  var yaml: Substring {
    guard let start = front.utf8.firstIndex(of: 0x0A) else { return "" }
    let lines = front[front.utf8.index(after: start)...]
    var end = lines.startIndex
    for line in lines.split(separator: "\n", omittingEmptySubsequences: false) {
      if Self.isFence(line.utf8, "---") || Self.isFence(line.utf8, "...") { break }
      end = lines.utf8.index(line.endIndex, offsetBy: 1, limitedBy: lines.endIndex) ?? line.endIndex
    }
    return lines[..<end]
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
      guard isFence(line, "---") || isFence(line, "...") else { continue }
      // Empty lines behind it belong to it, so that a text begins with its first line.
      while lines.first == 0x0A { lines = lines.dropFirst() }
      return lines.startIndex
    }
    return nil
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
