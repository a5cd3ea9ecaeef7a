import DaybookEngine
import DaybookEventCore
import DaybookOpenGraph
import DaybookProjections
import GRDB

/// Makes the nodes of a label entities of a typed collection.
extension TransactionGraph {
  /// Moves all nodes of a label to a collection, with their relationships.
  ///
  /// A node becomes an entity with its id or, if it has a property `id`, with that. A relationship
  /// goes to the typed relationship collection of its type's name, if that takes both ends, and
  /// stays open otherwise. A collection that is not defined yet gets a field for each property.
  /// - Returns: how many nodes and relationships were moved.
  /// - Throws: ``GQLError`` if a node has another label, or if a value would be lost; `StoreError`
  ///   if the collection's rules refuse an entity.
  func promote(_ label: String, to collection: String, _ run: PlanRun) throws
    -> (nodes: Int, relationships: Int)
  {
    let nodes = try openNodes(label, run)
    guard !nodes.isEmpty else { return (0, 0) }
    if layout.typed(collection) == nil {
      try define(collection, for: nodes)
      try requireEmpty(collection)
    }
    guard let table = layout.typed(collection) else {
      throw GQLError(
        .argument, "InvalidArgumentValue",
        "“\(collection)” is a relationship collection or kept for graphs, and has no nodes",
        hint: "Choose another name")
    }
    var moved: [GQLElementID: GQLNode] = [:]
    for node in nodes {
      moved[node.id] = try locating("node", node.id) {
        try requireFields(for: node.properties)
        let new = try createTyped(table, node.properties, nil, as: node.id.id)
        try requireEqual(new.properties, node.properties, in: collection)
        return new
      }
    }
    var seen: Set<GQLElementID> = []
    for node in nodes {
      for one in try relationships(of: node) where seen.insert(one.id).inserted {
        try run.budget.step()
        try locating("relationship", one.id) {
          try move(one, moved, run)
        }
      }
    }
    for node in nodes { try run.delete(node, isDetaching: true) }
    for node in moved.values { run.note(node) }
    run.counts.nodesCreated += nodes.count
    run.counts.relationshipsCreated += seen.count
    return (nodes.count, seen.count)
  }

  private func openNodes(_ label: String, _ run: PlanRun) throws -> [GQLNode] {
    var nodes: [GQLNode] = []
    _ = try forEachNode(NodeSearch(label: label)) { node in
      guard node.id.collection.isSame(as: layout.graph.nodes), label.isOne(of: node.labels) else {
        return true
      }
      try run.budget.step()
      try run.budget.keep([.node(node)])
      let others = node.labels.filter { !$0.isSame(as: label) }
      guard others.isEmpty else {
        throw GQLError(
          .constraint, "TypedCollection",
          "the node \(node.id.id) also has the labels \(others.joined(separator: ", ")), and a "
            + "node of a collection has that label alone",
          hint: "Remove them first, by REMOVE n:\(others[0])")
      }
      nodes.append(node)
      return true
    }
    return nodes
  }

  private func relationships(of node: GQLNode) throws -> [GQLRelationship] {
    var found: [GQLRelationship] = []
    _ = try forEachRelationship(of: node.id, RelationshipSearch()) { one, _ in
      found.append(one)
      return true
    }
    return found
  }

  private func move(
    _ one: GQLRelationship, _ moved: [GQLElementID: GQLNode], _ run: PlanRun
  ) throws {
    let ends = try [one.source, one.target].compactMap { try moved[$0] ?? node($0) }
    guard ends.count == 2 else { return }
    let typed = layout.relationships.first { table in
      !table.isOpen && table.type.isSame(as: one.type) && layout.has(ends[0].id, in: table.sources)
        && layout.has(ends[1].id, in: table.targets)
    }
    let new: GQLRelationship
    if let typed {
      new = try createTyped(
        typed, from: ends[0], to: ends[1], one.properties, nil, as: one.id.id)
      guard let stored = try relationship(new.id), stored.source == ends[0].id,
        stored.target == ends[1].id
      else {
        throw GQLError(
          .constraint, "TypedCollection",
          "\(typed.collection) does not tell which collections its ends are in",
          hint: "Declare them, in Swift by connecting(_:to:)")
      }
      try requireEqual(stored.properties, one.properties, in: typed.collection)
    } else {
      new = try createOpen(
        one.type, from: ends[0], to: ends[1], one.properties, nil, as: one.id.id)
    }
    run.note(new)
  }

  // MARK: - Errors

