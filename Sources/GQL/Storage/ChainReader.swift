import DaybookEventCore
import DaybookProjections
import GRDB

/// One step of a chain: which relationships are followed, and what is read of what is there.
struct ChainStep {
  var isOutgoing: Bool
  var type: String
  /// Whether the labels of the node at the end are read.
  var hasLabels: Bool
  /// Labels that the node at the end must have, all of them; there may be conditions besides.
  var labels: [String]
  /// Whether the relationship is read.
  var hasRelationship: Bool
  /// Whether the id of the node at the end is read.
  var hasID: Bool
  var relationship: ElementNeeds
  var node: ElementNeeds
  /// Whether the node at the end is given. It is the last step then.
  var isEndKnown: Bool
}

/// How a graph follows the steps of a chain.
enum PathWay {
  /// There are no such paths.
  case nowhere
  /// One step after the other.
  case stepByStep
  /// By one statement of SQL.
  case statement(ChainReader)
}

/// A row of a chain: a path from the node where it began.
struct ChainRow {
  fileprivate let reader: ChainReader
  fileprivate let columns: Columns

  /// Returns the node at the end of a step, from 0. It must not be one that was given.
  func node(_ step: Int) -> GQLNode {
    let part = reader.parts[step]
    // Rows with one node follow each other if more steps come behind it.
    if step + 1 < reader.parts.count, let known = reader.latest[step],
      columns.isText(part.nodeColumn, known.id.id)
    {
      return known
    }
    let node = part.node.node(columns, from: part.nodeColumn)
    reader.latest[step] = node
    return node
  }

  func id(_ step: Int) -> GQLElementID {
    let part = reader.parts[step]
    return part.node.id(columns, from: part.nodeColumn)
  }

  func labels(_ step: Int) -> [String] {
    let part = reader.parts[step]
    return part.node.labels(columns, from: part.nodeColumn)
  }

  /// Returns the relationship of a step between the nodes where it begins and ends.
  func relationship(_ step: Int, from start: GQLElementID, to end: GQLElementID)
    -> GQLRelationship
  {
    let part = reader.parts[step]
    let (source, target) = part.isOutgoing ? (start, end) : (end, start)
    return part.relationship.relationship(
      columns, from: part.relationshipColumn, source: source, target: target)
  }
}

/// Follows several relationships, one after the other, by one statement of SQL.
final class ChainReader {
  typealias Tables = (
    relationships: GraphLayout.RelationshipTable, nodes: GraphLayout.NodeTable
  )

  fileprivate final class Part {
    let isOutgoing: Bool
    let relationship: RelationshipReader
    let node: NodeReader
    var relationshipColumn: Int32 = 0
    var nodeColumn: Int32 = 0

    init(_ step: ChainStep, _ tables: Tables) {
      isOutgoing = step.isOutgoing
      relationship = RelationshipReader(tables.relationships, step.relationship)
      node = NodeReader(tables.nodes, step.node, hasLabels: step.hasLabels)
    }
  }

  fileprivate let parts: [Part]
  /// The columns of a row.
  let columnCount: Int
  /// For each step, the node of the latest row.
  fileprivate var latest: [GQLNode?]
  private let database: Database
  let sql: String
  /// The collection of the node at the end.
  private let target: String
  private var statement: GRDB.Statement?
  /// The node from which ``count(from:to:)`` began last, and how many relationships lead from it to
  /// each node; nil if it was asked for only once, or if there are too many.
  private var ends: (start: GQLElementID, counts: [GQLElementID: Int]?)?
  /// Whether no node had too many.
  private var isCountable = true
  /// The most relationships of a node that are read to be counted.
  private static let endsMax = 256

