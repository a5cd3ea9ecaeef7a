import DaybookEventCore
import DaybookOpenGraph
package import DaybookProjections
package import GRDB

/// A store's tables as statements.
///
/// Each entity is of its collection's class, and each value is a statement. A field that refers to
/// another collection has that entity as its object. A relationship is also one statement from its
/// one end to the other. Statements that were loaded come as they are.
package struct RDFTables: Sendable {
  private let naming: RDFNaming
  private let collections: [CollectionSchema]
  /// The collections to which a relationship can lead whose ends name none.
  private let vertices: [CollectionSchema]

  private let schema: StoreSchema

  /// - Parameter collections: those to export.
  package init(_ collections: [CollectionSchema], _ schema: StoreSchema, _ naming: RDFNaming) {
    self.naming = naming
    self.schema = schema
    self.collections = collections
    vertices = schema.sorted.filter { !$0.isRelationship }
  }

  /// Calls `body` with the statements of all rows, entity by entity in the order of ids.
  package func forEach(_ db: Database, _ body: (RDFStatement) throws -> Void) throws {
    let graphs = try GraphCatalog.all(db, schema).map { TripleGraph($0) }.filter { graph in
      collections.contains { $0.name == graph.triples }
    }
    for graph in graphs { try TripleQuery.forEach(graph, db, schema, body) }
    for collection in collections {
      let graph = graphs.first {
        $0.triples == collection.name || $0.nodes == collection.name
      }
      try forEach(in: collection, db, graph, body)
    }
  }

  private func forEach(
    in collection: CollectionSchema, _ db: Database, _ graph: TripleGraph?,
    _ body: (RDFStatement) throws -> Void
  ) throws {
    let columns = (["id"] + collection.fields.map(\.name)).map { "\"\($0)\"" }
    let sql = "SELECT \(columns.joined(separator: ", ")) FROM \"\(collection.name)\" ORDER BY id"
    let type = naming.collection(collection.name)
    let predicates = collection.fields.map { naming.field($0.name, of: collection.name) }
    try db.forEachRow(sql) { row in
      if let graph, try Self.isLoaded(row, collection, graph, db) { return }
      let subject = RDFSubject.iri(naming.entity(collection.name, row.text(0)))
      try body(RDFStatement(subject, .rdfType, .iri(type)))
      var ends: (sources: [IRI], targets: [IRI]) = ([], [])
      for (index, field) in collection.fields.enumerated() {
        let cell = row.cell(Int32(clamping: index + 1))
        guard cell != .null, let value = field.type.value(of: cell) else { continue }
        let objects = try targets(of: field, value, in: collection, db)
        if field.identity == "source" { ends.sources = objects }
        if field.identity == "target" { ends.targets = objects }
        for object in objects { try body(RDFStatement(subject, predicates[index], .iri(object))) }
        if objects.isEmpty, let literal = RDFLiteral(value) {
          try body(RDFStatement(subject, predicates[index], .literal(literal)))
        }
      }
      guard collection.isRelationship else { return }
      for source in ends.sources {
        for target in ends.targets { try body(RDFStatement(.iri(source), type, .iri(target))) }
      }
    }
  }

  /// Whether a row is a term or a statement and nothing more.
  private static func isLoaded(
    _ row: Columns, _ collection: CollectionSchema, _ graph: TripleGraph, _ db: Database
  ) throws -> Bool {
    var fields: [String: Value] = [:]
    for (index, field) in collection.fields.enumerated() {
      let cell = row.cell(Int32(clamping: index + 1))
      if cell != .null { fields[field.identity] = field.type.value(of: cell) }
    }
    return collection.name == graph.nodes
      ? graph.isTerm(row.text(0), fields) : try graph.isStatement(row.text(0), fields, db)
  }

  /// Returns the entities that a field's value refers to.
  private func targets(
    of field: FieldSchema, _ value: Value, in collection: CollectionSchema, _ db: Database
  ) throws -> [IRI] {
    guard case .text(let id) = value else { return [] }
    if let target = field.references { return [naming.entity(target, id)] }
    guard collection.isRelationship, field.identity == "source" || field.identity == "target"
    else { return [] }
    if vertices.count == 1 { return [naming.entity(vertices[0].name, id)] }
    return try vertices.filter { try Self.has(id, in: $0, db) }.map { naming.entity($0.name, id) }
  }

  private static func has(_ id: String, in collection: CollectionSchema, _ db: Database) throws
    -> Bool
  {
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM \"\(collection.name)\" WHERE id = ?")
    return try Bool.fetchOne(statement, arguments: [id]) == true
  }
}
