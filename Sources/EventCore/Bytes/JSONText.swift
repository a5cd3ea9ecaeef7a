/// Validation of JSON texts (RFC 8259), without parsing them into values.
///
/// A column of JSON must show valid JSON only: a single invalid value makes SQLite's JSON functions
/// fail for a whole query.
package enum JSONText {
  /// The deepest nesting of arrays and objects, which every version of SQLite accepts.
  package static let depthMax = 1000

  /// Whether the bytes are exactly one JSON text.
  ///
  /// Cost: one pass; no allocation if the nesting is at most 64 deep.
  /// - Parameter utf8: valid UTF-8.
  package static func isValid(_ utf8: UnsafeRawBufferPointer) -> Bool {
    var scanner = Scanner(utf8)
    return scanner.isText()
  }

  package static func isValid(_ utf8: [UInt8]) -> Bool { utf8.withUnsafeBytes { isValid($0) } }

  private struct Scanner {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private var open = Nesting()

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    private enum Place { case value, firstElement, firstMember, member, end }

    mutating func isText() -> Bool {
      var place = Place.value
      while true {
        skipSpace()
        switch place {
        case .value, .firstElement:
          if place == .firstElement, take(UInt8(ascii: "]")) {
            open.pop()
            place = .end
            continue
          }
          guard let next = value() else { return false }
          place = next
        case .firstMember, .member:
          if place == .firstMember, take(UInt8(ascii: "}")) {
            open.pop()
            place = .end
            continue
          }
          guard string() else { return false }
          skipSpace()
          guard take(UInt8(ascii: ":")) else { return false }
          place = .value
        case .end:
          guard let isObject = open.last else { return offset == bytes.count }
          if take(UInt8(ascii: ",")) {
            place = isObject ? .member : .value
          } else if take(UInt8(ascii: isObject ? "}" : "]")) {
            open.pop()
          } else {
            return false
          }
        }
      }
    }

    private mutating func skipSpace() {
      while offset < bytes.count {
        switch bytes[offset] {
        case 0x20, 0x09, 0x0A, 0x0D: offset += 1
        default: return
        }
      }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
      guard offset < bytes.count, bytes[offset] == byte else { return false }
      offset += 1
      return true
    }

    /// Reads a value, or the beginning of an array or object.
    ///
    /// - Returns: what must follow; nil if there is no valid value.
    private mutating func value() -> Place? {
      guard offset < bytes.count else { return nil }
      switch bytes[offset] {
      case UInt8(ascii: "{"): return enter(isObject: true) ? .firstMember : nil
      case UInt8(ascii: "["): return enter(isObject: false) ? .firstElement : nil
      case UInt8(ascii: "\""): return string() ? .end : nil
      case UInt8(ascii: "t"): return word("true") ? .end : nil
      case UInt8(ascii: "f"): return word("false") ? .end : nil
      case UInt8(ascii: "n"): return word("null") ? .end : nil
      default: return number() ? .end : nil
      }
    }

    private mutating func enter(isObject: Bool) -> Bool {
      offset += 1
      return open.push(isObject)
    }

    private mutating func word(_ word: StaticString) -> Bool {
      let count = word.utf8CodeUnitCount
      guard offset + count <= bytes.count else { return false }
      for i in 0..<count where bytes[offset + i] != word.utf8Start[i] { return false }
      offset += count
      return true
    }

    private mutating func string() -> Bool {
      guard take(UInt8(ascii: "\"")) else { return false }
      while offset < bytes.count {
        let byte = bytes[offset]
        offset += 1
        switch byte {
        case UInt8(ascii: "\""): return true
        case UInt8(ascii: "\\"): guard escape() else { return false }
        case 0..<0x20: return false
        default: break
        }
      }
      return false
    }

    private mutating func escape() -> Bool {
      guard offset < bytes.count else { return false }
      let byte = bytes[offset]
      offset += 1
      switch byte {
      case UInt8(ascii: "u"):
        guard offset + 4 <= bytes.count else { return false }
        for i in offset..<offset + 4 {
          switch bytes[i] {
          case 0x30...0x39, 0x41...0x46, 0x61...0x66: continue
          default: return false
          }
        }
        offset += 4
        return true
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
        UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
        return true
      default: return false
      }
    }

    private mutating func number() -> Bool {
      _ = take(UInt8(ascii: "-"))
      if !take(UInt8(ascii: "0")) { guard digits() else { return false } }
      if take(UInt8(ascii: ".")) { guard digits() else { return false } }
      guard offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") else { return true }
      offset += 1
      if !take(UInt8(ascii: "-")) { _ = take(UInt8(ascii: "+")) }
      return digits()
    }

    /// Reads decimal digits; returns false if there are none.
    private mutating func digits() -> Bool {
      let start = offset
      while offset < bytes.count, 0x30...0x39 ~= bytes[offset] { offset += 1 }
      return offset > start
    }
  }

  /// The stack of open arrays and objects: one bit each, set for an object, the innermost lowest.
  private struct Nesting {
    private var bits: UInt64 = 0
    private var outer: [UInt64] = []
    private var count = 0

    var last: Bool? { count == 0 ? nil : bits & 1 == 1 }

    /// Pushes an array or object.
    ///
    /// - Returns: false if the nesting would exceed ``JSONText/depthMax``.
    mutating func push(_ isObject: Bool) -> Bool {
      guard count < JSONText.depthMax else { return false }
      if count > 0, count.isMultiple(of: 64) { outer.append(bits) }
      bits = bits << 1 | (isObject ? 1 : 0)
      count += 1
      return true
    }

    mutating func pop() {
      count -= 1
      bits >>= 1
      if count > 0, count.isMultiple(of: 64) { bits = outer.removeLast() }
    }
  }
}
