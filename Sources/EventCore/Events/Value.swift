/// The canonical value of a register; NULL and absent are equal.
public enum Value: Hashable, Sendable {
  /// No value.
  case null
  /// True or false.
  case boolean(Bool)
  /// An integer of 64 bits.
  case integer(Int64)
  /// A finite number; −0 is stored as 0.
  case real(Double)
  /// A text.
  case text(String)
  /// Bytes.
  case blob([UInt8])
  /// A moment in milliseconds since 1970-01-01T00:00:00Z.
  case timestamp(Int64)
  /// JSON text as its author canonicalized it: compact, keys sorted.
  case json([UInt8])

  /// Whether the canonical bytes of two values are equal: text is compared by its bytes, and −0 is
  /// 0.
  public static func == (a: Value, b: Value) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.boolean(let a), .boolean(let b)): a == b
    case (.integer(let a), .integer(let b)), (.timestamp(let a), .timestamp(let b)): a == b
    case (.real(let a), .real(let b)): a == 0 && b == 0 || a.bitPattern == b.bitPattern
    case (.text(let a), .text(let b)): a.isSame(as: b)
    case (.blob(let a), .blob(let b)), (.json(let a), .json(let b)): a == b
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(canonicalBytes) }
}

/// The first byte of an encoded value, which names its type.
package enum ValueTag {
  package static let null: UInt8 = 0
  package static let `false`: UInt8 = 1
  package static let `true`: UInt8 = 2
  package static let integer: UInt8 = 3
  package static let real: UInt8 = 4
  package static let text: UInt8 = 5
  package static let blob: UInt8 = 6
  package static let timestamp: UInt8 = 7
  package static let json: UInt8 = 8
  /// A text that is a lower-case UUID, packed into 16 bytes.
  package static let uuidText: UInt8 = 9
}

extension Value {
  /// The bytes that stand for the value in an event. Equal values have equal bytes.
  public var canonicalBytes: [UInt8] {
    var writer = ByteWriter()
    encode(to: &writer)
    return writer.bytes
  }

  /// Encodes the value, except for the bytes of a long text, which follow. So they are hashed
  /// without a copy.
  /// - Returns: the text; nil if the value is encoded completely.
  package func encodeHead(to writer: inout ByteWriter) -> String? {
    guard case .text(let text) = self, text.utf8.count >= 1024 else {
      encode(to: &writer)
      return nil
    }
    writer.byte(ValueTag.text)
    writer.varint(text.utf8.count)
    return text
  }

  package func encode(to writer: inout ByteWriter) {
    switch self {
    case .null: writer.byte(ValueTag.null)
    case .boolean(let value): writer.byte(value ? ValueTag.true : ValueTag.false)
    case .integer(let value):
      writer.byte(ValueTag.integer)
      writer.signedVarint(value)
    case .real(let value):
      writer.byte(ValueTag.real)
      writer.integer((value == 0 ? 0 : value).bitPattern)
    case .text(let value):
      if let packed = PackedUUID(value) {
        writer.byte(ValueTag.uuidText)
        packed.encode(to: &writer)
      } else {
        writer.byte(ValueTag.text)
        writer.text(value)
      }
    case .blob(let value):
      writer.byte(ValueTag.blob)
      writer.counted(value)
    case .timestamp(let value):
      writer.byte(ValueTag.timestamp)
      writer.signedVarint(value)
    case .json(let value):
      writer.byte(ValueTag.json)
      writer.counted(value)
    }
  }

  /// Decodes a value from its canonical bytes.
  ///
  /// - Throws: ``EventError`` if the bytes are not exactly one canonical value.
  public init(canonicalBytes: UnsafeRawBufferPointer) throws(EventError) {
    var reader = ByteReader(canonicalBytes)
    self = try Value.decode(from: &reader)
    try reader.end(of: "a value")
  }

  package static func decode(from reader: inout ByteReader) throws(EventError) -> Value {
    let view = try ValueView(from: &reader)
    return view.value
  }
}
