/// The characters of names in Turtle and its relatives (`PN_CHARS` and its parts).
enum NameCharacters {
  /// Whether a name can begin with the scalar: `PN_CHARS_BASE`.
  static func isBase(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x41...0x5A, 0x61...0x7A, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D,
      0x37F...0x1FFF, 0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF,
      0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x1_0000...0xE_FFFF:
      true
    default: false
    }
  }

  /// Whether the scalar can stand within a name: `PN_CHARS`.
  static func isInner(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x30...0x39, 0x5F, 0x2D, 0xB7, 0x300...0x36F, 0x203F...0x2040: true
    default: isBase(scalar)
    }
  }

  /// Whether a blank node's label can begin with the scalar.
  static func isLabelStart(_ scalar: UInt32) -> Bool {
    scalar == 0x5F || (0x30...0x39).contains(scalar) || isBase(scalar)
  }

  /// Whether the text can be the label of a blank node.
  static func isLabel(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    guard let first = scalars.first, let last = scalars.last else { return false }
    return isLabelStart(first.value) && last != "."
      && scalars.allSatisfy { isInner($0.value) || $0 == "." }
  }
}
