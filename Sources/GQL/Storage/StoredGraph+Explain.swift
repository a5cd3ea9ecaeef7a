import DaybookProjections

/// What `EXPLAIN` says of a store's graph.
extension StoredGraph {
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

  func statements(label: String?, properties: [String], _ needs: ElementNeeds) -> [String] {
    layout.nodes.compactMap { table in
      // Values of the types that the fields have: the statement is that of any of them.
      let equal = properties.compactMap { property -> (String, GQLValue)? in
        if table.label != nil, property == "id" { return (property, .string("")) }
        guard let column = table.column(ofProperty: property) else { return nil }
        if case .field(_, .integer) = column.meaning { return (property, .integer(0)) }
        return (property, .string(""))
      }
      guard equal.count == properties.count,
        let search = TableSearch(NodeSearch(label: label, equal: equal), table)
      else { return nil }
      return scan(table, search.condition, needs).1
    }
  }

  func statements(_ wanted: RelationshipSearch, isEndKnown: Bool) -> [String] {
    var search = wanted
    // Any node stands for the one that is given.
    if isEndKnown { search.end = GQLElementID(collection: "", id: "") }
    return tables(wanted.types).flatMap { table in
      [true, false].compactMap { fromSource in
        let far = fromSource ? table.targets : table.sources
        guard wanted.direction != (fromSource ? .incoming : .outgoing), far.count == 1 else {
          return nil
        }
        return statement(table, fromSource: fromSource, to: layout.nodes[far[0]], search)
      }
    }
  }

  func statements(along steps: [ChainStep]) throws -> [String] {
    try layout.nodes.compactMap { table in
      guard case .statement(let reader) = try way(along: steps, from: table.collection) else {
        return nil
      }
      return reader.sql
    }
  }
}
