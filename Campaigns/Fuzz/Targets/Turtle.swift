import DaybookRDF

extension FuzzTarget {
  /// A file in Turtle, TriG, N-Triples or N-Quads.
  ///
  /// Its first byte selects the format and the size of the pieces in which it is read.
  static let turtle = FuzzTarget("turtle") {
    [
      "\0@prefix : <http://x/> . @base <http://y/> .\n:a :p \"b\\u00E9\\n\"@en-us , "
        + "'c'^^:d ; a :C .",
      "\u{4}PREFIX p: <a#> BASE <../b> p:a.b <c> ( 1 -2.5   .1e3 true ) , "
        + "[ p:q \"\"\"x\n\"y\"\"\" ] .",
      "\u{8}[ <p> [] ] . () <q> _:a.b, p:\\~%41 . # end",
      "\u{1}@prefix : <http://x/> . { :a :p 1 } :g { :a :p ( ) . } GRAPH _:h { } [] { [:p :q] }",
      "\u{2}<http://x/a> <http://x/p> \"b\\t\"^^<http://x/c> . # d\r\n_:a <http://x/p> _:b .\n",
      "\u{3}<http://x/a> <http://x/p> \"b\"@en-x-y _:g .\n<a:b> <a:c> <a:d> <a:e>.",
      "\u{10}\u{FEFF}<http://x/\u{E9}\\U0001F600> <http://[::1]:80/?\u{E000}#%20> '\u{1F600}' .",
    ].map { Array($0.utf8) }
  } check: { bytes in
    let settings = bytes.first ?? 0
    let format = RDFFormat.allCases[Int(settings & 3)]
    let content = Array(bytes.dropFirst())
    let whole = RDFReading(content, format, piece: max(content.count, 1))
    let pieces = RDFReading(content, format, piece: 1 + Int(settings >> 2))
    try require(
      whole.statements == pieces.statements && whole.failure == pieces.failure,
      "another cut of the bytes reads as something else")
    if let failure = whole.failure {
      try require(failure.line != nil && failure.column != nil, "\(failure) has no place")
    }
    for other in RDFFormat.allCases {
      var statements = whole.statements
      if !other.hasGraphs { for index in statements.indices { statements[index].graph = nil } }
      let text = try RDFWriter.text(
        statements, other, prefixes: ["": IRI("http://x/"), "p": IRI("http://y/a#")])
      let again = RDFReading(Array(text.utf8), other, piece: 4096)
      try require(again.failure == nil, "what is written in \(other.name) is no \(other.name)")
      // A blank node's label is changed if it could be one of an anonymous node.
      try require(
        again.statements.map(\.withoutLabels) == statements.map(\.withoutLabels),
        "what is written in \(other.name) reads as something else")
    }
  }
}

/// The statements and the failure that a reader finds in a file.
private struct RDFReading {
  var statements: [RDFStatement] = []
  var failure: RDFError?

  init(_ content: [UInt8], _ format: RDFFormat, piece: Int) {
    var rest = content[...]
    let reader = RDFReader(format, base: try? IRI("http://y/z")) { count in
      let next = rest.prefix(min(count, piece))
      rest = rest.dropFirst(next.count)
      return Array(next)
    }
    do throws(RDFError) {
      while let statement = try reader.next() { statements.append(statement) }
    } catch { failure = error }
  }
}

extension RDFStatement {
  /// The statement with all blank nodes alike, as a line.
  fileprivate var withoutLabels: String {
    func plain(_ term: RDFTerm) -> String { if case .blank = term { "_" } else { "\(term)" } }
    let name = graph.map { plain(RDFTerm($0)) } ?? ""
    return "\(plain(RDFTerm(subject))) \(predicate) \(plain(object)) \(name)"
  }
}
