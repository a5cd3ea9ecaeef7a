/// Functions of numbers and texts.
extension GQLFunction {
  static let numbers: [GQLFunction] =
    [
      GQLFunction("abs", .numbers, 1...1, .any, "the number without its sign") { arguments, _ in
        switch arguments[0] {
        case .integer(let value):
          guard value != .min else { throw Operators.overflow("abs") }
          return .integer(abs(value))
        default: return .float(abs(try arguments[0].number(of: "abs")))
        }
      },
      GQLFunction("sign", .numbers, 1...1, .integer, "−1, 0 or 1") { arguments, _ in
        let value = try arguments[0].number(of: "sign")
        return .integer(value > 0 ? 1 : value < 0 ? -1 : 0)
      },
      rounding("ceil", "the least whole number above", .up),
      rounding("floor", "the greatest whole number below", .down),
      GQLFunction(
        "round", .numbers, 1...2, .float, "the nearest whole number, or number with so many digits"
      ) { arguments, _ in
        let value = try arguments[0].number(of: "round")
        let digits = arguments.count > 1 ? try arguments[1].integer(of: "round") : 0
        guard digits > 0 else {
          // A half goes up. The sum of a number and a half may be rounded itself.
          let below = value.rounded(.down)
          return .float(value - below < 0.5 ? below : below + 1)
        }
        return .float(Digits.rounded(value, to: digits))
      },
      GQLFunction("rand", .numbers, 0...0, .float, "a number from 0 up to 1, at random") {
        _, run in .float(run.clock.random())
      },
      GQLFunction("pi", .numbers, 0...0, .float, isTotal: true, "π") { _, _ in .float(.pi) },
      GQLFunction("e", .numbers, 0...0, .float, isTotal: true, "the base of `ln`") { _, _ in
        .float(2.718281828459045)
      },
      GQLFunction("atan2", .numbers, 2...2, .float, "the angle of a point, given as y and x") {
        arguments, _ in
        .float(
          Power.angle(try arguments[0].number(of: "atan2"), try arguments[1].number(of: "atan2")))
      },
      GQLFunction("mod", .numbers, 2...2, .any, "the rest of a division") { arguments, _ in
        try Operators.arithmetic(.remainder, arguments[0], arguments[1])
      },
      GQLFunction("power", .numbers, 2...2, .float, "a number to the power of another") {
        arguments, _ in try Operators.arithmetic(.power, arguments[0], arguments[1])
      },
    ]
    + Power.functions.map { name, function in
      GQLFunction(name, .numbers, 1...1, .float, "the function of that name") { arguments, _ in
        .float(function(try arguments[0].number(of: name)))
      }
    }

  private static func rounding(
    _ name: String, _ summary: String, _ rule: FloatingPointRoundingRule
  ) -> GQLFunction {
    GQLFunction(name, .numbers, 1...1, .float, summary) { arguments, _ in
      .float(try arguments[0].number(of: name).rounded(rule))
    }
  }

  static let texts: [GQLFunction] = [
    text("toUpper", "the text in capitals") { $0.uppercased() },
    text("toLower", "the text in small letters") { $0.lowercased() },
    text("trim", "the text without spaces at its ends") { $0.trimmed },
    text("ltrim", "the text without spaces at its beginning") {
      String($0.unicodeScalars.drop { $0.properties.isWhitespace })
    },
    text("rtrim", "the text without spaces at its end") {
      var scalars = $0.unicodeScalars
      while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
      return String(scalars)
    },
    GQLFunction("replace", .texts, 3...3, .string, "the text with a part replaced everywhere") {
      arguments, run in
      let texts = try arguments.map { try $0.text(of: "replace") }
      guard !texts[1].isEmpty else { return arguments[0] }
      let parts = Scalars.split(texts[0], texts[1])
      let (added, overflow) = texts[2].utf8.count.multipliedReportingOverflow(by: parts.count)
      try run.budget.check(bytes: overflow ? .max : added)
      return .string(parts.joined(separator: texts[2]))
    },
    GQLFunction("split", .texts, 2...2, .list, "the parts of a text between separators") {
      arguments, _ in
      let (text, separator) = (
        try arguments[0].text(of: "split"), try arguments[1].text(of: "split")
      )
      return .list(Scalars.split(text, separator).map { .string($0) })
    },
    GQLFunction(
      "substring", .texts, 2...3, .string, "the text from a place, counted from 0, for a length"
    ) { arguments, _ in
      let scalars = try arguments[0].text(of: "substring").unicodeScalars
      let start = try arguments[1].integer(of: "substring")
      let length = arguments.count > 2 ? try arguments[2].integer(of: "substring") : .max
      guard start >= 0, length >= 0 else {
        throw noResult("substring", "a start or length is negative")
      }
      let rest = scalars.dropFirst(Int(clamping: start))
      return .string(String(rest.prefix(Int(clamping: length))))
    },
    GQLFunction("left", .texts, 2...2, .string, "so many characters of the beginning") {
      arguments, _ in
      let count = try arguments[1].integer(of: "left")
      guard count >= 0 else { throw noResult("left", "the length is negative") }
      let scalars = try arguments[0].text(of: "left").unicodeScalars
      return .string(String(scalars.prefix(Int(clamping: count))))
    },
    GQLFunction("right", .texts, 2...2, .string, "so many characters of the end") {
      arguments, _ in
      let count = try arguments[1].integer(of: "right")
      guard count >= 0 else { throw noResult("right", "the length is negative") }
      let scalars = try arguments[0].text(of: "right").unicodeScalars
      return .string(String(scalars.suffix(Int(clamping: count))))
    },
  ]

  private static func text(
    _ name: String, _ summary: String, _ body: @escaping @Sendable (String) -> String
  ) -> GQLFunction {
    GQLFunction(name, .texts, 1...1, .string, summary) { arguments, _ in
      .string(body(try arguments[0].text(of: name)))
    }
  }
}

/// Searches in texts, scalar by scalar: a text has no characters that belong together.
enum Scalars {
  static func reversed(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.reversed()))
  }

  private static func places(_ text: [UInt8], _ part: [UInt8]) -> [Int] {
    var places: [Int] = []
    var index = 0
    while index + part.count <= text.count {
      if text[index] == part[0], text[index..<index + part.count].elementsEqual(part) {
        places.append(index)
        index += part.count
      } else {
        index += 1
      }
    }
    return places
  }

  static func split(_ text: String, _ separator: String) -> [String] {
    guard !separator.isEmpty else { return text.unicodeScalars.map { String($0) } }
    let (bytes, part) = (Array(text.utf8), Array(separator.utf8))
    var parts: [String] = []
    var start = 0
    for place in places(bytes, part) {
      parts.append(String(decoding: bytes[start..<place], as: UTF8.self))
      start = place + part.count
    }
    return parts + [String(decoding: bytes[start...], as: UTF8.self)]
  }

  static func starts(_ text: String, _ part: String) -> Bool {
    text.utf8.starts(with: part.utf8)
  }

  static func ends(_ text: String, _ part: String) -> Bool {
    text.utf8.count >= part.utf8.count && text.utf8.suffix(part.utf8.count).elementsEqual(part.utf8)
  }

  static func contains(_ text: String, _ part: String) -> Bool {
    part.isEmpty || !places(Array(text.utf8), Array(part.utf8)).isEmpty
  }
}
