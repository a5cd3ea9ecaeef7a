import Foundation
import Yams

/// What notes understand of front matter: title, tags and pin. All else stays as it is.
struct FrontMatter: Hashable, Sendable {
  var title: String?
  var tags: [String] = []
  var isPinned = false
  var created: Date?
  var modified: Date?

  /// Why the YAML is not understood; nil if it is.
  private(set) var problem: String?
  /// The lines of each key, counted from the first line of the YAML.
  private var lines: [String: Range<Int>] = [:]
  /// Whether the keys stand one below the other, so that one of them can be written anew.
  private var hasLines = true

  private static let titleKeys = ["title"]
  private static let tagKeys = ["tags", "tag", "keywords"]
  private static let pinKeys = ["pinned", "pin"]
  private static let createdKeys = ["created", "date", "created_at"]
  private static let modifiedKeys = ["modified", "updated", "lastmod", "updated_at"]

  /// Reads front matter.
  /// - Parameter yaml: what stands between the fences.
  init(_ yaml: Substring) {
    let text = String(yaml)
    guard !text.allSatisfy(\.isWhitespace) else { return }
    do {
      guard Self.isShallow(text) else {
        problem = "it is nested too deeply"
        return
      }
      guard let root = try Yams.compose(yaml: text) else { return }
      guard let mapping = root.mapping else {
        problem = "it has no keys"
        return
      }
      read(mapping, text)
    } catch {
      problem = "\(error)".split(separator: "\n").joined(separator: " ")
    }
  }

  private mutating func read(_ mapping: Node.Mapping, _ text: String) {
    var values: [String: Node] = [:]
    var starts: [(key: String, line: Int)] = []
    for (key, value) in mapping {
      guard let name = key.string else { continue }
      if values[name] == nil { values[name] = value }
      if let mark = key.mark { starts.append((name, mark.line - 1)) }
    }
    let count = Self.split(text[...]).count
    hasLines =
      mapping.style != .flow && starts.count == mapping.count
      && Set(starts.map(\.line)).count == starts.count
    let ends = starts.dropFirst().map(\.line) + [count]
    for (start, end) in zip(starts, ends) where lines[start.key] == nil && start.line < end {
      lines[start.key] = start.line..<end
    }
    func first(_ keys: [String]) -> Node? { keys.lazy.compactMap { values[$0] }.first }
    title = first(Self.titleKeys)?.scalar?.string
    if title?.isEmpty ?? false { title = nil }
    tags = Self.tags(first(Self.tagKeys))
    isPinned = first(Self.pinKeys)?.bool ?? false
    created = first(Self.createdKeys)?.timestamp
    modified = first(Self.modifiedKeys)?.timestamp
  }

  private static func tags(_ node: Node?) -> [String] {
    let texts: [String]
    switch node {
    case .sequence(let sequence)?: texts = sequence.compactMap { $0.scalar?.string }
    case .scalar(let scalar)?:
      // “a, b” or “a b”, as some apps write them.
      texts = scalar.string.split(separator: scalar.string.contains(",") ? "," : " ").map(
        String.init)
    default: texts = []
    }
    let trimmed = texts.map { text in
      let tag = text.trimmingCharacters(in: .whitespacesAndNewlines)
      return tag.hasPrefix("#") ? String(tag.dropFirst()) : tag
    }
    return Set(trimmed.filter { !$0.isEmpty && !$0.contains(where: \.isNewline) }).sorted()
  }

  // MARK: - Writing

  /// Returns front matter with other values. Lines of other keys, and comments, stay as they are.
  /// - Parameters:
  ///   - front: the front matter with its fences; empty if there is none.
  ///   - title: the title; nil for none.
  ///   - tags: the tags, sorted.
  ///   - isPinned: whether the note is pinned.
  /// - Returns: nil if the front matter cannot be changed line by line, as it is no YAML or a
  ///   mapping in braces.
  static func changing(
    _ front: String, title: String?, tags: [String], isPinned: Bool
  ) -> String? {
    let text = MarkdownText(front: front, body: "")
    let yaml = text.yaml
    let known = FrontMatter(yaml)
    guard known.title != title || known.tags != tags || known.isPinned != isPinned else {
      return front
    }
    guard known.problem == nil, known.hasLines else { return nil }
    var lines = split(yaml)
    let count = lines.count
    func set(_ keys: [String], _ line: String?) {
      let key = keys.first { known.lines[$0] != nil }
      if let key, let range = known.lines[key] {
        let range = range.clamped(to: 0..<count)
        // Comments and empty lines before the next key are not this key's.
        var end = range.upperBound
        while end > range.lowerBound + 1, Self.isRemark(lines[end - 1]) { end -= 1 }
        for place in range.lowerBound..<end { lines[place] = "\0" }
        if let line, !range.isEmpty { lines[range.lowerBound] = "\(key): \(line)" }
      } else if let line {
        lines.append("\(keys[0]): \(line)")
      }
    }
    if known.title != title { set(titleKeys, title.map(scalar)) }
    if known.tags != tags {
      set(tagKeys, tags.isEmpty ? nil : "[\(tags.map(scalar).joined(separator: ", "))]")
    }
    if known.isPinned != isPinned { set(pinKeys, isPinned ? "true" : nil) }
    lines.removeAll { $0.utf8.elementsEqual([0]) }
    guard !front.isEmpty else {
      return lines.isEmpty ? "" : "---\n\(lines.joined(separator: "\n"))\n---\n\n"
    }
    let head = front.prefix { $0 != "\n" }
    let tail = front.utf8.suffix(from: yaml.endIndex)
    let middle = lines.map { $0 + "\n" }.joined()
    return head + "\n" + middle + String(decoding: tail, as: UTF8.self)
  }

  private static func split(_ yaml: Substring) -> [String] {
    var lines = yaml.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last?.isEmpty ?? false { lines.removeLast() }
    return lines
  }

  private static func isRemark(_ line: String) -> Bool {
    let rest = line.drop { $0 == " " || $0 == "\t" }
    return rest.isEmpty || line.hasPrefix("#")
  }

  /// Returns a text as YAML: as it is if that is safe, else quoted as in JSON.
  private static func scalar(_ text: String) -> String {
    let isPlain =
      text.wholeMatch(of: /[A-Za-z][A-Za-z0-9_\/-]*( [A-Za-z0-9_\/-]+)*/) != nil
      && text.wholeMatch(of: /(?i)y|n|yes|no|true|false|on|off|null/) == nil
    if isPlain { return text }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
  }

  /// Returns whether YAML is nested so little that a parser that calls itself can read it.
  private static func isShallow(_ yaml: String) -> Bool {
    var depth = 0
    for line in yaml.utf8.split(separator: 0x0A) {
      guard line.prefix(while: { " \t-?:".utf8.contains($0) }).count <= 128 else { return false }
      for byte in line {
        if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") { depth += 1 }
        if depth > 256 { return false }
      }
    }
    return true
  }
}
