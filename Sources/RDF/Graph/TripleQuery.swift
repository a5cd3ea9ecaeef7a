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

  /// Calls `body` with each statement, once. Those of one graph and of one subject follow one
  /// another, and equal graphs are in the same order.
  package func forEach(
    _ db: Database, _ schema: StoreSchema, _ body: (RDFStatement) throws -> Void
  ) throws {
    try forEach(in: Self.collections(path, db, schema), db, schema, body)
  }

  /// Calls `body` with each statement of a graph, in the order of ``forEach(_:_:_:)``.
  static func forEach(
    _ graph: TripleGraph, _ db: Database, _ schema: StoreSchema,
    _ body: (RDFStatement) throws -> Void
  ) throws {
    try TripleQuery(in: nil).forEach(in: graph, db, schema, body)
  }

  private func forEach(
    in collections: TripleGraph, _ db: Database, _ schema: StoreSchema,
    _ body: (RDFStatement) throws -> Void
  ) throws {
    try read(collections, db, schema, ending: "ORDER BY t.p_graph, t.source, t.p_predicate, t.id") {
      _, statement in
      if let statement { try body(statement) }
    }
  }

  /// Reads statements whose ids follow another.
  /// - Returns: the statements, and the id of the last row; nil if there was none.
  func page(after id: String, _ count: Int, _ db: Database, _ schema: StoreSchema) throws -> (
    statements: [RDFStatement], last: String?
  ) {
    let collections = try Self.collections(path, db, schema)
    var statements: [RDFStatement] = []
    var last: String?
    try read(collections, db, schema, after: id, ending: "ORDER BY t.id LIMIT \(count)") {
      last = $0
      if let statement = $1 { statements.append(statement) }
    }
    return (statements, last)
  }

  private func read(
    _ graph: TripleGraph, _ db: Database, _ schema: StoreSchema, after id: String? = nil,
    ending: String, _ body: (String, RDFStatement?) throws -> Void
  ) throws {
    guard graph.isDefined(in: schema) else { return }
    var conditions: [String] = []
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
