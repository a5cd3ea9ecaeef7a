/// A writer of RDF, statement by statement.
///
/// It writes what ``RDFReader`` reads again as the same statements. In Turtle and TriG it groups
/// statements that follow one another, so sorted input gives the shortest file.
///
///     var writer = try RDFWriter(.turtle, prefixes: ["ex": ex]) { output += $0 }
///     try writer.write(RDFStatement(.iri(milk), .rdfType, .iri(drink)))
///     try writer.finish()
public struct RDFWriter {
  /// The format that is written.
  public let format: RDFFormat
  private let syntax: TurtleSyntax
  private let sink: ([UInt8]) throws -> Void
  private var buffer: [UInt8] = []
  /// The statement that the file ends with so far, without its dot; nil if there is none.
  private var latest: RDFStatement?

  private static let bufferBytes = 1 << 16

  /// Makes a writer.
  ///
  /// - Parameters:
  ///   - prefixes: the prefixes to declare and use in Turtle and TriG, without their colons, with
  ///     their namespaces. A namespace is used if it ends in a character that no name has, such as
  ///     `/` or `#`.
  ///   - write: takes the next bytes of the file.
  /// - Throws: ``RDFError`` `.syntax` if a prefix is none.
  public init(
    _ format: RDFFormat, prefixes: [String: IRI] = [:], write: @escaping ([UInt8]) throws -> Void
  ) throws(RDFError) {
    self.format = format
    syntax = try TurtleSyntax(prefixes)
    sink = write
    guard !format.isLines, !prefixes.isEmpty else { return }
    for (prefix, namespace) in prefixes.sorted(by: { $0.key < $1.key }) {
      buffer += "@prefix \(prefix): ".utf8
      LineSyntax.write(namespace, to: &buffer)
      buffer += " .\n".utf8
    }
    buffer += "\n".utf8
  }

  /// Writes a statement.
  ///
  /// - Throws: ``RDFError`` `.noGraphs` if it is in a graph and the format has none, and then
  ///   nothing is written; `.inputOutput` if the bytes cannot be written.
  public mutating func write(_ statement: RDFStatement) throws(RDFError) {
    if let graph = statement.graph, !format.hasGraphs {
      throw RDFError(
        .noGraphs, "\(format.name) has no graphs, and the statement is in \(graph)",
        hint: "Use \(format == .turtle ? "TriG" : "N-Quads")")
    }
    if format.isLines {
      LineSyntax.write(statement, to: &buffer)
      buffer += "\n".utf8
    } else {
      group(statement)
    }
    if buffer.count >= Self.bufferBytes { try flush() }
  }

  /// Writes the end of the file.
  ///
  /// - Throws: ``RDFError`` `.inputOutput` if the bytes cannot be written.
  public mutating func finish() throws(RDFError) {
    if let latest { end(latest, leavesGraph: true) }
    latest = nil
    try flush()
  }

  /// Returns the file of some statements as a text.
  public static func text(
    _ statements: some Sequence<RDFStatement>, _ format: RDFFormat, prefixes: [String: IRI] = [:]
  ) throws(RDFError) -> String {
    let bytes = Bytes()
    var writer = try RDFWriter(format, prefixes: prefixes) { bytes.all += $0 }
    for statement in statements { try writer.write(statement) }
    try writer.finish()
    return String(decoding: bytes.all, as: UTF8.self)
  }

  private final class Bytes {
    var all: [UInt8] = []
  }

  private mutating func flush() throws(RDFError) {
    guard !buffer.isEmpty else { return }
    do { try sink(buffer) } catch {
      throw RDFError(.inputOutput, "the file cannot be written on: \(error)")
    }
    buffer.removeAll(keepingCapacity: true)
  }

  // MARK: - Turtle and TriG

  /// Writes a statement behind the latest, without what they have in common.
  private mutating func group(_ statement: RDFStatement) {
    defer { latest = statement }
    if let latest, latest.graph == statement.graph, latest.subject == statement.subject {
      if latest.predicate == statement.predicate {
        buffer += " ,\n    ".utf8
      } else {
        buffer += " ;\n  ".utf8
        write(verb: statement.predicate)
      }
      return syntax.write(statement.object, to: &buffer)
    }
    let entersGraph = latest?.graph != statement.graph
    if let latest { end(latest, leavesGraph: entersGraph) }
    if entersGraph, let graph = statement.graph {
      syntax.write(RDFTerm(graph), to: &buffer)
      buffer += " {\n".utf8
    }
    syntax.write(RDFTerm(statement.subject), to: &buffer)
    buffer.append(UInt8(ascii: " "))
    write(verb: statement.predicate)
    syntax.write(statement.object, to: &buffer)
  }

  private mutating func write(verb: IRI) {
    if verb == .rdfType {
      buffer.append(UInt8(ascii: "a"))
    } else {
      syntax.write(verb, to: &buffer)
    }
    buffer.append(UInt8(ascii: " "))
  }

  /// Ends what is said of a subject and, if another graph follows, the graph.
  private mutating func end(_ statement: RDFStatement, leavesGraph: Bool) {
    buffer += " .\n".utf8
    if leavesGraph, statement.graph != nil { buffer += "}\n".utf8 }
  }
}
