import Daybook
import DaybookEngine
import DaybookEventCore
import DaybookOpenGraph
import DaybookProjections
import GRDB

extension GraphCatalog {
  /// Returns the collections of a graph.
  /// - Throws: ``GQLError`` `notFound`.
  static func collections(
    of graph: GraphName, _ db: Database, _ schema: StoreSchema
  ) throws -> GraphCollections {
    if let collections = try collections(ofGraph: graph, db, schema) { return collections }
    throw GQLError(
      .notFound, "NoSuchGraph", "there is no graph \(graph.shown)",
      hint: "Make it by CREATE GRAPH \(graph.shown), or choose another by SESSION SET GRAPH")
  }

  static func create(
    _ kind: Kind, _ graph: GraphName, ifNotExists: Bool, _ transaction: WriteTransaction
  ) throws {
    if kind == .graph, try !hasSchema(graph.schema, transaction.database, transaction.schema) {
      throw GQLError(
        .notFound, "NoSuchSchema", "there is no schema /\(graph.schema)",
        hint: "Make it by CREATE SCHEMA /\(graph.schema)")
    }
    if try generation(kind, graph, transaction.database, transaction.schema) != nil {
      if ifNotExists { return }
      throw GQLError(.exists, "Exists", "there is a \(kind.rawValue) \(graph.shown) already")
    }
    try insert(kind, graph, transaction)
  }

  /// Makes or drops the index of a property. It is one for all labels of the graph.
  static func setIndex(
    _ target: GQLStatement.IndexTarget, isThere: Bool, ifExists: Bool = false,
    _ graph: GraphCollections, _ transaction: WriteTransaction
  ) throws {
    let typed = transaction.schema[target.label]
    guard typed == nil || GraphCollections.owns(target.label) else {
      throw GQLError(
        .unsupported, "UnsupportedFeature",
        "an index of the collection \(target.label) is a feature that this version does not have",
        at: target.place.position, hint: "Define the field with an index")
    }
    let name = try GraphSpelling.propertyField(target.property)
    if !isThere, !hasIndex(target, name, graph, transaction.schema) {
      if ifExists { return }
      throw GQLError(
        .notFound, "NotFound",
        "there is no index for \(target.label) on \(target.property)", at: target.place.position)
    }
    let field = Definition.Field.json(name).attribute("index", .boolean(isThere))
    if target.isOfRelationships {
      let known = GraphLayout(transaction.schema, graph).relationships.filter {
        $0.isOpen && $0.type.isSame(as: target.label)
      }
      for table in known {
        try transaction.define(Definition(table.collection, [field]).relationship())
      }
      if known.isEmpty {
        let ends = ["source", "target"].map { Definition.Field.text($0).references(graph.nodes) }
        let name = try graph.relationships(target.label, from: graph.nodes, to: graph.nodes)
        try transaction.define(Definition(graph.nodes))
        try transaction.define(Definition(name, ends + [field]).relationship())
      }
    } else {
      try transaction.define(Definition(graph.nodes, [field]))
    }
  }

  /// Whether a property of the graph's nodes, or of a type of its relationships, has an index.
  private static func hasIndex(
    _ target: GQLStatement.IndexTarget, _ field: String, _ graph: GraphCollections,
    _ schema: StoreSchema
  ) -> Bool {
    let collections =
      target.isOfRelationships
      ? GraphLayout(schema, graph).relationships
        .filter { $0.isOpen && $0.type.isSame(as: target.label) }.map(\.collection)
      : [graph.nodes]
    return collections.contains { schema[$0]?[field: field]?.isIndexed ?? false }
  }

  static func drop(
    _ kind: Kind, _ graph: GraphName, ifExists: Bool, _ transaction: WriteTransaction
  ) throws {
    let (db, schema) = (try transaction.database, transaction.schema)
    guard let generation = try generation(kind, graph, db, schema) else {
      if ifExists { return }
      throw GQLError(.notFound, "NotFound", "there is no \(kind.rawValue) \(graph.shown)")
    }
    if kind == .schema {
      let sql = """
        SELECT count(*) FROM \(collection)
        WHERE kind = 'graph' AND schema = ? AND dropped IS NOT 1
        """
      let count = try Int.fetchOne(db, sql: sql, arguments: [graph.schema]) ?? 0
      guard count == 0 else {
        throw GQLError(
          .constraint, "SchemaNotEmpty", "the schema /\(graph.schema) has \(count) graphs",
          hint: "Drop them first")
      }
    } else {
      let owned = GraphCollections(graph, generation: generation)
      for name in schema.sorted.map(\.name)
      where name == owned.nodes || name.hasPrefix("\(owned.prefix)_r_") {
        try transaction.drop(collection: name)
      }
    }
    try transaction.update(
      collection, id(kind, graph),
      ["dropped": .boolean(true), "generation": .integer(generation + 1)])
  }
}
