import DaybookProjections

/// Reads the nodes of one table, with what a plan needs of them.
struct NodeReader {
  let table: GraphLayout.NodeTable
  /// Whether the id is read as a property, too.
  private let hasID: Bool
  private let columns: [GraphLayout.Column]

  /// - Parameter hasLabels: whether labels are read.
  init(_ table: GraphLayout.NodeTable, _ needs: ElementNeeds, hasLabels: Bool = true) {
    self.table = table
    hasID = table.label != nil && needs.includes("id")
    columns = table.columns.filter { column in
      switch column.meaning {
      case .label: hasLabels
      case .property(let name), .field(let name, _): needs.includes(name)
      }
    }
  }

  /// The columns to select, the first of which is the id.
  func selection(of alias: String) -> [String] {
    (["id"] + columns.map(\.name)).map { "\(alias).\(GraphLayout.quoted($0))" }
  }

  /// The columns that are selected.
  var count: Int32 { Int32(columns.count + 1) }

  /// - Parameter first: the column of the id.
  func id(_ row: Columns, from first: Int32) -> GQLElementID {
    GQLElementID(collection: table.collection, id: row.text(first))
  }

  func labels(_ row: Columns, from first: Int32) -> [String] {
    guard table.label == nil else { return table.typedLabels }
    var labels: [String] = []
    for (index, column) in columns.enumerated() {
      guard case .label(let name) = column.meaning else { continue }
      if row.integer(first + Int32(index + 1)) != 0 { labels.append(name) }
    }
    if labels.count > 1 { labels.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
    return labels
  }

  func node(_ row: Columns, from first: Int32) -> GQLNode {
    let id = id(row, from: first)
    var entries: [(key: String, value: GQLValue)] = []
    if hasID { entries.append(("id", .string(id.id))) }
    columns.read(row, from: first + 1, into: &entries)
    return GQLNode(id: id, labels: labels(row, from: first), properties: GQLMap(unique: entries))
  }
}

/// Reads the relationships of one table, with what a plan needs of them.
struct RelationshipReader {
  let table: GraphLayout.RelationshipTable
  private let hasID: Bool
  private let columns: [GraphLayout.Column]

  init(_ table: GraphLayout.RelationshipTable, _ needs: ElementNeeds) {
    self.table = table
    hasID = !table.isOpen && needs.includes("id")
    columns = table.columns.filter { column in
      switch column.meaning {
      case .label: false
      case .property(let name), .field(let name, _): needs.includes(name)
      }
    }
  }

  /// The columns to select, the first of which is the id.
  func selection(of alias: String) -> [String] {
    (["id"] + columns.map(\.name)).map { "\(alias).\(GraphLayout.quoted($0))" }
  }

  /// The columns that are selected.
  var count: Int32 { Int32(columns.count + 1) }

  /// - Parameter first: the column of the id.
  func relationship(
    _ row: Columns, from first: Int32, source: GQLElementID, target: GQLElementID
  ) -> GQLRelationship {
    let id = row.text(first)
    var entries: [(key: String, value: GQLValue)] = []
    if hasID { entries.append(("id", .string(id))) }
    columns.read(row, from: first + 1, into: &entries)
    return GQLRelationship(
      id: GQLElementID(collection: table.collection, id: id), type: table.type, source: source,
      target: target, properties: GQLMap(unique: entries))
  }
}

extension [GraphLayout.Column] {
  /// Appends the properties that a row has.
  /// - Parameter first: the place of the first of these columns.
  fileprivate func read(
    _ row: Columns, from first: Int32, into entries: inout [(key: String, value: GQLValue)]
  ) {
    for index in indices {
      let place = first + Int32(index)
      if row.isNull(place) { continue }
      switch self[index].meaning {
      case .label: continue
      case .property(let name):
        entries.append((name, StoredValue.value(json: row.cell(place))))
      case .field(let name, let type):
        entries.append((name, StoredValue.value(row.cell(place), type)))
      }
    }
  }
}
