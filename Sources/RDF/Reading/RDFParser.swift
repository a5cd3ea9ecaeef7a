import DaybookEventCore

/// What reads all formats: the place in the file, and what it has declared.
///
/// Nothing calls itself for what is nested, so a file cannot use up the stack of the thread.
struct RDFParser {
  /// What can stand next.
  enum Expected {
    /// A statement, a directive, a graph, or the end.
    case statement
    case verb
    /// After brackets as the subject: a verb, or the end of the statement.
    case verbOrEnd
    /// After a semicolon: a verb, another semicolon, or the end of what is said of the subject.
    case verbOrMore
    case object
    case afterObject
    case item
    case end
  }

  /// A subject of which something is being said, or a list.
  struct Nest {
    enum Kind { case statement, brackets, list }
    var kind: Kind
    /// The subject; of a list the latest cell, or the first if there is no item yet.
    var subject: RDFSubject
    var predicate: IRI = .rdfType
    /// Whether the brackets or the list are the subject of a statement.
    var isSubject = false
    /// Whether a list has an item.
    var hasItem = false
  }

  /// How deep brackets and lists may be nested.
  static let depthMax = 100_000

  let format: RDFFormat
  var window: ByteWindow
  var base: IRIBase?
  var namespaces: [RDFText: String] = [:]
  var iris = IRICache()
  var expected = Expected.statement
  var nests: [Nest] = []
  var isInGraph = false
  var graph: RDFSubject?
  /// Statements that were read, the next one first from `nextReady`.
  private var ready: [RDFStatement] = []
  private var nextReady = 0
  private var blankCount: UInt64 = 0
  private var hasBegun = false

  init(_ format: RDFFormat, base: IRI?, read: @escaping (Int) throws -> [UInt8]) {
    self.format = format
    self.base = base.map { IRIBase($0) }
    window = ByteWindow(read)
  }

  /// Reads the next statement; nil at the end.
  mutating func next() throws(RDFError) -> RDFStatement? {
    if !hasBegun { try begin() }
    if format.isLines { return try line() }
    while nextReady == ready.count {
      ready.removeAll(keepingCapacity: true)
      nextReady = 0
      if expected == .end { return nil }
      try step()
    }
    nextReady += 1
    return ready[nextReady - 1]
  }

  /// Skips the byte order mark that some editors write.
  private mutating func begin() throws(RDFError) {
    hasBegun = true
    if try window.byte(0) >= 0x80, window.scalar(0).value == 0xFEFF { window.advance(3) }
  }

  mutating func emit(_ subject: RDFSubject, _ predicate: IRI, _ object: RDFTerm) {
    ready.append(RDFStatement(subject, predicate, object, in: graph))
  }

  /// Returns a blank node that the file has no label for.
  mutating func anonymous() -> BlankNode {
    blankCount += 1
    return BlankNode(checked: "anon\(blankCount)")
  }

  /// Returns the error of a character that cannot stand here.
  mutating func unexpected(_ wanted: String, _ offset: Int = 0) throws(RDFError) -> RDFError {
    let byte = try window.byte(offset)
    if byte == 0, window.hasEnded(at: offset) {
      return RDFError(
        .unexpectedEnd, "the text ends where there should be \(wanted)", at: window.place(offset),
        hint: "Check whether the file is complete")
    }
    let found = CharacterNames.name(window.scalar(offset).value)
    return RDFError(
      .syntax, "there should be \(wanted), and there is \(found)", at: window.place(offset))
  }

  mutating func expect(_ byte: UInt8, _ wanted: String) throws(RDFError) {
    guard try window.byte(0) == byte else { throw try unexpected(wanted) }
    window.advance(1)
  }

  /// Skips white space and comments.
  mutating func skipSpace() throws(RDFError) {
    while true {
      switch try window.byte(0) {
      case 0x20, 0x0A, 0x0D, 0x09: window.advance(1)
      case UInt8(ascii: "#"): try skipComment()
      default: return
      }
    }
  }

  /// Skips to the end of the line.
  mutating func skipComment() throws(RDFError) {
    while true {
      switch try window.byte(0) {
      case 0x0A, 0x0D: return
      case 0 where window.hasEnded(at: 0): return
      default: window.advance(1)
      }
    }
  }
}
