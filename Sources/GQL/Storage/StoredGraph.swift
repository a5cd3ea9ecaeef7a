import DaybookEngine
import DaybookOpenGraph
import DaybookProjections
import GRDB

/// The graph of a store, on one snapshot or within a transaction.
class StoredGraph: GraphAccess {
  private(set) var layout: GraphLayout
  /// The statements that follow relationships.
  private var joins: [JoinKey: Join] = [:]
  /// What reads nodes of a table, and the statement.
  private var scans: [ScanKey: (NodeReader, String)] = [:]
  /// The most columns of a statement for several steps. SQLite has a limit of 2,000.
  private static let columnsMax = 1_000
  /// How many nodes are read at once.
  private static let pageSize = 512

  init(_ layout: GraphLayout) { self.layout = layout }

  /// The connection, with all that was written so far.
  var database: Database { get throws { throw GQLError(.notFound, "NoStore", "no store") } }

  /// The read model, unless a statement writes.
  var readModel: ReadModelView? { nil }

  func setLayout(_ layout: GraphLayout) {
    self.layout = layout
    joins = [:]
    scans = [:]
  }

  func relationshipCollections(types: [String]?) -> [String] {
    layout.relationships.filter { types?.contains($0.type) ?? true }.map(\.collection)
  }

  func isPart(_ collection: String) -> Bool {
    layout.node(collection) != nil || layout.relationship(collection) != nil
  }

  func meaning(ofField field: String, in collection: String) -> GraphLayout.Column.Meaning? {
    let columns =
      layout.node(collection).map { layout.nodes[$0].columns }
      ?? layout.relationship(collection)?.columns ?? []
    return columns.first { $0.name.utf8.elementsEqual(field.utf8) }?.meaning
  }

  // MARK: - Nodes

  private func node(_ id: String, _ table: GraphLayout.NodeTable) throws -> GQLNode? {
    let reader = NodeReader(table, .whole)
    let names = reader.selection(of: "n").joined(separator: ", ")
    let sql = "SELECT \(names) FROM \(GraphLayout.quoted(table.collection)) n WHERE n.id = ?"
    var found: GQLNode?
    _ = try database.cachedStatement(sql: sql).forEachRow(texts: [id]) { columns in
      found = reader.node(columns, from: 0)
      return true
    }
    return found
  }

  func node(_ id: GQLElementID) throws -> GQLNode? {
    try layout.node(id.collection).flatMap { try node(id.id, layout.nodes[$0]) }
  }

  /// A table whose nodes are looked for, how, and what is read of them.
  private struct ScanKey: Hashable {
    var collection: String
    var condition: String
    var needs: ElementNeeds
  }

  /// Returns what reads nodes of a table, and the statement for a page of them.
  func scan(
    _ table: GraphLayout.NodeTable, _ condition: String, _ needs: ElementNeeds
  ) -> (NodeReader, String) {
    let key = ScanKey(collection: table.collection, condition: condition, needs: needs)
    if let known = scans[key] { return known }
    let reader = NodeReader(table, needs)
    let names = (["n._rowid_"] + reader.selection(of: "n")).joined(separator: ", ")
    let sql =
      "SELECT \(names) FROM \(GraphLayout.quoted(table.collection)) n "
      + "WHERE \(condition)_rowid_ > ? ORDER BY _rowid_ LIMIT \(Self.pageSize)"
    scans[key] = (reader, sql)
    return (reader, sql)
  }

  func forEachNode(_ wanted: NodeSearch, _ body: (GQLNode) throws -> Bool) throws -> Bool {
    for table in layout.nodes {
      guard let search = TableSearch(wanted, table) else { continue }
      let (reader, sql) = scan(table, search.condition, wanted.needs)
      var after = Int64.min
      while true {
        var page: [GQLNode] = []
        let statement = try database.cachedStatement(sql: sql)
        // SQLite converts a text to a number if the column has numbers.
        _ = try statement.forEachRow(texts: search.texts + [String(after)]) { columns in
          after = columns.integer(0)
          page.append(reader.node(columns, from: 1))
          return true
        }
        for node in page { guard try body(node) else { return false } }
        if page.count < Self.pageSize { break }
      }
    }
    return true
  }