  /// Makes the statement.
  /// - Parameter tables: for each step, the table of its relationships and that of their ends.
  init(_ database: Database, _ steps: [ChainStep], _ tables: [Tables]) {
    var parts: [Part] = []
    var names: [String] = []
    var from = ""
    var conditions: [String] = []
    for (index, (step, table)) in zip(steps, tables).enumerated() {
      let part = Part(step, table)
      part.relationshipColumn = Int32(names.count)
      if step.hasRelationship { names += part.relationship.selection(of: "r\(index)") }
      let (near, far) = step.isOutgoing ? ("source", "target") : ("target", "source")
      // SQLite takes the tables of a cross join in their order.
      let relationships = "\(GraphLayout.quoted(table.relationships.collection)) r\(index)"
      if index == 0 {
        from = relationships
        conditions.append("r0.\(near) = ?")
      } else {
        from += " CROSS JOIN \(relationships) ON r\(index).\(near) = n\(index - 1).id"
      }
      if step.isEndKnown {
        conditions.append("r\(index).\(far) = ?")
      } else {
        part.nodeColumn = Int32(names.count)
        if step.hasID || step.hasLabels { names += part.node.selection(of: "n\(index)") }
        from +=
          " CROSS JOIN \(GraphLayout.quoted(table.nodes.collection)) n\(index)"
          + " ON n\(index).id = r\(index).\(far)"
        for label in step.labels {
          if let column = table.nodes.column(ofLabel: label) {
            conditions.append("n\(index).\(GraphLayout.quoted(column.name))")
          }
        }
      }
      for (other, before) in parts.enumerated()
      where before.relationship.table.collection == table.relationships.collection {
        conditions.append("r\(other)._rowid_ <> r\(index)._rowid_")
      }
      parts.append(part)
    }
    self.parts = parts
    columnCount = names.count
    self.database = database
    latest = parts.map { _ in nil }
    target = parts.last?.node.table.collection ?? ""
    sql =
      "SELECT \(names.isEmpty ? "1" : names.joined(separator: ", ")) FROM \(from) "
      + "WHERE \(conditions.joined(separator: " AND "))"
  }

  /// Returns how many relationships lead from a node to another one, of a chain of one step of
  /// which nothing else is read.
  ///
  /// A condition on a pattern asks this of many nodes in a row from one node. All ends of its
  /// relationships are read then, at the second time.
  /// - Returns: nil if it has to be asked by ``forEach(from:to:_:)``.
  func count(from start: GQLElementID, to end: GQLElementID) throws -> Int? {
    guard end.collection.isSame(as: target) else { return 0 }
    guard let known = ends, known.start == start else {
      ends = (start, nil)
      return nil
    }
    if let counts = known.counts { return counts[end] ?? 0 }
    guard isCountable else { return nil }
    let table = GraphLayout.quoted(parts[0].relationship.table.collection)
    let (near, far) = parts[0].isOutgoing ? ("source", "target") : ("target", "source")
    let sql = "SELECT \(far) FROM \(table) WHERE \(near) = ? LIMIT \(Self.endsMax + 1)"
    var (counts, rows): ([GQLElementID: Int], Int) = ([:], 0)
    _ = try database.cachedStatement(sql: sql).forEachRow(texts: [start.id]) { columns in
      rows += 1
      if columns.isNull(0) { return true }
      counts[GQLElementID(collection: target, id: columns.text(0)), default: 0] += 1
      return true
    }
    guard rows <= Self.endsMax else {
      isCountable = false
      return nil
    }
    ends = (start, counts)
    return counts[end] ?? 0
  }

  /// Hands over the paths from a node, until `body` returns false.
  /// - Parameter end: the node at the end, if it is given.
  /// - Returns: false if `body` has returned false.
  func forEach(
    from start: GQLElementID, to end: GQLElementID?, _ body: (ChainRow) throws -> Bool
  ) throws -> Bool {
    if let end, end.collection != target { return true }
    var own = try statement ?? database.cachedStatement(sql: sql)
    // A pattern within a loop over the same pattern needs a statement of its own.
    if own.isBusy { own = try database.makeStatement(sql: sql) }
    statement = own
    return try own.forEachRow(texts: [start.id] + (end.map { [$0.id] } ?? [])) { columns in
      try body(ChainRow(reader: self, columns: columns))
    }
  }
}
