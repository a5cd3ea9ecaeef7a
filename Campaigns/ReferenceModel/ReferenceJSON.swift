/// The grammar of RFC 8259, implemented rule by rule and independently of the store's parser.
enum ReferenceJSON {
  static func isValid(_ bytes: [UInt8]) -> Bool {
    var text = Text(rest: bytes[...])
    text.space()
    guard text.value(depth: 0) else { return false }
    text.space()
    return text.rest.isEmpty
  }

  private struct Text {
    var rest: ArraySlice<UInt8>

    mutating func space() { rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }

    mutating func take(_ text: String) -> Bool {
      guard rest.starts(with: text.utf8) else { return false }
      rest = rest.dropFirst(text.utf8.count)
      return true
    }

    mutating func value(depth: Int) -> Bool {
      if take("null") || take("true") || take("false") { return true }
      if rest.first == UInt8(ascii: "\"") { return string() }
      if take("{") {
        return depth < 1000
          && list("}") { text in
            guard text.string() else { return false }
            text.space()
            guard text.take(":") else { return false }
            text.space()
            return text.value(depth: depth + 1)
          }
      }
      if take("[") { return depth < 1000 && list("]") { $0.value(depth: depth + 1) } }
      return number()
    }

    mutating func list(_ end: String, _ element: (inout Text) -> Bool) -> Bool {
      space()
      if take(end) { return true }
      repeat {
        space()
        guard element(&self) else { return false }
        space()
      } while take(",")
      return take(end)
    }

    mutating func string() -> Bool {
      guard take("\"") else { return false }
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "\"") { return true }
        if byte < 0x20 { return false }
        guard byte == UInt8(ascii: "\\") else { continue }
        guard let kind = rest.popFirst(), "\"\\/bfnrtu".utf8.contains(kind) else { return false }
        guard kind == UInt8(ascii: "u") else { continue }
        let digits = rest.prefix(4)
        guard digits.count == 4,
          digits.allSatisfy({ "0123456789abcdefABCDEF".utf8.contains($0) })
        else { return false }
        rest = rest.dropFirst(4)
      }
      return false
    }

    mutating func number() -> Bool {
      _ = take("-")
      if !take("0") { guard digits() else { return false } }
      if take(".") { guard digits() else { return false } }
      guard take("e") || take("E") else { return true }
      if !take("+") { _ = take("-") }
      return digits()
    }

    mutating func digits() -> Bool {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest.dropFirst(digits.count)
      return !digits.isEmpty
    }
  }
}
