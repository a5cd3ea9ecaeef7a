package import DaybookEventCore
package import DaybookJSON
package import DaybookProjections

/// Conversions of JSON values and command-line texts to values of a declared type.
package enum ValueTyping {
  package static func value(_ json: JSONValue, as type: FieldType) throws(ValueTypingError) -> Value
  {
    switch (type, json) {
    case (.json, .null), (_, .null): return .null
    case (.text, .text(let text)): return .text(text)
    case (.integer, .integer(let value)): return .integer(value)
    case (.real, .real(let value)): return .real(value == 0 ? 0 : value)
    case (.real, .integer(let value)):
      guard let real = Double(exactly: value) else {
        throw ValueTypingError(
          "a real holds 53 bits of it; write it as a real such as \(Double(value))")
      }
      return .real(real)
    case (.boolean, .boolean(let value)): return .boolean(value)
    case (.blob, .text(let text)):
      guard let bytes = Base64.decode(text) else {
        throw ValueTypingError("write it as base64 with padding (RFC 4648)")
      }
      return .blob(bytes)
    case (.timestamp, .text(let text)):
      guard let milliseconds = Timestamp.milliseconds(text) else { throw timestampError }
      return .timestamp(milliseconds)
    case (.timestamp, .integer(let milliseconds)):
      guard Timestamp.text(milliseconds) != nil else {
        throw ValueTypingError("milliseconds since 1970 must lie in the years 1 to 9999")
      }
      return .timestamp(milliseconds)
    case (.json, let json): return .json(JSONWriter.canonical(json))
    default: throw remedy(type)
    }
  }

  /// Converts a command-line argument to a value. A text stands for itself. A blob is base64 and a
  /// timestamp is ISO 8601 or milliseconds since 1970, both without quotes. Other values are
  /// written as in JSON.
  /// - Throws: ``ValueTypingError`` if the argument does not fit the type.
  package static func value(argument: String, as type: FieldType) throws(ValueTypingError) -> Value
  {
    switch type {
    case .text: return .text(argument)
    case .blob: return try value(.text(argument), as: .blob)
    case .timestamp:
      if let milliseconds = Int64(argument) { return try value(.integer(milliseconds), as: type) }
      return try value(.text(argument), as: type)
    case .integer, .real, .boolean, .json:
      let parsed: JSONValue
      do throws(JSONError) {
        parsed = try JSONParser.parse(Array(argument.utf8))
      } catch {
        throw type == .json ? ValueTypingError(error.description) : remedy(type)
      }
      if type != .json, parsed == .null { throw remedy(type) }
      return try value(parsed, as: type)
    }
  }

  private static let timestampError = ValueTypingError(
    "write it as ISO 8601, such as 2026-01-31T08:30:00Z, or as milliseconds since 1970")

  private static func remedy(_ type: FieldType) -> ValueTypingError {
    switch type {
    case .text: ValueTypingError("put it in double quotes, or define another field for it")
    case .integer: ValueTypingError("write it without quotes, point and exponent, or define a real")
    case .real: ValueTypingError("write a number without quotes")
    case .boolean: ValueTypingError("write true or false without quotes")
    case .blob: ValueTypingError("write it as base64 with padding (RFC 4648)")
    case .timestamp: timestampError
    case .json: ValueTypingError("write it as JSON")
    }
  }
}

/// An error for a value that does not fit its type.
package struct ValueTypingError: Error, Sendable {
  /// What to do, as the end of a sentence.
  package let remedy: String

  init(_ remedy: String) { self.remedy = remedy }
}