  // MARK: - Relationships

  /// A relationship whose ends may not be there, or in one of several tables.
  private typealias LooseRow = (
    source: String, target: String,
    make: (_ source: GQLElementID, _ target: GQLElementID) -> GQLRelationship
  )

  private func rows(
    _ table: GraphLayout.RelationshipTable, _ needs: ElementNeeds, _ condition: String,
    _ values: [String]
  ) throws -> [LooseRow] {
    let reader = RelationshipReader(table, needs)
    let names = (["r.source", "r.target"] + reader.selection(of: "r")).joined(separator: ", ")
    let sql = "SELECT \(names) FROM \(GraphLayout.quoted(table.collection)) r\(condition)"
    var rows: [LooseRow] = []
    _ = try database.cachedStatement(sql: sql).forEachRow(texts: values) { columns in
      guard !columns.isNull(0), !columns.isNull(1) else { return true }
      let nowhere = GQLElementID(collection: "", id: "")
      let one = reader.relationship(columns, from: 2, source: nowhere, target: nowhere)
      rows.append((columns.text(0), columns.text(1), { one.between($0, $1) }))
      return true
    }
    return rows
  }

  /// The statement that reads the relationships of a table whose source, or else target, is a node,
  /// each with the node at its other end. Those nodes are all in one table.
  private final class Join {
    let sql: String
    let relationship: RelationshipReader
    let node: NodeReader

    init(
      _ table: GraphLayout.RelationshipTable, _ key: JoinKey, _ nodes: GraphLayout.NodeTable,
      _ search: RelationshipSearch
    ) {
      relationship = RelationshipReader(table, search.needs)
      node = NodeReader(nodes, search.endNeeds)
      let names = relationship.selection(of: "r") + node.selection(of: "n")
      let (near, far) = key.isSource ? ("source", "target") : ("target", "source")
      // SQLite takes the tables of a cross join in their order.
      sql =
        "SELECT \(names.joined(separator: ", ")) FROM \(GraphLayout.quoted(table.collection)) r "
        + "CROSS JOIN \(GraphLayout.quoted(nodes.collection)) n ON n.id = r.\(far) "
        + "WHERE r.\(near) = ?" + (key.hasBoth ? " AND r.\(far) = ?" : "")
    }
  }

  /// One end of the relationships of a collection, and what is read there.
  private struct JoinKey: Hashable {
    var collection: String
    var isSource: Bool
    /// Whether the other end is given, too.
    var hasBoth: Bool
    var needs: ElementNeeds
    var endNeeds: ElementNeeds
  }

  private func join(
    _ table: GraphLayout.RelationshipTable, fromSource: Bool, to nodes: GraphLayout.NodeTable,
    _ search: RelationshipSearch
  ) -> Join {
    let key = JoinKey(
      collection: table.collection, isSource: fromSource, hasBoth: search.end != nil,
      needs: search.needs, endNeeds: search.endNeeds)
    if let known = joins[key] { return known }
    let join = Join(table, key, nodes, search)
    joins[key] = join
    return join
  }

  /// Returns the relationships of a table whose source, or else target, is a node, each with the
  /// node at its other end.
  private func steps(
    _ table: GraphLayout.RelationshipTable, of node: GQLElementID, _ own: Int, fromSource: Bool,
    _ search: RelationshipSearch
  ) throws -> [(one: GQLRelationship, end: GQLNode)] {
    let (near, far) = fromSource ? (table.sources, table.targets) : (table.targets, table.sources)
    guard near.contains(own), try isFirst(node, own, near) else { return [] }
    var steps: [(one: GQLRelationship, end: GQLNode)] = []
    let ids = [node.id] + (search.end.map { [$0.id] } ?? [])
    if far.count == 1 {
      let nodes = layout.nodes[far[0]]
      guard search.end == nil || search.end?.collection == nodes.collection else { return [] }
      let join = join(table, fromSource: fromSource, to: nodes, search)
      let first = join.relationship.count
      _ = try database.cachedStatement(sql: join.sql).forEachRow(texts: ids) { columns in
        let end = join.node.node(columns, from: first)
        let one = join.relationship.relationship(
          columns, from: 0, source: fromSource ? node : end.id, target: fromSource ? end.id : node)
        steps.append((one, end))
        return true
      }
    } else {
      let names = fromSource ? ["source", "target"] : ["target", "source"]
      let condition = names.prefix(ids.count).map { "r.\($0) = ?" }.joined(separator: " AND ")
      for row in try rows(table, search.needs, " WHERE \(condition)", ids) {
        guard let end = try end(fromSource ? row.target : row.source, far) else { continue }
        let one = fromSource ? row.make(node, end.id) : row.make(end.id, node)
        steps.append((one, end))
      }
    }
    return steps
  }

