public import Daybook
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookOpenGraph
import DaybookProjections
public import Foundation
import GRDB

extension Store {
  /// Loads the statements of a file into an open graph of the store.
  ///
  /// A statement that is there already is not written again, so loading the same file twice
  /// changes nothing. `docs/rdf.md` says how statements look in queries of the graph. Each batch
  /// is an event; if the file has an error, the batches before it are in the store.
  /// - Parameters:
  ///   - reader: where the statements come from.
  ///   - openGraph: the graph, by its name or as `/SCHEMA/GRAPH`; the main graph if there is none.
  ///     A graph that is not there is created, by an event of its own.
  ///   - scope: what tells this file's blank nodes from those of others, such as its IRI: blank
  ///     nodes of one label and one scope are one within a graph.
  ///   - batch: how many statements become one event.
  /// - Returns: how many statements were new, and how many there were.
  /// - Throws: ``RDFError`` of the file; `StoreError`, with `unknownName` if there is no such
  ///   schema or if the graph was dropped meanwhile.
  @discardableResult
  public func load(
    _ reader: RDFReader, into openGraph: String? = nil, scope: String, actor: String? = nil,
    label: String = "", batch: Int = 5_000
  ) async throws -> (new: Int, all: Int) {
    let name = try TripleQuery.name(openGraph)
    var graph: TripleGraph?
    var total = (new: 0, all: 0)
    while true {
      var statements: [RDFStatement] = []
      while statements.count < max(batch, 1), let statement = try reader.next() {
        statements.append(statement)
      }
      let target = if let graph { graph } else { try await triples(of: name, actor, label) }
      graph = target
      guard !statements.isEmpty else { return total }
      total.all += statements.count
      total.new += try await write(actor: actor, label: label) { [statements] transaction in
        // It may have been dropped, or be another one of its name by now.
        let found = try TripleQuery.collections(
          openGraph, transaction.database, transaction.schema)
        guard found.nodes == target.nodes else { throw TripleQuery.missing(name) }
        return try transaction.insert(statements.map { target.scoped($0, scope) }, target)
      }
    }
  }

  /// Loads a file into an open graph of the store; see ``load(_:into:scope:actor:label:batch:)``.
  ///
  /// - Parameters:
  ///   - format: the format; by the ending of the file's name if there is none.
  ///   - base: the IRI that relative ones are resolved against; the file's if there is none.
  ///   - scope: what tells its blank nodes from those of other files; the file's IRI if there is
  ///     none.
  @discardableResult
  public func load(
    contentsOf url: URL, _ format: RDFFormat? = nil, into openGraph: String? = nil,
    base: IRI? = nil, scope: String? = nil, actor: String? = nil, label: String = ""
  ) async throws -> (new: Int, all: Int) {
    let reader = try RDFReader(contentsOf: url, format, base: base)
    return try await load(
      reader, into: openGraph, scope: scope ?? url.absoluteString, actor: actor, label: label)
  }

  /// Returns where a graph has its statements. Creates the graph if it is not there.
  ///
  /// Names are defined by an event of their own, so that the events behind it can be undone.
  private func triples(of name: GraphName, _ actor: String?, _ label: String) async throws
    -> TripleGraph
  {
    let found = try await read { db, schema in
      try Self.requireSchema(of: name, db, schema)
      return try GraphCatalog.collections(ofGraph: name, db, schema)
    }
    let graph =
      if let found { TripleGraph(found) } else { try await makeGraph(name, actor) }
    if try await !graph.isDefined(in: schema()) {
      try await write(actor: actor, label: "names for: \(label)") { transaction in
        for definition in graph.definitions { try transaction.define(definition) }
      }
    }
    return graph
  }

  private static func requireSchema(of name: GraphName, _ db: Database, _ schema: StoreSchema)
    throws
  {
    if try GraphCatalog.hasSchema(name.schema, db, schema) { return }
    throw StoreError(
      .unknownName, "there is no schema /\(name.schema)",
      hint: "Create it by CREATE SCHEMA /\(name.schema)")
  }

  private func makeGraph(_ name: GraphName, _ actor: String?) async throws -> TripleGraph {
    let label = "create graph \(name.shown)"
    if try await schema()[GraphCatalog.collection] == nil {
      try await write(actor: actor, label: "names for: \(label)") { transaction in
        try transaction.define(GraphCatalog.definition)
      }
    }
    return try await write(actor: actor, label: label) { transaction in
      let (db, schema) = (try transaction.database, transaction.schema)
      try Self.requireSchema(of: name, db, schema)
      // Another process may have created it meanwhile.
      if let found = try GraphCatalog.collections(ofGraph: name, db, schema) {
        return TripleGraph(found)
      }
      try GraphCatalog.insert(.graph, name, transaction)
      guard
        let made = try GraphCatalog.collections(ofGraph: name, transaction.database, schema)
      else {
        throw TripleQuery.missing(name)
      }
      return TripleGraph(made)
    }
  }
}

extension WriteTransaction {
  /// Inserts the statements that are not there yet.
  /// - Returns: how many there were.
  fileprivate func insert(_ statements: [RDFStatement], _ graph: TripleGraph) throws -> Int {
    for definition in graph.definitions { try define(definition) }
    // Each term and each statement once, in order.
    var nodes: [(id: String, term: RDFTerm)] = []
    var triples: [(id: String, source: String, target: String, statement: RDFStatement)] = []
    var seen: Set<String> = []
    func node(_ term: RDFTerm) -> String {
      let id = graph.id(term)
      if seen.insert(id).inserted { nodes.append((id, term)) }
      return id
    }
    for statement in statements {
      let (subject, object) = (node(RDFTerm(statement.subject)), node(statement.object))
      let id = graph.id(statement, subject, object)
      guard seen.insert(id).inserted else { continue }
      triples.append((id, subject, object, statement))
    }
    let knownTriples = try known(triples.map(\.id), in: graph.triples)
    triples.removeAll { knownTriples.contains($0.id) }
    guard !triples.isEmpty else { return 0 }
    let knownNodes = try known(nodes.map(\.id), in: graph.nodes)
    for node in nodes where !knownNodes.contains(node.id) {
      try insert(graph.nodes, node.id, TripleGraph.fields(node.term))
    }
    for (id, source, target, statement) in triples {
      var fields: [String: Value] = [
        "source": .text(source), "target": .text(target),
        "p_predicate": TripleGraph.json(statement.predicate.string),
      ]
      if let own = statement.graph {
        fields["p_graph"] = TripleGraph.json(TripleGraph.name(own))
      }
      try insert(graph.triples, id, fields)
    }
    return triples.count
  }

  /// Returns those of some ids that a collection has, by one look at its table.
  private func known(_ ids: [String], in collection: String) throws -> Set<String> {
    var writer = JSONWriter()
    writer.array { writer in for id in ids { writer.text(id) } }
    return Set(
      try database.texts(
        "SELECT id FROM \(collection) WHERE id IN (SELECT value FROM json_each(?))",
        arguments: [writer.string]))
  }
}
