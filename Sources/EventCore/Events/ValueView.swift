/// A value in place, within its canonical bytes: checked but not copied.
///
/// A bulk projection binds it to SQLite statements directly. It is valid as long as the bytes are.
@frozen
package enum ValueView {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  /// Valid UTF-8, not copied.
  case text(UnsafeRawBufferPointer)
  case uuid(PackedUUID)
  case blob(UnsafeRawBufferPointer)
  case timestamp(Int64)
  case json(UnsafeRawBufferPointer)

  package init(from reader: inout ByteReader) throws(EventError) {
    try self.init(&reader, isChecked: false)
  }

  /// Reads a value whose text is already known to be valid; text is not checked again.
  package init(checked reader: inout ByteReader) throws(EventError) {
    try self.init(&reader, isChecked: true)
  }

  @inline(__always)
  private init(_ reader: inout ByteReader, isChecked: Bool) throws(EventError) {
    let start = reader.offset
    switch try reader.byte() {
    case ValueTag.null: self = .null
    case ValueTag.false: self = .boolean(false)
    case ValueTag.true: self = .boolean(true)
    case ValueTag.integer: self = .integer(try reader.signedVarint())
    case ValueTag.real:
      let value = Double(bitPattern: try reader.integer(UInt64.self))
      guard value.isFinite else {
        throw EventError(.invalidValue, "a real is not a finite number", offset: start)
      }
      if value == 0, value.sign == .minus {
        throw EventError(.notCanonical, "a real is −0", offset: start)
      }
      self = .real(value)
    case ValueTag.text:
      let raw = try reader.counted()
      guard isChecked || UTF8Validation.isValid(raw) else {
        throw EventError(.invalidValue, "text is not valid UTF-8", offset: start)
      }
      if !isChecked, raw.count == 36, PackedUUID(utf8: raw) != nil {
        throw EventError(.notCanonical, "a UUID is not packed", offset: start)
      }
      self = .text(raw)
    case ValueTag.uuidText: self = .uuid(try PackedUUID(from: &reader))
    case ValueTag.blob: self = .blob(try reader.counted())
    case ValueTag.timestamp: self = .timestamp(try reader.signedVarint())
    case ValueTag.json:
      let raw = try reader.counted()
      guard isChecked || UTF8Validation.isValid(raw) else {
        throw EventError(.invalidValue, "JSON is not valid UTF-8", offset: start)
      }
      self = .json(raw)
    case let tag:
      throw EventError(.malformed, "unknown value tag \(tag)", offset: start)
    }
  }

  package var value: Value {
    switch self {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let raw): .text(String(decoding: raw, as: UTF8.self))
    case .uuid(let packed): .text(packed.text)
    case .blob(let raw): .blob(Array(raw))
    case .timestamp(let value): .timestamp(value)
    case .json(let raw): .json(Array(raw))
    }
  }
}