  /// Returns the node with an id in one of some tables: the first that has it.
  private func end(_ id: String, _ tables: [Int]) throws -> GQLNode? {
    for index in tables {
      if let node = try node(id, layout.nodes[index]) { return node }
    }
    return nil
  }

  /// Returns the relationship between the nodes at its ends; nil if one is not there.
  private func whole(_ row: LooseRow, _ table: GraphLayout.RelationshipTable) throws
    -> GQLRelationship?
  {
    guard let source = try end(row.source, table.sources),
      let target = try end(row.target, table.targets)
    else { return nil }
    return row.make(source.id, target.id)
  }

  func relationship(_ id: GQLElementID) throws -> GQLRelationship? {
    guard let table = layout.relationship(id.collection) else { return nil }
    return try rows(table, .whole, " WHERE r.id = ?", [id.id]).first.flatMap {
      try whole($0, table)
    }
  }

  /// Returns the statement that follows the relationships of a table from their sources, or else
  /// from their targets, to nodes of another one.
  func statement(
    _ table: GraphLayout.RelationshipTable, fromSource: Bool, to nodes: GraphLayout.NodeTable,
    _ search: RelationshipSearch
  ) -> String { join(table, fromSource: fromSource, to: nodes, search).sql }

  func tables(_ types: [String]?) -> [GraphLayout.RelationshipTable] {
    guard let types else { return layout.relationships }
    return layout.relationships.filter { table in
      types.contains { $0.utf8.elementsEqual(table.type.utf8) }
    }
  }

  func forEachRelationship(
    of node: GQLElementID, _ wanted: RelationshipSearch,
    _ body: (GQLRelationship, GQLNode) throws -> Bool
  ) throws -> Bool {
    guard let own = layout.node(node.collection) else { return true }
    for table in tables(wanted.types) {
      if wanted.direction != .incoming {
        for step in try steps(table, of: node, own, fromSource: true, wanted) {
          guard try body(step.one, step.end) else { return false }
        }
      }
      if wanted.direction != .outgoing {
        for step in try steps(table, of: node, own, fromSource: false, wanted) {
          // One of a node with itself was handed over with those that begin at it.
          if wanted.direction == .either, step.end.id == node { continue }
          guard try body(step.one, step.end) else { return false }
        }
      }
    }
    return true
  }

  func way(along steps: [ChainStep], from collection: String) throws -> PathWay {
    // A statement that writes must not read on while it changes what it reads.
    guard readModel != nil else { return .stepByStep }
    guard var at = layout.node(collection) else { return .nowhere }
    var found: [ChainReader.Tables] = []
    for step in steps {
      let ofType = tables([step.type])
      guard let table = ofType.first else { return .nowhere }
      let (near, far) =
        step.isOutgoing ? (table.sources, table.targets) : (table.targets, table.sources)
      guard ofType.count == 1, near.count == 1, far.count == 1 else { return .stepByStep }
      guard near[0] == at else { return .nowhere }
      at = far[0]
      let nodes = layout.nodes[at]
      guard step.labels.allSatisfy(nodes.mayHave) else { return .nowhere }
      found.append((table, nodes))
    }
    let reader = ChainReader(try database, steps, found)
    return reader.columnCount <= Self.columnsMax ? .statement(reader) : .stepByStep
  }

  /// Whether no table before the node's has a node of the same id, whose the end would be.
  private func isFirst(_ node: GQLElementID, _ own: Int, _ tables: [Int]) throws -> Bool {
    guard tables.count > 1 else { return true }
    return try end(node.id, tables)?.id == node
  }

