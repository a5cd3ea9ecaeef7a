import DaybookEventCore

extension RDFParser {
  /// A word without a colon, or the IRI that a name with one stands for.
  enum Word {
    case bare(String)
    case name(IRI)
  }

  // MARK: - IRIs

  /// Reads an IRI between angle brackets, which begins here.
  mutating func iriReference() throws(RDFError) -> IRI {
    var offset = 1
    var hasEscape = false
    scan: while true {
      switch try window.byte(offset) {
      case UInt8(ascii: ">"): break scan
      case UInt8(ascii: "\\"): hasEscape = true
      case 0...0x20, UInt8(ascii: "<"), UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "}"),
        UInt8(ascii: "|"), UInt8(ascii: "^"), UInt8(ascii: "`"):
        throw try badCharacter(offset)
      default: break
      }
      offset += 1
    }
    let iri = hasEscape ? try escapedIRI(offset) : try plainIRI(offset)
    window.advance(offset + 1)
    return iri
  }

  /// Returns the error of a character that no IRI has.
  private mutating func badCharacter(_ offset: Int) throws(RDFError) -> RDFError {
    if try window.byte(offset) == 0, window.hasEnded(at: offset) {
      return try unexpected("the > of an IRI", offset)
    }
    let found = CharacterNames.name(window.scalar(offset).value)
    return RDFError(
      .badIRI, "an IRI cannot have \(found)", at: window.place(offset),
      hint: "Write it percent-encoded, or close the IRI with >")
  }

  private mutating func plainIRI(_ end: Int) throws(RDFError) -> IRI {
    let hash = window.withBytes(1, end) { IRICache.hash($0) }
    if let iri = window.withBytes(1, end, { iris.find($0, hash) }) { return iri }
    let isAbsolute = window.withBytes(1, end) { IRISyntax.schemeEnd($0) != nil }
    guard isAbsolute else { return try resolved(Array(window.slice(1, end))) }
    if let problem = window.withBytes(1, end, { IRISyntax.problem(in: $0) }) {
      throw badIRI(problem.message, window.place(1 + problem.offset))
    }
    let iri = IRI(checked: window.text(1, end))
    iris.insert(iri, hash)
    return iri
  }

  private mutating func escapedIRI(_ end: Int) throws(RDFError) -> IRI {
    let bytes = try unescaped(1, end, isIRI: true)
    if IRISyntax.schemeEnd(bytes) == nil { return try resolved(bytes) }
    if let problem = bytes.withUnsafeBufferPointer({ IRISyntax.problem(in: $0) }) {
      throw badIRI(problem.message, window.place())
    }
    return IRI(checked: String(decoding: bytes, as: UTF8.self))
  }

  /// Resolves a relative reference against the base.
  private func resolved(_ reference: [UInt8]) throws(RDFError) -> IRI {
    guard !format.isLines else {
      throw badIRI("\(format.name) has no relative IRIs", window.place())
    }
    guard let base else {
      throw RDFError(
        .badIRI, "the IRI is relative, and there is no base", at: window.place(),
        hint: "Declare one with @base, or say the file's IRI")
    }
    guard IRISyntax.isReference(reference) else {
      throw badIRI("what is before : is no scheme", window.place())
    }
    let bytes = base.resolve(reference)
    if let problem = bytes.withUnsafeBufferPointer({ IRISyntax.problem(in: $0) }) {
      throw badIRI(problem.message, window.place())
    }
    return IRI(checked: String(decoding: bytes, as: UTF8.self))
  }

  private func badIRI(_ message: String, _ place: TextPlace) -> RDFError {
    RDFError(.badIRI, "this is no IRI: \(message)", at: place)
  }

  // MARK: - Prefixed names

  /// Reads a word, or a name with a prefix.
  mutating func word(_ wanted: String) throws(RDFError) -> Word {
    let colon = try prefixEnd(wanted)
    guard try window.byte(colon) == UInt8(ascii: ":") else {
      let text = window.text(0, colon)
      return .bare(text)
    }
    let prefix = window.text(0, colon)
    guard let namespace = namespaces[RDFText(prefix)] else {
      throw RDFError(
        .undeclaredPrefix, "the prefix \((prefix + ":").quotedForMessage) is not declared",
        at: window.place(), hint: "Declare it before: @prefix \(prefix): <…> .")
    }
    let (end, hasEscape) = try localEnd(colon + 1)
    var bytes = Array(namespace.utf8)
    for byte in window.slice(colon + 1, end) where !hasEscape || byte != UInt8(ascii: "\\") {
      bytes.append(byte)
    }
    let hash = bytes.withUnsafeBufferPointer { IRICache.hash($0) }
    if let iri = bytes.withUnsafeBufferPointer({ iris.find($0, hash) }) {
      window.advance(end)
      return .name(iri)
    }
    if let problem = bytes.withUnsafeBufferPointer({ IRISyntax.problem(in: $0) }) {
      throw badIRI(problem.message, window.place())
    }
    let iri = IRI(checked: String(decoding: bytes, as: UTF8.self))
    iris.insert(iri, hash)
    window.advance(end)
    return .name(iri)
  }

  /// Reads a prefix in a directive, with its colon.
  mutating func prefix() throws(RDFError) -> String {
    let wanted = "a prefix, such as ex:"
    let colon = try prefixEnd(wanted)
    guard try window.byte(colon) == UInt8(ascii: ":") else { throw try unexpected(wanted, colon) }
    let prefix = window.text(0, colon)
    window.advance(colon + 1)
    return prefix
  }

  /// Returns the end of the word that begins here. It may be empty if a colon follows.
  private mutating func prefixEnd(_ wanted: String) throws(RDFError) -> Int {
    var (offset, end) = (0, 0)
    while true {
      let byte = try window.byte(offset)
      if byte == UInt8(ascii: ".") {
        if offset == 0 { break }
        offset += 1
        continue
      }
      guard byte != 0 else { break }
      let scalar = window.scalar(offset)
      guard offset == 0 ? NameCharacters.isBase(scalar.value) : NameCharacters.isInner(scalar.value)
      else { break }
      offset += scalar.count
      end = offset
    }
    let next = try window.byte(offset)
    if offset == 0, next != UInt8(ascii: ":") { throw try unexpected(wanted) }
    if offset > end, next == UInt8(ascii: ":") {
      throw RDFError(.syntax, "a prefix cannot end with a dot", at: window.place(end))
    }
    return end
  }

  /// Returns the end of a local name, and whether it has a backslash. A dot at the end is not
  /// part of it.
  private mutating func localEnd(_ start: Int) throws(RDFError) -> (Int, Bool) {
    var (offset, end) = (start, start)
    var hasEscape = false
    while true {
      let byte = try window.byte(offset)
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"):
        offset += 1
      case UInt8(ascii: "-") where offset > start: offset += 1
      case UInt8(ascii: ".") where offset > start:
        offset += 1
        continue
      case UInt8(ascii: "%"):
        for next in 1...2 {
          guard IRISyntax.isHex(try window.byte(offset + next)) else {
            throw try unexpected("a hexadecimal digit after %", offset + next)
          }
        }
        offset += 3
      case UInt8(ascii: "\\"):
        guard Self.isEscapable(try window.byte(offset + 1)) else {
          throw RDFError(
            .badEscape, "in a name, \\ can only be before one of _~.-!$&'()*+,;=/?#@%",
            at: window.place(offset))
        }
        hasEscape = true
        offset += 2
      case 0x80...:
        let scalar = window.scalar(offset)
        let fits =
          offset == start
          ? NameCharacters.isBase(scalar.value) : NameCharacters.isInner(scalar.value)
        if !fits { return (end, hasEscape) }
        offset += scalar.count
      default: return (end, hasEscape)
      }
      end = offset
    }
  }

  private static func isEscapable(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "!"), UInt8(ascii: "#"),
      UInt8(ascii: "$")...UInt8(ascii: "/"), UInt8(ascii: ";"), UInt8(ascii: "="),
      UInt8(ascii: "?"), UInt8(ascii: "@"):
      true
    default: false
    }
  }

  // MARK: - Blank nodes

  /// Reads a blank node's label, which begins here with `_:`.
  mutating func blankNode() throws(RDFError) -> BlankNode {
    guard try window.byte(1) == UInt8(ascii: ":") else {
      throw try unexpected("a colon after _", 1)
    }
    var (offset, end) = (2, 2)
    while true {
      let byte = try window.byte(offset)
      if byte == UInt8(ascii: "."), offset > 2 {
        offset += 1
        continue
      }
      guard byte != 0 else { break }
      let scalar = window.scalar(offset)
      let fits =
        offset == 2
        ? NameCharacters.isLabelStart(scalar.value) : NameCharacters.isInner(scalar.value)
      guard fits else { break }
      offset += scalar.count
      end = offset
    }
    guard end > 2 else { throw try unexpected("a label after _:", 2) }
    let label = window.text(2, end)
    window.advance(end)
    return BlankNode(checked: Self.renamed(label))
  }

  /// Keeps a file's labels apart from those of ``anonymous()``: `anon1` becomes `anon_1`,
  /// `anon_1` becomes `anon__1`, and so on.
  private static func renamed(_ label: String) -> String {
    guard let rest = label.rest(after: "anon") else { return label }
    let digits = rest.utf8.drop { $0 == UInt8(ascii: "_") }
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return label }
    return "anon_\(rest)"
  }
}
