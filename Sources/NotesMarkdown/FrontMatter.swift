import DaybookEventCore
import DaybookNotes
package import Foundation

/// What notes understand of front matter: title, tags, pin and dates. All else stays as it is.
package struct FrontMatter: Sendable {
  package private(set) var title: String?
  /// The tags in their normal form, sorted.
  package private(set) var tags: [String] = []
  package private(set) var isPinned = false
  package private(set) var created: Date?
  package private(set) var modified: Date?

  /// The YAML between the fences, and its keys.
  let yaml: [UInt8]
  let outline: YAMLOutline

  static let titleKeys = ["title"]
  static let tagKeys = ["tags", "tag", "keywords"]
  static let pinKeys = ["pinned", "pin"]
  private static let createdKeys = ["created", "date", "created_at"]
  private static let modifiedKeys = ["modified", "updated", "lastmod", "updated_at"]

  /// Why the YAML is not understood; nil if it is.
  var problem: String? { outline.problem }

  /// Reads front matter.
  /// - Parameter yaml: what stands between the fences.
  package init(_ yaml: [UInt8]) {
    self.yaml = yaml
    outline = YAMLOutline(yaml)
    title = Self.text(value(Self.titleKeys))
    tags = Self.tags(value(Self.tagKeys))
    if case .scalar(let scalar)? = value(Self.pinKeys) { isPinned = Self.isTrue(scalar) }
    created = Self.text(value(Self.createdKeys)).flatMap(Self.date)
    modified = Self.text(value(Self.modifiedKeys)).flatMap(Self.date)
  }

  /// Returns the first entry that has one of some keys.
  func entry(_ keys: [String]) -> YAMLOutline.Entry? {
    keys.lazy.compactMap { key in outline.entries.first { $0.key == key } }.first
  }

  private func value(_ keys: [String]) -> YAMLOutline.Value? { entry(keys)?.value }

  private static func text(_ value: YAMLOutline.Value?) -> String? {
    // No text of a note has a NUL, although a quoted one in YAML can.
    guard case .scalar(let scalar)? = value, !scalar.isNull, !scalar.text.isEmpty,
      !scalar.text.utf8.contains(0)
    else { return nil }
    return scalar.text
  }

  private static func isTrue(_ scalar: YAMLOutline.Scalar) -> Bool {
    guard scalar.isPlain || scalar.tag == "tag:yaml.org,2002:bool" else { return false }
    return ["true", "yes", "on"].contains(scalar.text.lowercased())
  }

  private static func tags(_ value: YAMLOutline.Value?) -> [String] {
    let texts: [String]
    switch value {
    case .list(let items)?: texts = items.filter { !$0.isNull }.map(\.text)
    case .scalar(let scalar)? where !scalar.isNull:
      // “a, b” or “a b”, as some apps write them.
      texts = scalar.text.split(separator: scalar.text.contains(",") ? "," : " ").map(String.init)
    default: texts = []
    }
    let tags = texts.compactMap { text -> String? in
      let tag = text.trimmingCharacters(in: .whitespacesAndNewlines)
      let hasSign = tag.utf8.first == UInt8(ascii: "#")
      return try? NoteTag.checked(hasSign ? String(tag.unicodeScalars.dropFirst()) : tag)
    }
    return Set(tags).sorted(by: utf8Less)
  }

  /// Reads a date as YAML writes them; nil if it is none, or there is no such day.
  private static func date(_ text: String) -> Date? {
    let pattern =
      #/
      ([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})
      (?:(?:[Tt]|[\x20\t]+)([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]*))?)?
        [\x20\t]*(Z|[-+][0-9]{1,2}(?::?[0-9]{2})?)?)?
      /#
    guard text.utf8.count <= 64, let match = text.wholeMatch(of: pattern) else { return nil }
    func two(_ digits: Substring?) -> String { (digits?.count == 1 ? "0" : "") + (digits ?? "00") }
    let parts = match.output
    var exact = "\(parts.1)-\(two(parts.2))-\(two(parts.3))T\(two(parts.4)):\(two(parts.5))"
    exact += ":\(two(parts.6))"
    if let fraction = parts.7, !fraction.isEmpty { exact += ".\(fraction.prefix(9))" }
    exact += zone(parts.8)
    return Timestamp.milliseconds(exact).map { Date(timeIntervalSince1970: Double($0) / 1000) }
  }

  /// Returns an offset from UTC as ISO 8601 writes it.
  private static func zone(_ text: Substring?) -> String {
    guard let text, let sign = text.first, sign != "Z" else { return "Z" }
    let digits = text.dropFirst().filter { $0 != ":" }
    let minutes = digits.count > 2 ? digits.suffix(2) : "00"
    let hours = digits.count > 2 ? digits.dropLast(2) : digits[...]
    return "\(sign)\(hours.count == 1 ? "0" : "")\(hours):\(minutes)"
  }
}
