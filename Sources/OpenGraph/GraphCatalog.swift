package import DaybookEngine
package import DaybookEventCore
package import DaybookProjections
package import GRDB

/// The schemas and graphs that a store has by name.
///
/// Each is an entity. One that was dropped stays as an entity that says so, and counts how often: a
/// graph that is made again under its name is another one.
package enum GraphCatalog {
  /// What the catalog lists.
  package enum Kind: String {
    case graph, schema
  }

  package static let collection = "gql_catalog"

  package static let definition = Definition(
    collection,
    [
      .text("kind"), .text("schema"), .text("name"), .boolean("dropped"), .integer("generation"),
    ])

  /// Returns the id of a schema's or graph's entity.
  package static func id(_ kind: Kind, _ graph: GraphName) -> String {
    DerivedID.id(
      collection: collection,
      key: [.text(kind.rawValue), .text(graph.schema), .text(graph.name)])
  }

  /// Returns how often a schema or graph was dropped before; nil if there is none of that name.
  package static func generation(
    _ kind: Kind, _ graph: GraphName, _ db: Database, _ schema: StoreSchema
  ) throws -> Int64? {
    guard schema[collection] != nil else { return nil }
    return try Int64.fetchOne(
      db,
      sql: """
        SELECT ifnull(generation, 0) FROM \(collection) WHERE id = ? AND dropped IS NOT 1
        """, arguments: [id(kind, graph)])
  }

  /// Returns the collections of a graph; nil if there is no graph of that name.
  package static func collections(
    ofGraph graph: GraphName, _ db: Database, _ schema: StoreSchema
  ) throws -> GraphCollections? {
    if graph == .main { return .main }
    return try generation(.graph, graph, db, schema).map { GraphCollections(graph, generation: $0) }
  }

  /// Returns the collections of all graphs, the main graph first.
  package static func all(_ db: Database, _ schema: StoreSchema) throws -> [GraphCollections] {
    guard schema[collection] != nil else { return [.main] }
    let sql = """
      SELECT schema, name, ifnull(generation, 0) FROM \(collection)
      WHERE kind = 'graph' AND dropped IS NOT 1 ORDER BY schema, name
      """
    var all = [GraphCollections.main]
    try db.forEachRow(sql) { row in
      let name = GraphName(schema: row.text(0), name: row.text(1))
      all.append(GraphCollections(name, generation: row.integer(2)))
    }
    return all
  }

  /// Returns whether there is a schema; the one without a name always is.
  package static func hasSchema(_ name: String, _ db: Database, _ schema: StoreSchema) throws
    -> Bool
  {
    try name.isEmpty || generation(.schema, GraphName(schema: name), db, schema) != nil
  }

  /// Lists a schema or graph that is not there. ``definition`` must be defined.
  package static func insert(_ kind: Kind, _ graph: GraphName, _ transaction: WriteTransaction)
    throws
  {
    try transaction.put(
      collection, id(kind, graph),
      [
        "kind": .text(kind.rawValue), "schema": .text(graph.schema), "name": .text(graph.name),
        "dropped": .null,
      ])
  }
}
