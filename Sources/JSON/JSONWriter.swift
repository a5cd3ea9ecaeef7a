package import DaybookEventCore

/// Writes compact JSON. Keys keep the order in which the caller writes them; only ``canonical(_:)``
/// sorts them.
package struct JSONWriter {
  package var bytes: [UInt8] = []
  /// Whether the next item at this level needs a comma before it.
  private var needsComma = false

  package init() {}

  package var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Returns the canonical form in which a ``Value`` stores JSON. It is compact, with keys sorted
  /// by their UTF-8. Integers stay integers. Reals have the shortest form that reads back equal,
  /// and −0 becomes 0.
  package static func canonical(_ value: JSONValue) -> [UInt8] {
    var writer = JSONWriter()
    writer.value(value, sorted: true)
    return writer.bytes
  }

  /// Whether JSON is a scalar that is canonical for sure: a text of plain ASCII, an integer of at
  /// most 18 digits, or a boolean. Making the canonical form takes much longer.
  package static func isPlainScalar(_ json: [UInt8]) -> Bool {
    guard let first = json.first else { return false }
    if first == UInt8(ascii: "\"") {
      return json.count > 1 && json[json.count - 1] == first
        && json[1..<json.count - 1].allSatisfy {
          0x20...0x7E ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
    }
    let digits = json.dropFirst(first == UInt8(ascii: "-") ? 1 : 0)
    guard let digit = digits.first, 0x30...0x39 ~= digit else {
      return json.elementsEqual("true".utf8) || json.elementsEqual("false".utf8)
    }
    return digit == 0x30
      ? json.count == 1 : digits.count <= 18 && digits.allSatisfy { 0x30...0x39 ~= $0 }
  }

  // MARK: - Structure

  package mutating func object(_ body: (inout JSONWriter) -> Void) {
    open(UInt8(ascii: "{"))
    body(&self)
    close(UInt8(ascii: "}"))
  }

  package mutating func array(_ body: (inout JSONWriter) -> Void) {
    open(UInt8(ascii: "["))
    body(&self)
    close(UInt8(ascii: "]"))
  }

  package mutating func key(_ name: String) {
    text(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  // MARK: - Scalars

  package mutating func null() { word("null") }
  package mutating func boolean(_ value: Bool) { word(value ? "true" : "false") }
  package mutating func integer(_ value: some FixedWidthInteger) { word(String(value)) }

  /// Writes a real. A real that is not finite, which no ``Value`` holds, is written as null.
  package mutating func real(_ value: Double) {
    guard value.isFinite else { return null() }
    word(value == 0 ? "0.0" : "\(value)")
  }

  private mutating func word(_ word: String) {
    separate()
    bytes.append(contentsOf: word.utf8)
  }

  /// Writes JSON that is already compact.
  package mutating func raw(_ json: [UInt8]) {
    separate()
    bytes.append(contentsOf: json)
  }

  package mutating func text(_ text: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      var plain = 0
      for (i, byte) in utf8.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
        bytes.append(contentsOf: utf8[plain..<i])
        escape(byte)
        plain = i + 1
      }
      bytes.append(contentsOf: utf8[plain...])
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x22, 0x5C: bytes.append(byte)
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    default: bytes.append(contentsOf: (byte < 16 ? "u000" : "u00").utf8 + Hex.digits(byte))
    }
  }

  // MARK: - Values

  package mutating func value(_ value: JSONValue, sorted: Bool = false) {
    switch value {
    case .null: null()
    case .boolean(let value): boolean(value)
    case .integer(let value): integer(value)
    case .real(let value): real(value)
    case .text(let value): text(value)
    case .array(let elements):
      array { for element in elements { $0.value(element, sorted: sorted) } }
    case .object(let members):
      let members = sorted ? members.sorted { utf8Less($0.key, $1.key) } : members
      object {
        for (key, value) in members {
          $0.key(key)
          $0.value(value, sorted: sorted)
        }
      }
    }
  }

  /// Writes a value in its interchange form. A blob is written as base64, and JSON as it is. A
  /// timestamp is written as ISO 8601, or as milliseconds if it is outside the years 1 to 9999.
  package mutating func value(_ value: Value) {
    switch value {
    case .null: null()
    case .boolean(let value): boolean(value)
    case .integer(let value): integer(value)
    case .real(let value): real(value)
    case .text(let value): text(value)
    case .blob(let value): text(Base64.encode(value))
    case .timestamp(let value): timestamp(value)
    case .json(let value): json(value)
    }
  }

  package mutating func timestamp(_ milliseconds: Int64) {
    if let iso = ISO8601.text(milliseconds) { text(iso) } else { integer(milliseconds) }
  }

  /// Writes JSON bytes from an event. Another program may have written invalid JSON; then the bytes
  /// are written as a text, so that the line stays valid.
  private mutating func json(_ bytes: [UInt8]) {
    if let value = try? JSONParser.parse(bytes) {
      self.value(value)
    } else {
      text(String(decoding: bytes, as: UTF8.self))
    }
  }
}

extension Hex {
  /// Returns the hexadecimal digits of one byte, without a leading zero.
  fileprivate static func digits(_ byte: UInt8) -> [UInt8] { Array(String(byte, radix: 16).utf8) }
}
