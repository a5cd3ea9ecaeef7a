import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookOpenGraph
package import DaybookProjections
package import GRDB

/// Which statements of an open graph are wanted; what is not given matches everything.
package struct TripleQuery: Sendable {
  /// The path of the open graph; nil for the main graph.
  var path: String?
  var subject: RDFSubject?
  var predicate: IRI?
  var object: RDFTerm?
  /// The graph of RDF that a statement is in.
  var graph: RDFSubject?

  /// Makes a query of all statements of an open graph.
  package init(in path: String?) { self.path = path }

  /// Returns the graph that a path names.
  /// - Throws: `StoreError` `invalidName` if it is no path.
  static func name(_ path: String?) throws -> GraphName {
    guard let path else { return .main }
    guard let name = GraphName(path: path) else {
      throw StoreError(
        .invalidName, "\(path.quotedForMessage) is not a path of a graph",
        hint: "A path is a graph's name, or /SCHEMA/GRAPH, or / for the main graph")
    }
    return name
  }

  /// Returns the collections of the graph, which are defined if there are statements.
  /// - Throws: `StoreError` `unknownName` if there is no such graph.
  static func collections(_ path: String?, _ db: Database, _ schema: StoreSchema) throws
    -> TripleGraph
  {
    let name = try name(path)
    if let found = try GraphCatalog.collections(ofGraph: name, db, schema) {
      return TripleGraph(found)
    }
    throw missing(name)
  }

  static func missing(_ name: GraphName) -> StoreError {
    StoreError(
      .unknownName, "there is no graph \(name.shown)",
      hint: "Load statements into it, or create it by CREATE GRAPH \(name.shown)")
  }

  /// Writes each statement once, in the order of its terms.
  ///
  /// - Returns: the number of statements.
  /// - Throws: ``RDFError`` `noGraphs`, before anything is written, if a statement is in a graph of
  ///   RDF and the format has none.
  package func write(
    to writer: inout RDFWriter, _ db: Database, _ schema: StoreSchema,
    progress: (Int) -> Void = { _ in }
  ) throws -> Int {
    let collections = try Self.collections(path, db, schema)
    if !writer.format.hasGraphs {
      let inGraph = "t.p_graph IS NOT NULL"
      try read(collections, db, schema, where: inGraph, ending: "LIMIT 1") { _, statement in
        if let statement { try writer.write(statement) }
      }
    }
    var count = 0
    try forEach(in: collections, db, schema) {
      try writer.write($0)
      count += 1
      progress(count)
    }
    return count
  }

  /// Calls `body` with each statement of a graph, once, in the order of its terms.
  /// - Parameter hasGraphs: whether those in graphs of RDF are wanted, too.
  func forEach(
    in collections: TripleGraph, hasGraphs: Bool = true, _ db: Database, _ schema: StoreSchema,
    _ body: (RDFStatement) throws -> Void
  ) throws {
    let order = """
      ORDER BY t.p_graph, s.p_iri, s.p_blank, t.p_predicate, o.p_iri, o.p_blank, o.p_value,
        o.p_language, o.p_datatype
      """
    let condition = hasGraphs ? nil : "t.p_graph IS NULL"
    try read(collections, db, schema, where: condition, ending: order) { _, statement in
      if let statement { try body(statement) }
    }
  }

  /// Reads statements whose ids follow another.
  /// - Parameter nodes: the collection that the pages before were read from; nil for the first.
  /// - Returns: the statements, the id of the last row, nil if there was none, and the collection.
  /// - Throws: `StoreError` `unknownName` if the graph is not there, or is another one of its name.
  func page(
    after id: String, in nodes: String?, _ count: Int, _ db: Database, _ schema: StoreSchema
  ) throws -> (statements: [RDFStatement], last: String?, nodes: String) {
    let collections = try Self.collections(path, db, schema)
    if let nodes, collections.nodes != nodes { throw Self.missing(try Self.name(path)) }
    var statements: [RDFStatement] = []
    var last: String?
    try read(collections, db, schema, after: id, ending: "ORDER BY t.id LIMIT \(count)") {
      last = $0
      if let statement = $1 { statements.append(statement) }
    }
    return (statements, last, collections.nodes)
  }

  private func read(
    _ graph: TripleGraph, _ db: Database, _ schema: StoreSchema, after id: String? = nil,
    where condition: String? = nil, ending: String, _ body: (String, RDFStatement?) throws -> Void
  ) throws {
    guard graph.isDefined(in: schema) else { return }
    var conditions = condition.map { [$0] } ?? []
    var arguments = StatementArguments()
    func require(_ condition: String, _ value: String) {
      conditions.append(condition)
      arguments += [value]
    }
    func json(_ text: String) -> String {
      String(decoding: JSONWriter.canonical(.text(text)), as: UTF8.self)
    }
    if let id { require("t.id > ?", id) }
    if let subject { require("t.source = ?", graph.id(RDFTerm(subject))) }
    if let object { require("t.target = ?", graph.id(object)) }
    if let predicate { require("t.p_predicate = ?", json(predicate.string)) }
    if let wanted = self.graph { require("t.p_graph = ?", json(TripleGraph.name(wanted))) }
    let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    try db.forEachRow("\(graph.selection)\(filter) \(ending)", arguments: arguments) { row in
      try body(row.text(0), TripleGraph.statement(row))
    }
  }
}
