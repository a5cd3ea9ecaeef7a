import DaybookEventCore
import DaybookOpenGraph
package import DaybookProjections
package import GRDB

/// A store's tables as statements.
///
/// Each entity is of its collection's class, and each value is a statement. A field that refers to
/// another collection has that entity as its object. A relationship is also one statement from its
/// one end to the other. Statements that were loaded come as they are. If a term has more
/// properties and relationships, their statements name the term, and not its node.
package struct RDFTables: Sendable {
  private let naming: RDFNaming
  private let collections: [CollectionSchema]
  /// The collections to which a relationship can lead whose ends name none.
  private let vertices: [CollectionSchema]
  private let schema: StoreSchema
  private let hasGraphs: Bool

  /// - Parameters:
  ///   - collections: those to export.
  ///   - hasGraphs: whether a statement can be in a graph of RDF. If not, one that is in a graph
  ///     comes as a row of its table.
  package init(
    _ collections: [CollectionSchema], _ schema: StoreSchema, _ naming: RDFNaming, hasGraphs: Bool
  ) {
    self.naming = naming
    self.schema = schema
    self.hasGraphs = hasGraphs
    self.collections = collections
    vertices = schema.sorted.filter { !$0.isRelationship }
  }

  /// Calls `body` with the statements that were loaded, and those of all other rows, entity by
  /// entity in the order of ids.
  package func forEach(_ db: Database, _ body: (RDFStatement) throws -> Void) throws {
    let graphs = try GraphCatalog.all(db, schema).map { TripleGraph($0) }.filter { graph in
      collections.contains { $0.name == graph.triples } && graph.isDefined(in: schema)
    }
    for graph in graphs {
      try TripleQuery(in: nil).forEach(in: graph, hasGraphs: hasGraphs, db, schema, body)
    }
    for collection in collections {
      try Rows(tables: self, collection: collection, graphs: graphs, db: db).forEach(body)
    }
  }

  /// The rows of a collection.
  private struct Rows {
    let tables: RDFTables
    let collection: CollectionSchema
    /// The graphs whose statements are exported as they are.
    let graphs: [TripleGraph]
    let db: Database

    func forEach(_ body: (RDFStatement) throws -> Void) throws {
      let columns = (["id"] + collection.fields.map(\.name)).map { "\"\($0)\"" }
      let sql =
        "SELECT \(columns.joined(separator: ", ")) FROM \"\(collection.name)\" ORDER BY id"
      try db.forEachRow(sql) { row in
        let id = row.text(0)
        var values: [(field: FieldSchema, value: Value)] = []
        for (index, field) in collection.fields.enumerated() {
          let cell = row.cell(Int32(clamping: index + 1))
          if cell != .null, let value = field.type.value(of: cell) { values.append((field, value)) }
        }
        if try isStatement(id, values) { return }
        let term = term(id, values)
        if let term, let subject = RDFSubject(term) {
          values.removeAll { TripleGraph.termFields.contains($0.field.identity) }
          return try write(values, of: subject, body)
        }
        // A literal cannot be a subject: its other properties are statements about its node.
        if term != nil, values.count == TripleGraph.literalFieldsCount { return }
        let subject = RDFSubject.iri(tables.naming.entity(collection.name, id))
        let type = tables.naming.collection(collection.name)
        try body(RDFStatement(subject, .rdfType, .iri(type)))
        try write(values, of: subject, body)
      }
    }

    private func write(
      _ values: [(field: FieldSchema, value: Value)], of subject: RDFSubject,
      _ body: (RDFStatement) throws -> Void
    ) throws {
      var ends: (sources: [RDFTerm], targets: [RDFTerm]) = ([], [])
      for (field, value) in values {
        let predicate = tables.naming.field(field.name, of: collection.name)
        let objects = try targets(of: field, value)
        if field.identity == "source" { ends.sources = objects }
        if field.identity == "target" { ends.targets = objects }
        for object in objects { try body(RDFStatement(subject, predicate, object)) }
        if objects.isEmpty, let literal = RDFLiteral(value) {
          try body(RDFStatement(subject, predicate, .literal(literal)))
        }
      }
      guard collection.isRelationship else { return }
      let type = tables.naming.collection(collection.name)
      for source in ends.sources.compactMap({ RDFSubject($0) }) {
        for target in ends.targets { try body(RDFStatement(source, type, target)) }
      }
    }

    /// Whether a row was exported as a statement.
    private func isStatement(_ id: String, _ values: [(field: FieldSchema, value: Value)]) throws
      -> Bool
    {
      guard let graph = graphs.first(where: { $0.triples == collection.name }) else { return false }
      let fields = fields(values)
      return try (tables.hasGraphs || fields["p_graph"] == nil)
        && graph.isStatement(id, fields, db)
    }

    /// Returns the term that a row is; nil if it is none.
    private func term(_ id: String, _ values: [(field: FieldSchema, value: Value)]) -> RDFTerm? {
      graphs.first { $0.nodes == collection.name }?.term(id, fields(values))
    }

    private func fields(_ values: [(field: FieldSchema, value: Value)]) -> [String: Value] {
      Dictionary(values.map { ($0.field.identity, $0.value) }) { $1 }
    }

    /// Returns what a field's value refers to.
    private func targets(of field: FieldSchema, _ value: Value) throws -> [RDFTerm] {
      guard case .text(let id) = value else { return [] }
      if let target = field.references {
        let graph = graphs.first { $0.nodes == target }
        return [try graph?.term(id, db) ?? .iri(tables.naming.entity(target, id))]
      }
      guard collection.isRelationship, field.identity == "source" || field.identity == "target"
      else { return [] }
      let all = tables.vertices
      let found = try all.count == 1 ? all : all.filter { try has(id, in: $0) }
      return found.map { .iri(tables.naming.entity($0.name, id)) }
    }

    private func has(_ id: String, in collection: CollectionSchema) throws -> Bool {
      let sql = "SELECT 1 FROM \"\(collection.name)\" WHERE id = ?"
      return try !db.cachedStatement(sql: sql).forEachRow(texts: [id]) { _ in false }
    }
  }
}
