import DaybookProjections
import GRDB

/// One step of a chain: which relationships are followed, and what is read of what is there.
struct ChainStep: Hashable {
  var isOutgoing: Bool
  var type: String
  /// Whether the labels of the node at the end are read.
  var hasLabels: Bool
  var relationship: ElementNeeds
  var node: ElementNeeds
}

/// A row of a chain: a path from the node where it began.
struct ChainRow {
  fileprivate let reader: ChainReader
  fileprivate let columns: Columns

  /// Returns the node at the end of a step, from 0.
  func node(_ step: Int) -> GQLNode {
    let part = reader.parts[step]
    return part.node.node(columns, from: part.nodeColumn)
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
  fileprivate struct Part {
    var isOutgoing: Bool
    var relationship: RelationshipReader
    var node: NodeReader
    var relationshipColumn: Int32 = 0
    var nodeColumn: Int32 = 0
  }

  fileprivate let parts: [Part]
  let sql: String
  /// The statement, unless a loop is on one of its rows.
  private var statement: GRDB.Statement?

  /// Makes the statement.
  /// - Parameter tables: for each step, the table of its relationships and that of their ends.
  init(
    _ steps: [ChainStep],
    _ tables: [(relationships: GraphLayout.RelationshipTable, nodes: GraphLayout.NodeTable)]
  ) {
    var parts: [Part] = []
    var names: [String] = []
    var from = ""
    var conditions: [String] = []
    for (index, (step, table)) in zip(steps, tables).enumerated() {
      var part = Part(
        isOutgoing: step.isOutgoing,
        relationship: RelationshipReader(table.relationships, step.relationship),
        node: NodeReader(table.nodes, step.node, hasLabels: step.hasLabels))
      part.relationshipColumn = Int32(names.count)
      names += part.relationship.selection(of: "r\(index)")
      part.nodeColumn = Int32(names.count)
      names += part.node.selection(of: "n\(index)")
      let (near, far) = step.isOutgoing ? ("source", "target") : ("target", "source")
      // SQLite takes the tables of a cross join in their order.
      let relationships = "\(GraphLayout.quoted(table.relationships.collection)) r\(index)"
      if index == 0 {
        from = relationships
        conditions.append("r0.\(near) = ?")
      } else {
        from += " CROSS JOIN \(relationships) ON r\(index).\(near) = n\(index - 1).id"
      }
      from +=
        " CROSS JOIN \(GraphLayout.quoted(table.nodes.collection)) n\(index)"
        + " ON n\(index).id = r\(index).\(far)"
      for (other, before) in parts.enumerated()
      where before.relationship.table.collection == table.relationships.collection {
        conditions.append("r\(other)._rowid_ <> r\(index)._rowid_")
      }
      parts.append(part)
    }
    self.parts = parts
    sql =
      "SELECT \(names.joined(separator: ", ")) FROM \(from) "
      + "WHERE \(conditions.joined(separator: " AND "))"
  }

  /// Hands over the paths from a node, until `body` returns false.
  /// - Returns: false if `body` has returned false.
  func forEach(_ database: Database, from id: String, _ body: (ChainRow) throws -> Bool) throws
    -> Bool
  {
    // A pattern within a loop over the same pattern needs a statement of its own.
    let own = try statement ?? database.makeStatement(sql: sql)
    statement = nil
    defer { statement = own }
    let rows = try Row.fetchCursor(own, arguments: [id])
    let row = ChainRow(reader: self, columns: Columns(own))
    while try rows.next() != nil { guard try body(row) else { return false } }
    return true
  }
}
