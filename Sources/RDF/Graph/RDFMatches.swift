public import Daybook
import DaybookEngine
import DaybookProjections
import GRDB

extension Store {
  /// Returns the statements of an open graph that match, as a sequence that reads them page by
  /// page.
  ///
  /// What is not given matches everything:
  ///
  ///     for try await one in store.match(predicate: .rdfType) { print(one.subject) }
  ///     for try await one in store.match(graph: .iri(trigGraph), in: "people") { print(one) }
  /// - Parameters:
  ///   - subject: the subject.
  ///   - predicate: the predicate.
  ///   - object: the object.
  ///   - graph: the graph of RDF that a statement is in, as TriG and N-Quads name it.
  ///   - openGraph: the open graph that holds the statements, by its name or as `/SCHEMA/GRAPH`;
  ///     the main graph if nil. Reading throws `StoreError` `unknownName` if there is no such
  ///     graph, or if it was dropped meanwhile.
  public func match(
    subject: RDFSubject? = nil, predicate: IRI? = nil, object: RDFTerm? = nil,
    graph: RDFSubject? = nil, in openGraph: String? = nil
  ) -> RDFMatches {
    var query = TripleQuery(in: openGraph)
    query.subject = subject
    query.predicate = predicate
    query.object = object
    query.graph = graph
    return RDFMatches(store: self, query: query)
  }
}

/// The statements of a store that match. A loop holds one page of them in memory.
///
/// Each page is of a snapshot of its own. Statements that stay meanwhile occur once.
public struct RDFMatches: AsyncSequence, Sendable {
  public typealias Element = RDFStatement

  fileprivate let store: Store
  fileprivate let query: TripleQuery

  private static let pageCount = 1_000

  /// Makes an iterator over the statements, in no particular order.
  public func makeAsyncIterator() -> Iterator { Iterator(matches: self) }

  /// The statements, read page by page.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let matches: RDFMatches
    private var page: [RDFStatement] = []
    private var index = 0
    private var last = ""
    private var nodes: String?
    private var isAtEnd = false

    fileprivate init(matches: RDFMatches) { self.matches = matches }

    /// Returns the next statement; nil at the end.
    public mutating func next() async throws -> RDFStatement? {
      while index == page.count {
        if isAtEnd { return nil }
        let (query, last, nodes) = (matches.query, last, nodes)
        let read = try await matches.store.read { db, schema in
          try query.page(after: last, in: nodes, RDFMatches.pageCount, db, schema)
        }
        (page, index, self.nodes) = (read.statements, 0, read.nodes)
        if let id = read.last { self.last = id } else { isAtEnd = true }
      }
      index += 1
      return page[index - 1]
    }
  }

  /// Writes the statements as a file: one snapshot, in the order of the terms, so that a graph
  /// gives the same file on every replica.
  ///
  ///     try await store.match(in: "people").export(as: .turtle) { try file.write(contentsOf: $0) }
  ///
  /// Blank nodes have labels that are unique in the store.
  /// - Parameters:
  ///   - prefixes: as in ``RDFWriter/init(_:prefixes:write:)``.
  ///   - write: takes the next bytes of the file.
  /// - Returns: the number of statements.
  /// - Throws: ``RDFError`` `.noGraphs` if a statement is in a graph of RDF and the format has
  ///   none; `StoreError`; what `write` throws.
  @discardableResult
  public func export(
    as format: RDFFormat = .turtle, prefixes: [String: IRI] = [:],
    write: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> Int {
    let query = query
    return try await store.read { db, schema in
      var writer = try RDFWriter(format, prefixes: prefixes, write: write)
      let count = try query.write(to: &writer, db, schema)
      try writer.finish()
      return count
    }
  }
}