  func forEachRelationship(types: [String]?, _ body: (GQLRelationship) throws -> Bool) throws
    -> Bool
  {
    for table in tables(types) {
      for row in try rows(table, .whole, "", []) {
        guard let one = try whole(row, table) else { continue }
        guard try body(one) else { return false }
      }
    }
    return true
  }

  // MARK: - Names

  func knows(_ kind: NameKind, _ name: String) -> Bool { layout.knows(kind, name) }

  func knownNames(_ kind: NameKind) -> [String] { layout.knownNames(kind) }

  func names(_ kind: NameKind) throws -> [String] {
    // By their bytes: Swift takes some names for equal that are not.
    var names: [[UInt8]: String] = [:]
    func insert(_ name: String) { names[Array(name.utf8)] = name }
    func isUsed(_ table: String, _ column: String?) throws -> Bool {
      let condition =
        column.map { " WHERE \"\($0)\"\(kind == .labels ? "" : " IS NOT NULL")" } ?? ""
      return try Bool.fetchOne(
        database, sql: "SELECT 1 FROM \"\(table)\"\(condition) LIMIT 1") ?? false
    }
    switch kind {
    case .types:
      for table in layout.relationships where try isUsed(table.collection, nil) {
        insert(table.type)
      }
    case .labels, .properties:
      for table in layout.nodes {
        if kind == .labels, let label = table.label, try isUsed(table.collection, nil) {
          insert(label)
        }
        try used(table.columns, table.collection, kind, isUsed).forEach(insert)
      }
      for table in layout.relationships {
        try used(table.columns, table.collection, kind, isUsed).forEach(insert)
      }
    }
    return names.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
  }

  private func used(
    _ columns: [GraphLayout.Column], _ table: String, _ kind: NameKind,
    _ isUsed: (String, String?) throws -> Bool
  ) throws -> [String] {
    try columns.compactMap { column in
      switch column.meaning {
      case .label(let name):
        try kind == .labels && isUsed(table, column.name) ? name : nil
      case .property(let name), .field(let name, _):
        try kind == .properties && isUsed(table, column.name) ? name : nil
      }
    }
  }
}

/// A look-up of nodes in one table. What SQL cannot decide is left to the plan.
struct TableSearch {
  /// The condition with `AND` behind it; empty for all rows.
  private(set) var condition = ""
  /// The values, as texts.
  private(set) var texts: [String] = []

  /// Makes the look-up; nil if the table cannot have such nodes.
  init?(_ wanted: NodeSearch, _ table: GraphLayout.NodeTable) {
    condition.reserveCapacity(96)
    if let label = wanted.label {
      if let own = table.label {
        guard own.utf8.elementsEqual(label.utf8) else { return nil }
      } else {
        guard let column = table.column(ofLabel: label) else { return nil }
        condition += "\"\(column.name)\" AND "
      }
    }
    for (property, value) in wanted.equal {
      if table.label != nil, property == "id" {
        guard case .string(let id) = value else {
          if value.isNull { continue }
          return nil
        }
        add("id", [id])
        continue
      }
      guard let column = table.column(ofProperty: property) else { return nil }
      switch (column.meaning, value) {
      case (.property, _):
        if let texts = StoredValue.equalTexts(value) {
          add(column.name, texts)
        }
      case (.field(_, .text), .string(let text)): add(column.name, [text])
      case (.field(_, .integer), .integer(let number)): add(column.name, [String(number)])
      default: break
      }
    }
  }

  private mutating func add(_ column: String, _ values: [String]) {
    condition += "\""
    condition += column
    let marks = String(repeating: ", ?", count: values.count - 1)
    condition += values.count == 1 ? "\" = ? AND " : "\" IN (?\(marks)) AND "
    texts += values
  }
}

/// The graph of a snapshot.
final class SnapshotGraph: StoredGraph {
  private let connection: Database
  private let view: ReadModelView

  init(_ connection: Database, _ view: ReadModelView, _ graph: GraphName) throws {
    self.connection = connection
    self.view = view
    let collections = try GraphCatalog.collections(of: graph, connection, view.schema)
    super.init(GraphLayout(view.schema, collections))
  }

  override var database: Database { connection }
  override var readModel: ReadModelView? { view }
}
