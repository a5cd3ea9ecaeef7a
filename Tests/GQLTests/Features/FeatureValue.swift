@testable import DaybookGQL

/// A value in one spelling, so that what a scenario expects and what a query returned can be
/// compared as texts.
enum FeatureValue {
  /// Returns a value of a result in that spelling.
  /// - Parameter sorted: whether the order of a list's elements does not count.
  static func text(_ value: GQLValue, sorted: Bool) -> String {
    func inner(_ value: GQLValue) -> String { text(value, sorted: sorted) }
    func map(_ map: GQLMap) -> String {
      guard !map.entries.isEmpty else { return "{}" }
      return "{" + map.sorted.map { "\($0.key): \(inner($0.value))" }.joined(separator: ", ") + "}"
    }
    func node(_ node: GQLNode) -> String {
      "(" + node.labels.sorted().map { ":\($0)" }.joined()
        + (node.properties.entries.isEmpty ? "" : map(node.properties)) + ")"
    }
    func relationship(_ one: GQLRelationship) -> String {
      "[:\(one.type)" + (one.properties.entries.isEmpty ? "" : map(one.properties)) + "]"
    }
    switch value {
    case .null: return "null"
    case .boolean(let value): return String(value)
    case .integer(let value): return String(value)
    case .float(let value): return number(value)
    case .string(let value): return "'\(value)'"
    case .list(let elements):
      let texts = elements.map(inner)
      return "[" + (sorted ? texts.sorted() : texts).joined(separator: ", ") + "]"
    case .map(let value): return map(value)
    case .node(let value): return node(value)
    case .relationship(let value): return relationship(value)
    case .path(let path):
      var text = "<" + path.nodes.first.map(node)!
      for (index, one) in path.relationships.enumerated() {
        let isForward = one.source == path.nodes[index].id
        text += (isForward ? "-" : "<-") + relationship(one) + (isForward ? "->" : "-")
        text += node(path.nodes[index + 1])
      }
      return text + ">"
    default: return "'\(Conversion.text(value) ?? "?")'"
    }
  }

  private static func number(_ value: Double) -> String {
    value.isNaN ? "NaN" : value == 0 ? "0.0" : "\(value)"
  }

  /// Returns what a cell of a table says in that spelling.
  static func text(cell: String, sorted: Bool) -> String {
    var reader = Reader(rest: Array(cell.unicodeScalars)[...], sorted: sorted)
    let text = reader.value()
    return reader.rest.isEmpty ? text : "unread: \(cell)"
  }

  private struct Reader {
    var rest: ArraySlice<Unicode.Scalar>
    var sorted: Bool

    private mutating func skipSpace() { rest = rest.drop { $0 == " " } }

    private mutating func take(_ text: String) -> Bool {
      skipSpace()
      guard rest.starts(with: text.unicodeScalars) else { return false }
      rest = rest.dropFirst(text.unicodeScalars.count)
      return true
    }

    private mutating func word() -> String {
      skipSpace()
      let word = rest.prefix { !" ,:{}[]()<>|".unicodeScalars.contains($0) }
      rest = rest.dropFirst(word.count)
      return String(String.UnicodeScalarView(word)).replacing("`", with: "")
    }

    private mutating func list(until end: String) -> [String] {
      var elements: [String] = []
      while !take(end), !rest.isEmpty {
        elements.append(value())
        _ = take(",")
      }
      return elements
    }

    private mutating func map() -> String {
      var entries: [(String, String)] = []
      while !take("}"), !rest.isEmpty {
        let key = word()
        _ = take(":")
        entries.append((key, value()))
        _ = take(",")
      }
      let sorted = entries.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
      return "{" + sorted.map { "\($0.0): \($0.1)" }.joined(separator: ", ") + "}"
    }

    private mutating func element(until end: String) -> String {
      var labels: [String] = []
      while take(":") { labels.append(word()) }
      let properties = take("{") ? map() : ""
      _ = take(end)
      return labels.sorted().map { ":\($0)" }.joined() + (properties == "{}" ? "" : properties)
    }

    private mutating func string() -> String {
      var text = String.UnicodeScalarView()
      while let next = rest.popFirst(), next != "'" {
        if next == "\\", let escaped = rest.popFirst() {
          text.append(escaped == "n" ? "\n" : escaped == "t" ? "\t" : escaped)
        } else {
          text.append(next)
        }
      }
      return "'\(String(text))'"
    }

    mutating func value() -> String {
      if take("'") { return string() }
      if take("{") { return map() }
      if take("(") { return "(" + element(until: ")") + ")" }
      if take("<") {
        var text = "<"
        while !take(">"), !rest.isEmpty {
          if take("(") {
            text += "(" + element(until: ")") + ")"
          } else if take("<-[") {
            text += "<-[" + element(until: "]") + "]-"
            _ = take("-")
          } else if take("-[") {
            text += "-[" + element(until: "]") + "]->"
            _ = take("->")
          } else {
            return "unread"
          }
        }
        return text + ">"
      }
      if take("[") {
        skipSpace()
        if rest.first == ":" { return "[" + element(until: "]") + "]" }
        let elements = list(until: "]")
        return "[" + (sorted ? elements.sorted() : elements).joined(separator: ", ") + "]"
      }
      let word = word()
      if Int64(word) == nil, let number = Double(word) { return FeatureValue.number(number) }
      return word
    }
  }
}
