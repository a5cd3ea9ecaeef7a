/// Conversions of values to texts, numbers and booleans.
enum Conversion {
  /// The text of a value, as `toString` has it.
  static func text(_ value: GQLValue) -> String {
    switch value {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .float(let value): float(value)
    case .string(let text): text
    case .date(let value): value.description
    case .localTime(let value): value.description
    case .time(let value): value.description
    case .localDateTime(let value): value.description
    case .dateTime(let value): value.description
    case .duration(let value): value.description
    default: literal(value)
    }
  }

  private static func float(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
    return "\(value)".replacing("e+", with: "E").replacing("e", with: "E")
  }

  /// The value as a query or a person would write it.
  static func literal(_ value: GQLValue) -> String {
    switch value {
    case .string(let text): quoted(text)
    case .list(let elements): "[\(elements.map(literal).joined(separator: ", "))]"
    case .map(let map): literal(map)
    case .node(let node):
      "(" + node.labels.map { ":\(name($0))" }.joined()
        + suffix(node.properties, !node.labels.isEmpty) + ")"
    case .relationship(let one):
      "[:\(name(one.type))\(suffix(one.properties, true))]"
    case .path(let path): literal(path)
    case .date, .localTime, .time, .localDateTime, .dateTime, .duration: quoted(text(value))
    default: text(value)
    }
  }

  private static func suffix(_ map: GQLMap, _ isBehind: Bool) -> String {
    map.entries.isEmpty ? "" : (isBehind ? " " : "") + literal(map)
  }

  private static func literal(_ map: GQLMap) -> String {
    "{\(map.entries.map { "\(name($0.key)): \(literal($0.value))" }.joined(separator: ", "))}"
  }

  private static func literal(_ path: GQLPath) -> String {
    var text = "<" + literal(.node(path.nodes[0]))
    for (index, one) in path.relationships.enumerated() {
      let isForward = one.source == path.nodes[index].id
      let middle = literal(.relationship(one))
      text += isForward ? "-\(middle)->" : "<-\(middle)-"
      text += literal(.node(path.nodes[index + 1]))
    }
    return text + ">"
  }

  static func quoted(_ text: String) -> String {
    var result = "'"
    for scalar in text.unicodeScalars {
      switch scalar {
      case "'": result += "\\'"
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "'"
  }

  /// A name as a query has it, between backticks if it needs them.
  static func name(_ name: String) -> String {
    let scalars = name.unicodeScalars
    let isPlain =
      scalars.first.map(GQLLexer.beginsWord) == true
      && scalars.allSatisfy(GQLLexer.continuesWord)
    return isPlain ? name : "`\(name.replacing("`", with: "``"))`"
  }

  static func integer(_ text: String) -> Int64? {
    let trimmed = text.trimmed
    if let value = Int64(trimmed) { return value }
    guard let value = Self.number(trimmed) else { return nil }
    return truncated(value)
  }

  /// The integer of a number without its fraction; nil if there is none of 64 bits.
  static func truncated(_ value: Double) -> Int64? {
    value.isFinite ? Int64(exactly: value.rounded(.towardZero)) : nil
  }

  static func number(_ text: String) -> Double? {
    let trimmed = text.trimmed
    // Swift also reads hexadecimal numbers and words.
    guard
      trimmed.utf8.allSatisfy({ byte in
        GQLLexer.isDigit(byte) || "+-.eE".utf8.contains(byte)
      })
    else { return nil }
    return Double(trimmed)
  }

  static func boolean(_ text: String) -> Bool? {
    switch text.trimmed.lowercased() {
    case "true": true
    case "false": false
    default: nil
    }
  }
}

extension String {
  /// The text without spaces at its ends.
  var trimmed: String {
    var scalars = unicodeScalars[...]
    while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
    while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
    return String(Substring(scalars))
  }
}
