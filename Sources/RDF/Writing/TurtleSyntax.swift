import DaybookEventCore

/// The shorter spellings of terms in Turtle and TriG.
struct TurtleSyntax {
  private let prefixes: [RDFText: String]

  /// - Throws: ``RDFError`` `.syntax` if a prefix is none.
  init(_ prefixes: [String: IRI]) throws(RDFError) {
    var known: [RDFText: String] = [:]
    for (prefix, namespace) in prefixes.sorted(by: { $0.key < $1.key }) {
      guard Self.isPrefix(prefix) else {
        throw RDFError(
          .syntax, "\(prefix.quotedForMessage) cannot be a prefix",
          hint: "Use letters, digits, - and _, a letter first, without the colon")
      }
      known[RDFText(namespace.string)] = prefix
    }
    self.prefixes = known
  }

  private static func isPrefix(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    guard let first = scalars.first, let last = scalars.last else { return true }
    return NameCharacters.isBase(first.value) && last != "."
      && scalars.allSatisfy { NameCharacters.isInner($0.value) || $0 == "." }
  }

  func write(_ term: RDFTerm, to bytes: inout [UInt8]) {
    switch term {
    case .iri(let iri): write(iri, to: &bytes)
    case .blank(let node): LineSyntax.write(node, to: &bytes)
    case .literal(let literal):
      if Self.isShort(literal) {
        bytes += literal.text.utf8
        return
      }
      LineSyntax.writeText(literal.text, to: &bytes)
      if let language = literal.language {
        bytes.append(UInt8(ascii: "@"))
        bytes += language.utf8
      } else if literal.datatype != .xsdString {
        bytes += [UInt8(ascii: "^"), UInt8(ascii: "^")]
        write(literal.datatype, to: &bytes)
      }
    }
  }

  /// Writes an IRI, with a prefix if its namespace has one and the rest is a plain name.
  func write(_ iri: IRI, to bytes: inout [UInt8]) {
    let string = iri.string
    let scalars = string.unicodeScalars
    let start =
      scalars.lastIndex { !NameCharacters.isInner($0.value) }.map(scalars.index(after:))
      ?? scalars.startIndex
    let name = scalars[start...]
    if name.first.map({ NameCharacters.isLabelStart($0.value) }) ?? true,
      let prefix = prefixes[RDFText(String(scalars[..<start]))]
    {
      bytes += prefix.utf8
      bytes.append(UInt8(ascii: ":"))
      bytes += String(name).utf8
    } else {
      LineSyntax.write(iri, to: &bytes)
    }
  }

  /// Whether a literal can be written without quotes.
  private static func isShort(_ literal: RDFLiteral) -> Bool {
    switch literal.datatype {
    case .xsdBoolean: return literal.text.isSame(as: "true") || literal.text.isSame(as: "false")
    case .xsdInteger, .xsdDecimal, .xsdDouble: break
    default: return false
    }
    var parser = RDFParser(.turtle, base: nil, read: { _ in [] })
    parser.window = ByteWindow(Array(literal.text.utf8))
    guard let number = try? parser.number(), let rest = try? parser.window.byte(0) else {
      return false
    }
    return rest == 0 && parser.window.hasEnded(at: 0) && number == literal
  }
}
