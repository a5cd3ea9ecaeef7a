package import DaybookEventCore
package import DaybookProjections

extension ValueTyping {
  /// Converts the text of a CSV cell to a value of a declared type. An empty cell becomes null. A
  /// quoted empty cell becomes the empty text if the type is text.
  ///
  /// The type was declared or inferred, so common spellings are accepted. `007` and `+7` are the
  /// integer 7, `.5` is a real, and `yes`, `y`, `t` and `1` are true.
  /// - Parameter hasDecimalComma: whether reals have a comma before their decimals, and no point.
  /// - Throws: ``ValueTypingError`` if the text does not fit the type.
  package static func value(
    cell: CSVCell, as type: FieldType, hasDecimalComma: Bool = false
  ) throws(ValueTypingError) -> Value {
    let text = cell.text
    guard !text.isEmpty else { return type == .text && cell.isQuoted ? .text("") : .null }
    switch type {
    case .text: return .text(text)
    case .integer:
      guard isNumber(text, real: false), let value = Int64(text) else {
        throw ValueTypingError(
          "write an integer within 64 bits, or import the column as real or text")
      }
      return .integer(value)
    case .real: return try real(text, hasDecimalComma)
    case .boolean:
      guard let value = truth[Names.folded(text)] else {
        throw ValueTypingError("write true or false, or import the column as text")
      }
      return .boolean(value)
    case .timestamp, .blob, .json: return try value(argument: text, as: type)
    }
  }

  private static func real(_ text: String, _ hasDecimalComma: Bool) throws(ValueTypingError)
    -> Value
  {
    let mark = hasDecimalComma ? "," : "."
    let isSpelled = !hasDecimalComma || !text.utf8.contains(UInt8(ascii: "."))
    let pointed = hasDecimalComma ? text.replacing(",", by: ".") : text
    guard isSpelled, isNumber(pointed, real: true), let value = Double(pointed), value.isFinite
    else {
      throw ValueTypingError(
        "write a number with a decimal \(mark == "," ? "comma" : "point"), or import the column as "
          + "text")
    }
    guard value == 0 else { return .real(value) }
    // The digits before the exponent, if there is one.
    let mantissa = pointed.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
    guard !mantissa.contains(where: { (0x31...0x39).contains($0) }) else {
      throw ValueTypingError(
        "it is nearer to 0 than any real (\(Double.leastNonzeroMagnitude)) and would become 0; "
          + "import the column as text")
    }
    return .real(0)
  }

  private static let truth: [String: Bool] = [
    "true": true, "t": true, "yes": true, "y": true, "1": true,
    "false": false, "f": false, "no": false, "n": false, "0": false,
  ]

  /// Returns whether a text consists only of characters of decimal numbers. Swift's own
  /// initializers accept other spellings too, such as `nan` and `0x1p3`.
  private static func isNumber(_ text: String, real: Bool) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"): true
      case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): real
      default: false
      }
    }
  }
}
