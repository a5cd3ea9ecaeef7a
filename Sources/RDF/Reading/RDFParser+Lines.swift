extension RDFParser {
  /// Skips spaces and tabs.
  mutating func skipBlanks() throws(RDFError) {
    while true {
      switch try window.byte(0) {
      case 0x20, 0x09: window.advance(1)
      default: return
      }
    }
  }

  /// Reads the next statement of N-Triples or N-Quads; nil at the end.
  mutating func line() throws(RDFError) -> RDFStatement? {
    while true {
      try skipBlanks()
      switch try window.byte(0) {
      case 0x0A, 0x0D: window.advance(1)
      case UInt8(ascii: "#"): try skipComment()
      case 0 where window.hasEnded(at: 0): return nil
      default: return try lineStatement()
      }
    }
  }

  private mutating func lineStatement() throws(RDFError) -> RDFStatement {
    let subject = try lineSubject("a subject: an IRI in < >, or a blank node")
    try skipBlanks()
    guard try window.byte(0) == UInt8(ascii: "<") else {
      throw try unexpected("a predicate: an IRI in < >")
    }
    let predicate = try iriReference()
    try skipBlanks()
    let object =
      try window.byte(0) == UInt8(ascii: "\"")
      ? RDFTerm.literal(try literal())
      : RDFTerm(try lineSubject("an object: an IRI in < >, a blank node, or a text in \" \""))
    try skipBlanks()
    var graph: RDFSubject?
    if format == .nquads {
      switch try window.byte(0) {
      case UInt8(ascii: "<"), UInt8(ascii: "_"): graph = try lineSubject("a graph")
      default: break
      }
      try skipBlanks()
    }
    try expect(UInt8(ascii: "."), "a dot after the statement")
    try skipBlanks()
    switch try window.byte(0) {
    case 0x0A, 0x0D: break
    case UInt8(ascii: "#"): try skipComment()
    case 0 where window.hasEnded(at: 0): break
    default: throw try unexpected("the end of the line: \(format.name) has one statement a line")
    }
    return RDFStatement(subject, predicate, object, in: graph)
  }

  private mutating func lineSubject(_ wanted: String) throws(RDFError) -> RDFSubject {
    switch try window.byte(0) {
    case UInt8(ascii: "<"): return .iri(try iriReference())
    case UInt8(ascii: "_"): return .blank(try blankNode())
    default: throw try unexpected(wanted)
    }
  }
}