  /// Checks that no value has a type that no field has.
  private func requireFields(for properties: GQLMap) throws {
    for (name, value) in properties.entries {
      switch value {
      case .date, .localDateTime, .localTime, .time, .duration:
        let shown = Conversion.name(name)
        throw GQLError(
          .type, "InvalidPropertyType", "no field holds \(value.typeName), as \(shown) does",
          hint: "Make it a text by SET n.\(shown) = toString(n.\(shown)), or a moment by datetime")
      default: continue
      }
    }
  }

  /// Checks that a collection that was just defined is no dropped one with its entities.
  private func requireEmpty(_ collection: String) throws {
    guard layout.typed(collection) != nil,
      try Bool.fetchOne(
        database, sql: "SELECT 1 FROM \(GraphLayout.quoted(collection)) LIMIT 1") ?? false
    else { return }
    throw GQLError(
      .exists, "Exists", "there was a collection “\(collection)”, whose entities would be back",
      hint: "Choose another name, or define it again first")
  }

  private func requireEqual(_ stored: GQLMap, _ given: GQLMap, in collection: String) throws {
    func isKept(_ name: String, _ value: GQLValue) -> Bool {
      guard let kept = stored[key: name], kept.key == value.key else { return false }
      // Moments are equal in every zone, and a field has none.
      if case .dateTime = value { return kept.description == value.description }
      return true
    }
    for (name, value) in given.entries where !isKept(name, value) {
      throw GQLError(
        .type, "InvalidPropertyType",
        "the field \(collection).\(name) cannot hold all of \(value.description)")
    }
  }

  /// Runs a step whose errors name the element that cannot be moved.
  private func locating<T>(_ what: String, _ id: GQLElementID, _ body: () throws -> T) throws -> T {
    do { return try body() } catch var error as GQLError {
      error.message = "the \(what) \(id.id): \(error.message)"
      error.hint =
        error.hint ?? "Change the value by SET first, or define the field with another type"
      throw error
    } catch var error as StoreError {
      error.message = "the \(what) \(id.id): \(error.message)"
      if error.code == .entityExists { error.hint = "Give one of them another id by SET n.id" }
      throw error
    }
  }

  // MARK: - A new collection

  /// Defines a collection that has a field for each property of some nodes.
  private func define(_ collection: String, for nodes: [GQLNode]) throws {
    guard transaction.schema[collection] == nil, !GraphCollections.owns(collection) else { return }
    var names: [String] = []
    var types: [String: FieldType] = [:]
    for node in nodes {
      for (name, value) in node.properties.entries where name != "id" {
        let type = Self.type(of: value)
        if let known = types[name] {
          types[name] = Self.common(known, type)
        } else {
          names.append(name)
          types[name] = type
        }
      }
    }
    try requireNames(names)
    try define(Definition(collection, names.map { Self.field($0, types[$0] ?? .json) }))
  }

  /// Checks that properties can be fields, whose names have letters, digits and underscores only,
  /// and do not differ by case alone.
  private func requireNames(_ names: [String]) throws {
    var seen: [String: String] = [:]
    for name in names {
      let shown = Conversion.name(name)
      let isField =
        name.utf8.allSatisfy {
          $0 == UInt8(ascii: "_") || GQLLexer.isDigit($0) || Self.isLetter($0)
        }
        && name.utf8.first.map(Self.isLetter) ?? false
      let other = seen.updateValue(shown, forKey: name.lowercased())
      guard !isField || other != nil else { continue }
      let reason =
        other.map { "differs from \($0) by case only" }
        ?? "has other characters than a-z, 0-9 and _"
      throw GQLError(
        .argument, "InvalidArgumentValue", "no field can have the name \(shown): it \(reason)",
        hint: "Rename the property: MATCH (n) SET n.other = n.\(shown) REMOVE n.\(shown)")
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7a ~= byte | 0x20 }

  private static func type(of value: GQLValue) -> FieldType {
    switch value {
    case .string: .text
    case .boolean: .boolean
    case .integer: .integer
    case .float(let number): number.isFinite ? .real : .json
    case .dateTime: .timestamp
    default: .json
    }
  }

  private static func common(_ a: FieldType, _ b: FieldType) -> FieldType {
    switch (a, b) {
    case (.integer, .real), (.real, .integer): .real
    default: a == b ? a : .json
    }
  }

  private static func field(_ name: String, _ type: FieldType) -> Definition.Field {
    switch type {
    case .text: .text(name)
    case .boolean: .boolean(name)
    case .integer: .integer(name)
    case .real: .real(name)
    case .timestamp: .timestamp(name)
    case .json, .blob: .json(name)
    }
  }
}
