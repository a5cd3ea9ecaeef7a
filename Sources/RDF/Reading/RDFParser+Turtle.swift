extension RDFParser {
  /// Reads one part of a file in Turtle or TriG.
  mutating func step() throws(RDFError) {
    try skipSpace()
    switch expected {
    case .statement: try statement()
    case .verb: try verb()
    case .verbOrEnd: if try !end() { try verb() }
    case .verbOrMore:
      if try window.byte(0) == UInt8(ascii: ";") {
        window.advance(1)
      } else if try !end() {
        try verb()
      }
    case .object: try object()
    case .afterObject: try afterObject()
    case .item:
      if try window.byte(0) == UInt8(ascii: ")") { try endList() } else { try object() }
    case .end: break
    }
  }

  // MARK: - Subjects

  private mutating func statement() throws(RDFError) {
    switch try window.byte(0) {
    case 0 where window.hasEnded(at: 0) && !isInGraph: expected = .end
    case UInt8(ascii: "@") where !isInGraph: try directive()
    case UInt8(ascii: "{") where format == .trig && !isInGraph: openGraph(nil)
    case UInt8(ascii: "}") where isInGraph: closeGraph()
    case UInt8(ascii: "<"): try begin(.iri(try iriReference()))
    case UInt8(ascii: "_"): try begin(.blank(try blankNode()))
    case UInt8(ascii: "["):
      window.advance(1)
      let node = RDFSubject.blank(anonymous())
      try skipSpace()
      if try window.byte(0) == UInt8(ascii: "]") {
        window.advance(1)
        return try begin(node)
      }
      try push(Nest(kind: .statement, subject: node))
      try push(Nest(kind: .brackets, subject: node, isSubject: true))
      expected = .verb
    case UInt8(ascii: "("): try beginList()
    default:
      switch try word(isInGraph ? "a subject, or the } of the graph" : "a subject") {
      case .name(let iri): try begin(.iri(iri))
      case .bare(let text): try keyword(text)
      }
    }
  }

  /// Begins a statement about a subject, or the graph that the subject names.
  private mutating func begin(_ subject: RDFSubject) throws(RDFError) {
    if format == .trig, !isInGraph {
      try skipSpace()
      if try window.byte(0) == UInt8(ascii: "{") { return openGraph(subject) }
    }
    try push(Nest(kind: .statement, subject: subject))
    expected = .verb
  }

  /// Begins a statement about a list.
  private mutating func beginList() throws(RDFError) {
    window.advance(1)
    try skipSpace()
    guard try window.byte(0) != UInt8(ascii: ")") else {
      window.advance(1)
      try push(Nest(kind: .statement, subject: .iri(.rdfNil)))
      expected = .verb
      return
    }
    let head = RDFSubject.blank(anonymous())
    try push(Nest(kind: .statement, subject: head))
    try push(Nest(kind: .list, subject: head, isSubject: true))
    expected = .item
  }

  private mutating func push(_ nest: Nest) throws(RDFError) {
    guard nests.count < Self.depthMax else {
      throw RDFError(
        .tooLarge, "brackets and lists are nested deeper than \(Self.depthMax)",
        at: window.place())
    }
    nests.append(nest)
  }

  // MARK: - Predicates

  private mutating func verb() throws(RDFError) {
    let wanted = "a predicate"
    if try window.byte(0) == UInt8(ascii: "<") {
      nests[nests.count - 1].predicate = try iriReference()
    } else {
      switch try word(wanted) {
      case .name(let iri): nests[nests.count - 1].predicate = iri
      case .bare(let text):
        guard text == "a" else { throw try unexpected("a predicate, that is an IRI or the word a") }
        window.advance(1)
        nests[nests.count - 1].predicate = .rdfType
      }
    }
    expected = .object
  }

  // MARK: - Objects

  private mutating func object() throws(RDFError) {
    switch try window.byte(0) {
    case UInt8(ascii: "<"): accept(.iri(try iriReference()))
    case UInt8(ascii: "_"): accept(.blank(try blankNode()))
    case UInt8(ascii: "\""), UInt8(ascii: "'"): accept(.literal(try literal()))
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      accept(.literal(try number()))
    case UInt8(ascii: "["):
      window.advance(1)
      let node = anonymous()
      accept(.blank(node))
      try skipSpace()
      if try window.byte(0) == UInt8(ascii: "]") { return window.advance(1) }
      try push(Nest(kind: .brackets, subject: .blank(node)))
      expected = .verb
    case UInt8(ascii: "("):
      window.advance(1)
      try skipSpace()
      if try window.byte(0) == UInt8(ascii: ")") {
        window.advance(1)
        return accept(.iri(.rdfNil))
      }
      let head = anonymous()
      accept(.blank(head))
      try push(Nest(kind: .list, subject: .blank(head)))
      expected = .item
    default:
      let wanted = "an object: an IRI, a blank node, a text in quotes, or a number"
      switch try word(wanted) {
      case .name(let iri): accept(.iri(iri))
      case .bare(let text):
        guard text == "true" || text == "false" else { throw try unexpected(wanted) }
        window.advance(text.utf8.count)
        accept(.literal(RDFLiteral(text, checked: .xsdBoolean)))
      }
    }
  }

  /// Takes an object of the predicate, or an item of the list, that is being read.
  private mutating func accept(_ term: RDFTerm) {
    let top = nests.count - 1
    let nest = nests[top]
    guard nest.kind == .list else {
      emit(nest.subject, nest.predicate, term)
      expected = .afterObject
      return
    }
    var cell = nest.subject
    if nest.hasItem {
      let next = anonymous()
      emit(cell, .rdfRest, .blank(next))
      cell = .blank(next)
      nests[top].subject = cell
    }
    nests[top].hasItem = true
    emit(cell, .rdfFirst, term)
    expected = .item
  }

  private mutating func endList() throws(RDFError) {
    window.advance(1)
    guard let list = nests.popLast() else { return }
    emit(list.subject, .rdfRest, .iri(.rdfNil))
    resume(after: list)
  }

  /// Goes on behind brackets or a list.
  private mutating func resume(after nest: Nest) {
    if nest.isSubject {
      expected = nest.kind == .brackets ? .verbOrEnd : .verb
    } else {
      expected = nests.last?.kind == .list ? .item : .afterObject
    }
  }

  private mutating func afterObject() throws(RDFError) {
    switch try window.byte(0) {
    case UInt8(ascii: ","):
      window.advance(1)
      expected = .object
    case UInt8(ascii: ";"):
      window.advance(1)
      expected = .verbOrMore
    default:
      guard try !end() else { return }
      throw try unexpected(
        nests.last?.kind == .brackets
          ? "one of , ; ]" : isInGraph ? "one of , ; . }" : "one of , ; .")
    }
  }

  /// Ends what is said of a subject, if that is what follows.
  private mutating func end() throws(RDFError) -> Bool {
    switch (try window.byte(0), nests.last?.kind) {
    case (UInt8(ascii: "."), .statement):
      window.advance(1)
      nests.removeLast()
      expected = .statement
    case (UInt8(ascii: "}"), .statement) where isInGraph:
      nests.removeLast()
      closeGraph()
    case (UInt8(ascii: "]"), .brackets):
      window.advance(1)
      if let nest = nests.popLast() { resume(after: nest) }
    default: return false
    }
    return true
  }

  // MARK: - Graphs

  private mutating func openGraph(_ name: RDFSubject?) {
    window.advance(1)
    (isInGraph, graph, expected) = (true, name, .statement)
  }

  private mutating func closeGraph() {
    window.advance(1)
    (isInGraph, graph, expected) = (false, nil, .statement)
  }

  // MARK: - Directives

  /// Reads `@prefix` or `@base`.
  private mutating func directive() throws(RDFError) {
    let end = try tagEnd()
    switch window.text(1, end) {
    case "prefix":
      window.advance(end)
      try declarePrefix()
    case "base":
      window.advance(end)
      try declareBase()
    default: throw try unexpected("@prefix or @base", 1)
    }
    try skipSpace()
    try expect(UInt8(ascii: "."), "a dot after the directive")
  }

  /// Reads what a word without a colon begins.
  private mutating func keyword(_ word: String) throws(RDFError) {
    switch word.lowercased() {
    case "prefix" where !isInGraph:
      window.advance(word.utf8.count)
      try declarePrefix()
    case "base" where !isInGraph:
      window.advance(word.utf8.count)
      try declareBase()
    case "graph" where format == .trig && !isInGraph:
      window.advance(word.utf8.count)
      try namedGraph()
    default: throw try unexpected("a subject, that is an IRI or a blank node")
    }
  }

  private mutating func declarePrefix() throws(RDFError) {
    try skipSpace()
    let prefix = try prefix()
    namespaces[RDFText(prefix)] = try directiveIRI().string
  }

  private mutating func declareBase() throws(RDFError) {
    base = IRIBase(try directiveIRI())
  }

  private mutating func directiveIRI() throws(RDFError) -> IRI {
    try skipSpace()
    guard try window.byte(0) == UInt8(ascii: "<") else { throw try unexpected("an IRI in < >") }
    return try iriReference()
  }

  /// Reads the name of a graph behind the word GRAPH, and opens it.
  private mutating func namedGraph() throws(RDFError) {
    try skipSpace()
    let wanted = "the name of a graph"
    let name: RDFSubject
    switch try window.byte(0) {
    case UInt8(ascii: "<"): name = .iri(try iriReference())
    case UInt8(ascii: "_"): name = .blank(try blankNode())
    case UInt8(ascii: "["):
      window.advance(1)
      try skipSpace()
      try expect(UInt8(ascii: "]"), "the ] of a graph without a name")
      name = .blank(anonymous())
    default:
      guard case .name(let iri) = try word(wanted) else { throw try unexpected(wanted) }
      name = .iri(iri)
    }
    try skipSpace()
    guard try window.byte(0) == UInt8(ascii: "{") else {
      throw try unexpected("the { of a graph")
    }
    openGraph(name)
  }
}
