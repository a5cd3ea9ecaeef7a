import DaybookEventCore

/// Changes of front matter. Only the places of the values that change are written; what the parser
/// says of all other keys is the same afterwards, or nothing is changed.
extension FrontMatter {
  /// Returns front matter with other values. Other keys and comments stay as they are.
  /// - Parameters:
  ///   - front: the front matter with its fences; empty if there is none.
  ///   - title: the title; nil for none.
  ///   - tags: the tags.
  ///   - isPinned: whether the note is pinned.
  /// - Returns: nil if it cannot be changed safely: it is not understood, a mapping in braces would
  ///   need another key, another key refers to what would change, or it would become too long.
  package static func changing(
    _ front: String, title: String?, tags: [String], isPinned: Bool
  ) -> String? {
    let text = MarkdownText(front: front, body: "")
    let place = text.yamlRange
    let bytes = Array(front.utf8)
    let known = FrontMatter(Array(bytes[place]))
    let wanted = Wanted(
      title: title.flatMap { $0.isEmpty ? nil : $0 }, tags: Set(tags).sorted(by: utf8Less),
      isPinned: isPinned)
    guard Wanted(known) != wanted else { return front }
    guard known.problem == nil, let changed = known.changing(to: wanted) else { return nil }
    if front.isEmpty {
      return changed.isEmpty ? "" : "---\n" + String(decoding: changed, as: UTF8.self) + "---\n\n"
    }
    let all = bytes[..<place.lowerBound] + changed + bytes[place.upperBound...]
    guard all.count <= MarkdownText.frontBytesMax else { return nil }
    return String(decoding: all, as: UTF8.self)
  }

  private struct Wanted: Equatable {
    var title: String?
    var tags: [String]
    var isPinned: Bool

    init(title: String?, tags: [String], isPinned: Bool) {
      (self.title, self.tags, self.isPinned) = (title, tags, isPinned)
    }

    init(_ front: FrontMatter) {
      self.init(title: front.title, tags: front.tags, isPinned: front.isPinned)
    }
  }

  private func changing(to wanted: Wanted) -> [UInt8]? {
    var front = self
    if front.title != wanted.title {
      let value = wanted.title.map(Self.scalar)
      guard let next = front.writing(value, or: "null", Self.titleKeys) else { return nil }
      front = next
    }
    if front.tags != wanted.tags {
      // A number sign before a tag is not part of it, so one that is gets another before it.
      let items = wanted.tags.map {
        Self.scalar($0.utf8.first == UInt8(ascii: "#") ? "#" + $0 : $0)
      }
      let value = items.isEmpty ? nil : "[\(items.joined(separator: ", "))]"
      guard let next = front.writing(value, or: "[]", Self.tagKeys) else { return nil }
      front = next
    }
    if front.isPinned != wanted.isPinned {
      guard let next = front.writing(wanted.isPinned ? "true" : nil, or: "false", Self.pinKeys)
      else { return nil }
      front = next
    }
    return Wanted(front) == wanted ? front.yaml : nil
  }

  /// Writes the value of the first key that is there, or a new one.
  /// - Parameters:
  ///   - value: the value in YAML; nil for none.
  ///   - empty: what stands for no value if the key cannot be removed.
  ///   - keys: the key that is written if there is none, and those that mean the same.
  /// - Returns: nil if any other key would be touched.
  private func writing(_ value: String?, or empty: String, _ keys: [String]) -> FrontMatter? {
    guard let entry = entry(keys) else {
      return value.flatMap { adding(keys[0], $0) }.flatMap { checked($0, keys[0]) }
    }
    let others = outline.entries.filter { $0.key != entry.key }
    guard let key = entry.key, others.allSatisfy({ entry.anchors.isDisjoint(with: $0.aliases) })
    else { return nil }
    let removed = value == nil ? removing(entry).flatMap { checked($0, key) } : nil
    // Another key that means the same may still give a value.
    if let removed, removed.entry(keys) == nil { return removed }
    return replacing(entry, value ?? empty).lazy.compactMap { checked($0, key) }.first
  }

