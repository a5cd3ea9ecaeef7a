/// The canonical spelling of terms and statements in N-Triples and N-Quads.
enum LineSyntax {
  static func write(_ statement: RDFStatement, to bytes: inout [UInt8]) {
    write(RDFTerm(statement.subject), to: &bytes)
    bytes.append(UInt8(ascii: " "))
    write(.iri(statement.predicate), to: &bytes)
    bytes.append(UInt8(ascii: " "))
    write(statement.object, to: &bytes)
    if let graph = statement.graph {
      bytes.append(UInt8(ascii: " "))
      write(RDFTerm(graph), to: &bytes)
    }
    bytes += [UInt8(ascii: " "), UInt8(ascii: ".")]
  }

  static func write(_ term: RDFTerm, to bytes: inout [UInt8]) {
    switch term {
    case .iri(let iri): write(iri, to: &bytes)
    case .blank(let node): write(node, to: &bytes)
    case .literal(let literal):
      writeText(literal.text, to: &bytes)
      if let language = literal.language {
        bytes.append(UInt8(ascii: "@"))
        bytes += language.utf8
      } else if literal.datatype != .xsdString {
        bytes += [UInt8(ascii: "^"), UInt8(ascii: "^")]
        write(literal.datatype, to: &bytes)
      }
    }
  }

  static func write(_ iri: IRI, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "<"))
    bytes += iri.string.utf8
    bytes.append(UInt8(ascii: ">"))
  }

  static func write(_ node: BlankNode, to bytes: inout [UInt8]) {
    bytes += [UInt8(ascii: "_"), UInt8(ascii: ":")]
    bytes += node.label.utf8
  }

  /// Writes a text in quotes, on one line.
  static func writeText(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
      case 0x0D: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
