public import Daybook
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookProjections
public import Foundation
import GRDB

extension Store {
  /// Loads the statements of a file into the store's open graph.
  ///
  /// A statement that is there already is not written again, so loading the same file twice
  /// changes nothing. `docs/rdf.md` says how statements look in queries of the graph. Each batch
  /// is an event; if the file has an error, the batches before it are in the store.
  /// - Parameters:
  ///   - reader: where the statements come from.
  ///   - scope: what tells this file's blank nodes from those of others, such as its IRI: blank
  ///     nodes of one label and one scope are one.
  ///   - batch: how many statements become one event.
  /// - Returns: how many statements were new, and how many there were.
  /// - Throws: ``RDFError`` of the file; ``StoreError``.
  @discardableResult
  public func load(
    _ reader: RDFReader, scope: String, actor: String? = nil, label: String = "",
    batch: Int = 5_000
  ) async throws -> (new: Int, all: Int) {
    var total = (new: 0, all: 0)
    while true {
      var statements: [RDFStatement] = []
      while statements.count < max(batch, 1), let statement = try reader.next() {
        statements.append(TripleGraph.scoped(statement, scope))
      }
      guard !statements.isEmpty else { return total }
      total.all += statements.count
      total.new += try await write(actor: actor, label: label) { [statements] transaction in
        try transaction.insert(statements)
      }
    }
  }

  /// Loads a file into the store's open graph; see ``load(_:scope:actor:label:batch:)``.
  ///
  /// - Parameter scope: what tells its blank nodes from those of other files; the file's IRI if
  ///   there is none.
  @discardableResult
  public func load(
    contentsOf url: URL, _ format: RDFFormat? = nil, base: IRI? = nil, scope: String? = nil,
    actor: String? = nil, label: String = ""
  ) async throws -> (new: Int, all: Int) {
    let reader = try RDFReader(contentsOf: url, format, base: base)
    return try await load(
      reader, scope: scope ?? url.absoluteString, actor: actor, label: label)
  }

  /// Returns the statements of the store's open graph that match, as a sequence that reads them
  /// page by page.
  ///
  /// What is not given matches everything:
  ///
  ///     for try await statement in store.match(predicate: .rdfType) { print(statement.subject) }
  public func match(
    subject: RDFSubject? = nil, predicate: IRI? = nil, object: RDFTerm? = nil,
    graph: RDFSubject? = nil
  ) -> RDFMatches {
    RDFMatches(store: self, subject: subject, predicate: predicate, object: object, graph: graph)
  }
}

extension WriteTransaction {
  /// Inserts the statements that are not there yet.
  /// - Returns: how many there were.
  fileprivate func insert(_ statements: [RDFStatement]) throws -> Int {
    for definition in TripleGraph.definitions { try define(definition) }
    // Each term and each statement once, in order.
    var nodes: [(id: String, term: RDFTerm)] = []
    var triples: [(id: String, source: String, target: String, statement: RDFStatement)] = []
    var seen: Set<String> = []
    func node(_ term: RDFTerm) -> String {
      let id = TripleGraph.id(term)
      if seen.insert(id).inserted { nodes.append((id, term)) }
      return id
    }
    for statement in statements {
      let (subject, object) = (node(RDFTerm(statement.subject)), node(statement.object))
      let id = TripleGraph.id(statement, subject, object)
      guard seen.insert(id).inserted else { continue }
      triples.append((id, subject, object, statement))
    }
    let knownTriples = try known(triples.map(\.id), in: TripleGraph.triples)
    triples.removeAll { knownTriples.contains($0.id) }
    guard !triples.isEmpty else { return 0 }
    let knownNodes = try known(nodes.map(\.id), in: TripleGraph.nodes)
    for node in nodes where !knownNodes.contains(node.id) {
      try insert(TripleGraph.nodes, node.id, TripleGraph.fields(node.term))
    }
    for (id, source, target, statement) in triples {
      var fields: [String: Value] = [
        "source": .text(source), "target": .text(target),
        "p_predicate": TripleGraph.json(statement.predicate.string),
      ]
      if let graph = statement.graph {
        fields["p_graph"] = TripleGraph.json(TripleGraph.name(graph))
      }
      try insert(TripleGraph.triples, id, fields)
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

/// The statements of a store that match. A loop holds one page of them in memory.
///
/// Each page is of a snapshot of its own. Statements that stay meanwhile occur once.
public struct RDFMatches: AsyncSequence, Sendable {
  public typealias Element = RDFStatement

  fileprivate let store: Store
  fileprivate let subject: RDFSubject?
  fileprivate let predicate: IRI?
  fileprivate let object: RDFTerm?
  fileprivate let graph: RDFSubject?

  private static let pageCount = 1_000

  /// Makes an iterator over the statements, in no particular order.
  public func makeAsyncIterator() -> Iterator { Iterator(matches: self) }

  /// The statements, read page by page.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let matches: RDFMatches
    private var page: [RDFStatement] = []
    private var index = 0
    private var last = ""
    private var isAtEnd = false

    fileprivate init(matches: RDFMatches) { self.matches = matches }

    /// Returns the next statement; nil at the end.
    public mutating func next() async throws -> RDFStatement? {
      while index == page.count {
        if isAtEnd { return nil }
        let read = try await matches.page(after: last)
        (page, index) = (read.statements, 0)
        if let id = read.last { last = id } else { isAtEnd = true }
      }
      index += 1
      return page[index - 1]
    }
  }

  /// Reads statements whose ids follow another.
  /// - Returns: the statements, and the id of the last row; nil if there was none.
  private func page(after id: String) async throws -> (statements: [RDFStatement], last: String?) {
    try await store.read { db, schema in
      guard schema[TripleGraph.triples] != nil, schema[TripleGraph.nodes] != nil else {
        return ([], nil)
      }
      var conditions = ["t.id > ?"]
      var arguments: StatementArguments = [id]
      func require(_ column: String, _ value: String) {
        conditions.append("\(column) = ?")
        arguments += [value]
      }
      func json(_ text: String) -> String {
        guard case .json(let bytes) = TripleGraph.json(text) else { return "" }
        return String(decoding: bytes, as: UTF8.self)
      }
      if let subject { require("t.source", TripleGraph.id(RDFTerm(subject))) }
      if let object { require("t.target", TripleGraph.id(object)) }
      if let predicate { require("t.p_predicate", json(predicate.string)) }
      if let graph { require("t.p_graph", json(TripleGraph.name(graph))) }
      let sql = """
        SELECT \(TripleGraph.columns) FROM \(TripleGraph.triples) t
        JOIN \(TripleGraph.nodes) s ON s.id = t.source
        JOIN \(TripleGraph.nodes) o ON o.id = t.target
        WHERE \(conditions.joined(separator: " AND ")) ORDER BY t.id LIMIT \(Self.pageCount)
        """
      var statements: [RDFStatement] = []
      var last: String?
      try db.forEachRow(sql, arguments: arguments) { row in
        last = row.text(0)
        if let statement = try TripleGraph.statement(row) { statements.append(statement) }
      }
      return (statements, last)
    }
  }
}
