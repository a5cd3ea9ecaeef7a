import DaybookEventCore

/// The content of a cell, in SQLite's storage classes.
enum ReferenceCell: Hashable, Sendable, CustomStringConvertible {
  case null
  case integer(Int64)
  case real(Double)
  case text(ReferenceName)
  case blob([UInt8])

  static func text(_ text: String) -> ReferenceCell { .text(ReferenceName(text)) }

  /// Makes the cell of a value; nil if the value does not fit the type.
  init?(_ value: Value, type: String) {
    switch (value, type) {
    case (.null, _): self = .null
    case (.text(let text), "text"): self = .text(text)
    case (.integer(let number), "integer"): self = .integer(number)
    case (.integer(let number), "real"):
      guard number.magnitude <= 1 << 53 else { return nil }
      self = .real(Double(number))
    case (.real(let number), "real"): self = .real(number)
    case (.boolean(let flag), "boolean"): self = .integer(flag ? 1 : 0)
    case (.blob(let bytes), "blob"): self = .blob(bytes)
    case (.timestamp(let milliseconds), "timestamp"):
      guard let shown = ReferenceCalendar.text(milliseconds: milliseconds) else { return nil }
      self = .text(shown)
    case (.json(let bytes), "json"):
      guard ReferenceJSON.isValid(bytes) else { return nil }
      self = .text(String(decoding: bytes, as: UTF8.self))
    default: return nil
    }
  }

  var byteCount: Int {
    switch self {
    case .null: 0
    case .integer, .real: 8
    case .text(let text): text.bytes.count
    case .blob(let bytes): bytes.count
    }
  }

  var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)r"
    case .text(let text): "\(text)"
    case .blob(let bytes): "x'\(Hex.encode(bytes))'"
    }
  }
}