  /// Returns changed front matter if all keys but one are as they were.
  private func checked(_ yaml: [UInt8], _ key: String) -> FrontMatter? {
    let front = FrontMatter(yaml)
    guard front.problem == nil else { return nil }
    func others(_ front: FrontMatter) -> [[YAMLEvent.Kind]] {
      front.outline.entries.filter { $0.key != key }.map(\.events)
    }
    return others(front) == others(self) ? front : nil
  }

  // MARK: - Places

  /// Returns the ways to write another value of an entry, the nicest first.
  private func replacing(_ entry: YAMLOutline.Entry, _ value: String) -> [[UInt8]] {
    let (start, end) = (entry.valueRange.lowerBound, end(of: entry))
    let inPlace = replacing(start..<end, value)
    let gap = yaml[..<start].dropFirst(entry.keyRange.upperBound)
    guard let colon = gap.firstIndex(of: UInt8(ascii: ":")) else { return [inPlace] }
    let space = gap[(colon + 1)...]
    let behindKey = replacing(colon + 1..<end, " " + value)
    // What stands below its key moves up, unless there is a comment between.
    let movesUp = space.contains(where: Self.isBreak) && space.allSatisfy(Self.isSpace)
    return movesUp ? [behindKey, inPlace] : [inPlace, behindKey]
  }

  private func replacing(_ range: Range<Int>, _ text: String) -> [UInt8] {
    var new = yaml
    new.replaceSubrange(range, with: Array(text.utf8))
    return new
  }

  /// Returns the text without the lines of an entry; nil if it shares them with others.
  private func removing(_ entry: YAMLOutline.Entry) -> [UInt8]? {
    guard !outline.isFlow else { return nil }
    let start = lineStart(entry.keyRange.lowerBound)
    guard yaml[start..<entry.keyRange.lowerBound].allSatisfy({ $0 == 0x20 }) else { return nil }
    let end = max(end(of: entry), entry.keyRange.upperBound)
    let rest = yaml[end...].prefix { $0 != 0x0A }
    let words = rest.drop(while: Self.isSpace)
    guard words.isEmpty || words.first == UInt8(ascii: "#") else { return nil }
    return Array(yaml[..<start] + yaml[rest.endIndex...].dropFirst())
  }

  /// Returns the text with another key at its end; nil for a mapping in braces.
  private func adding(_ key: String, _ value: String) -> [UInt8]? {
    guard !outline.isFlow else { return nil }
    var text = yaml
    if let last = text.last, last != 0x0A { text.append(0x0A) }
    if let first = outline.entries.first {
      text += yaml[lineStart(first.keyRange.lowerBound)..<first.keyRange.lowerBound]
    }
    return text + "\(key): \(value)\n".utf8
  }

  /// The end of an entry's value, without white space behind it.
  private func end(of entry: YAMLOutline.Entry) -> Int {
    var end = entry.valueRange.upperBound
    while end > entry.valueRange.lowerBound, Self.isSpace(yaml[end - 1]) { end -= 1 }
    return end
  }

  private func lineStart(_ place: Int) -> Int {
    yaml[..<place].lastIndex(where: Self.isBreak).map { $0 + 1 } ?? 0
  }

  private static func isBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || isBreak(byte)
  }

  // MARK: - Scalars

  /// Returns a text as YAML: as it is if that is safe, else in double quotes.
  private static func scalar(_ text: String) -> String {
    let isPlain =
      text.wholeMatch(of: /[A-Za-z][A-Za-z0-9_\/-]*( [A-Za-z0-9_\/-]+)*/) != nil
      && text.wholeMatch(of: /(?i)y|n|yes|no|true|false|on|off|null/) == nil
    if isPlain { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x22: quoted += "\\\""
      case 0x5C: quoted += "\\\\"
      case 0x09: quoted += "\\t"
      case 0x0A: quoted += "\\n"
      case 0x0D: quoted += "\\r"
      // What YAML does not allow, takes for the end of a line, or passes over.
      case 0..<0x20, 0x7F..<0xA0: quoted += "\\x" + hex(scalar.value, 2)
      case 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: quoted += "\\u" + hex(scalar.value, 4)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  private static func hex(_ value: UInt32, _ digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(digits - text.count, 0)) + text
  }
}
