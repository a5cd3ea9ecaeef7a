import DaybookEngine
import DaybookProjections
import GRDB

/// The graph of a store, on one snapshot or within a transaction.
class StoredGraph: GraphAccess {
  private(set) var layout: GraphLayout
  /// The statements that follow relationships, by collection and end.
  private var joins: [Join: String] = [:]
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

  /// Reads a node.
  /// - Parameter first: the column that has its number; its id and the table's columns follow.
  private func node(_ columns: Columns, _ table: GraphLayout.NodeTable, from first: Int32 = 0)
    -> (Int64, GQLNode)
  {
    var labels: [String] = table.label.map { [$0] } ?? []
    var entries: [(key: String, value: GQLValue)] = []
    let id = columns.text(first + 1)
    if table.label != nil { entries.append(("id", .string(id))) }
    for (index, column) in table.columns.enumerated() {
      let place = first + Int32(index + 2)
      if columns.isNull(place) { continue }
      switch column.meaning {
      case .label(let name): if columns.integer(place) != 0 { labels.append(name) }
      case .property(let name):
        entries.append((name, StoredValue.value(json: columns.cell(place))))
      case .field(let name, let type):
        entries.append((name, StoredValue.value(columns.cell(place), type)))
      }
    }
    if labels.count > 1 { labels.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
    let node = GQLNode(
      id: GQLElementID(collection: table.collection, id: id), labels: labels,
      properties: GQLMap(entries))
    return (columns.integer(first), node)
  }

  private func node(_ id: String, _ table: GraphLayout.NodeTable) throws -> GQLNode? {
    var found: GQLNode?
    try database.forEachRow("\(table.selection) WHERE id = ?", arguments: [id]) { columns in
      found = node(columns, table).1
    }
    return found
  }

  func node(_ id: GQLElementID) throws -> GQLNode? {
    try layout.node(id.collection).flatMap { try node(id.id, layout.nodes[$0]) }
  }

  func forEachNode(_ wanted: NodeSearch, _ body: (GQLNode) throws -> Bool) throws -> Bool {
    for table in layout.nodes {
      guard let search = TableSearch(wanted, table) else { continue }
      var after = Int64.min
      while true {
        var page: [GQLNode] = []
        let sql =
          "\(table.selection) WHERE \(search.condition)_rowid_ > ? ORDER BY _rowid_ "
          + "LIMIT \(Self.pageSize)"
        let arguments = StatementArguments(search.arguments + [after.databaseValue])
        try database.forEachRow(sql, arguments: arguments) { columns in
          let (number, node) = node(columns, table)
          after = number
          page.append(node)
        }
        for node in page { guard try body(node) else { return false } }
        if page.count < Self.pageSize { break }
      }
    }
    return true
  }

  // MARK: - Relationships

  private typealias RelationshipRow = (
    id: String, source: String, target: String, properties: GQLMap
  )

  private func row(_ columns: Columns, _ table: GraphLayout.RelationshipTable) -> RelationshipRow? {
    guard !columns.isNull(1), !columns.isNull(2) else { return nil }
    var entries: [(key: String, value: GQLValue)] = []
    if !table.isOpen { entries.append(("id", .string(columns.text(0)))) }
    for (index, column) in table.columns.enumerated() {
      let place = Int32(index + 3)
      if columns.isNull(place) { continue }
      switch column.meaning {
      case .label: break
      case .property(let name):
        entries.append((name, StoredValue.value(json: columns.cell(place))))
      case .field(let name, let type):
        entries.append((name, StoredValue.value(columns.cell(place), type)))
      }
    }
    return (columns.text(0), columns.text(1), columns.text(2), GQLMap(entries))
  }

  private func rows(_ table: GraphLayout.RelationshipTable, _ condition: String, _ ids: [String])
    throws -> [RelationshipRow]
  {
    var rows: [RelationshipRow] = []
    let sql = "\(table.selection)\(condition)"
    try database.forEachRow(sql, arguments: StatementArguments(ids)) { columns in
      if let row = row(columns, table) { rows.append(row) }
    }
    return rows
  }

  /// One end of the relationships of a collection.
  private struct Join: Hashable {
    var collection: String
    var isSource: Bool
    /// Whether the other end is given, too.
    var hasBoth: Bool
  }

  /// Returns the statement that reads the relationships of a table whose source, or else target, is
  /// a node, each with the node at its other end. Those nodes are all in one table.
  /// - Parameter hasBoth: whether the node at the other end is given, too.
  private func join(
    _ table: GraphLayout.RelationshipTable, fromSource: Bool, to nodes: GraphLayout.NodeTable,
    hasBoth: Bool
  ) -> String {
    let key = Join(collection: table.collection, isSource: fromSource, hasBoth: hasBoth)
    if let known = joins[key] { return known }
    let names =
      (["id", "source", "target"] + table.columns.map(\.name)).map { "r.\(GraphLayout.quoted($0))" }
      + ["n._rowid_", "n.id"] + nodes.columns.map { "n.\(GraphLayout.quoted($0.name))" }
    let (near, far) = fromSource ? ("source", "target") : ("target", "source")
    // SQLite takes the tables of a cross join in their order.
    let sql =
      "SELECT \(names.joined(separator: ", ")) FROM \(GraphLayout.quoted(table.collection)) r "
      + "CROSS JOIN \(GraphLayout.quoted(nodes.collection)) n ON n.id = r.\(far) "
      + "WHERE r.\(near) = ?" + (hasBoth ? " AND r.\(far) = ?" : "")
    joins[key] = sql
    return sql
  }

  /// Returns the relationships of a table whose source, or else target, is a node, each with the
  /// node at its other end.
  /// - Parameter wanted: the node at the other end; nil for any.
  private func steps(
    _ table: GraphLayout.RelationshipTable, of node: GQLElementID, _ own: Int, fromSource: Bool,
    to wanted: GQLElementID?
  ) throws -> [(one: GQLRelationship, end: GQLNode)] {
    let (near, far) = fromSource ? (table.sources, table.targets) : (table.targets, table.sources)
    guard near.contains(own), try isFirst(node, own, near) else { return [] }
    var steps: [(one: GQLRelationship, end: GQLNode)] = []
    func add(_ row: RelationshipRow, _ end: GQLNode) {
      let one = GQLRelationship(
        id: GQLElementID(collection: table.collection, id: row.id), type: table.type,
        source: fromSource ? node : end.id, target: fromSource ? end.id : node,
        properties: row.properties)
      steps.append((one, end))
    }
    let ids = [node.id] + (wanted.map { [$0.id] } ?? [])
    if far.count == 1 {
      let nodes = layout.nodes[far[0]]
      guard wanted == nil || wanted?.collection == nodes.collection else { return [] }
      let first = Int32(table.columns.count + 3)
      let sql = join(table, fromSource: fromSource, to: nodes, hasBoth: wanted != nil)
      try database.forEachRow(sql, arguments: StatementArguments(ids)) { columns in
        if let row = row(columns, table) { add(row, self.node(columns, nodes, from: first).1) }
      }
    } else {
      let names = fromSource ? ["source", "target"] : ["target", "source"]
      let condition = names.prefix(ids.count).map { "\($0) = ?" }.joined(separator: " AND ")
      for row in try rows(table, " WHERE \(condition)", ids) {
        if let end = try end(fromSource ? row.target : row.source, far) { add(row, end) }
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

  func relationship(_ id: GQLElementID) throws -> GQLRelationship? {
    guard let table = layout.relationship(id.collection),
      let row = try rows(table, " WHERE id = ?", [id.id]).first,
      let source = try end(row.source, table.sources),
      let target = try end(row.target, table.targets)
    else { return nil }
    return GQLRelationship(
      id: id, type: table.type, source: source.id, target: target.id, properties: row.properties)
  }

  private func tables(_ types: [String]?) -> [GraphLayout.RelationshipTable] {
    guard let types else { return layout.relationships }
    return layout.relationships.filter { table in
      types.contains { $0.utf8.elementsEqual(table.type.utf8) }
    }
  }

  func forEachRelationship(
    of node: GQLElementID, _ direction: GQLRelationshipPattern.Direction, types: [String]?,
    to end: GQLElementID?, _ body: (GQLRelationship, GQLNode) throws -> Bool
  ) throws -> Bool {
    guard let own = layout.node(node.collection) else { return true }
    for table in tables(types) {
      if direction != .incoming {
        for step in try steps(table, of: node, own, fromSource: true, to: end) {
          guard try body(step.one, step.end) else { return false }
        }
      }
      if direction != .outgoing {
        for step in try steps(table, of: node, own, fromSource: false, to: end) {
          // One of a node with itself was handed over with those that begin at it.
          if direction == .either, step.end.id == node { continue }
          guard try body(step.one, step.end) else { return false }
        }
      }
    }
    return true
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
      for row in try rows(table, "", []) {
        guard let source = try end(row.source, table.sources),
          let target = try end(row.target, table.targets)
        else { continue }
        let one = GQLRelationship(
          id: GQLElementID(collection: table.collection, id: row.id), type: table.type,
          source: source.id, target: target.id, properties: row.properties)
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

  func explain(label: String?, properties: [String]) -> String {
    let ways: [String] = layout.nodes.compactMap { table in
      guard let search = TableSearch(NodeSearch(label: label), table) else { return nil }
      var columns = search.condition.isEmpty ? [] : [String(search.condition.dropLast(5))]
      for property in properties {
        if table.label != nil, property == "id" {
          columns.append("id")
        } else {
          guard let column = table.column(ofProperty: property) else { return nil }
          columns.append("\"\(column.name)\"")
        }
      }
      return columns.isEmpty
        ? "all of \(table.collection)"
        : "\(table.collection) by \(columns.joined(separator: ", "))"
    }
    return ways.isEmpty ? "none" : ways.joined(separator: "; ")
  }
}

/// A look-up of nodes in one table. What SQL cannot decide is left to the plan.
struct TableSearch {
  /// The condition with `AND` behind it; empty for all rows.
  private(set) var condition = ""
  private(set) var arguments: [DatabaseValue] = []

  /// Makes the look-up; nil if the table cannot have such nodes.
  init?(_ wanted: NodeSearch, _ table: GraphLayout.NodeTable) {
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
        add("id", [id.databaseValue])
        continue
      }
      guard let column = table.column(ofProperty: property) else { return nil }
      switch (column.meaning, value) {
      case (.property, _):
        if let texts = StoredValue.equalTexts(value) {
          add(column.name, texts.map(\.databaseValue))
        }
      case (.field(_, .text), .string(let text)): add(column.name, [text.databaseValue])
      case (.field(_, .integer), .integer(let number)): add(column.name, [number.databaseValue])
      default: break
      }
    }
  }

  private mutating func add(_ column: String, _ values: [DatabaseValue]) {
    let marks = values.map { _ in "?" }.joined(separator: ", ")
    condition += "\"\(column)\" \(values.count == 1 ? "= ?" : "IN (\(marks))") AND "
    arguments += values
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
