import DaybookEventCore

/// Changes of the graph, of which rows before them know.
extension PlanRun {
  private func writer(_ position: GQLPosition?) throws -> any GraphWriting {
    guard let writer = graph as? any GraphWriting else {
      throw GQLError(.readOnly, "ReadOnly", "the session only reads", at: position)
    }
    return writer
  }

  /// Returns what changes nodes, or what may change some.
  private func changer(_ position: GQLPosition?) throws -> any GraphWriting {
    noteNodeChange()
    return try writer(position)
  }

  func createNode(
    _ labels: [String], _ properties: GQLMap, key: [UInt8]?, _ position: GQLPosition
  ) throws -> GQLNode {
    var unique: [String] = []
    for label in labels where !label.isOne(of: unique) { unique.append(label) }
    let node = try GQLError.located(position) {
      try changer(position).createNode(labels: unique, properties: properties, key: key)
    }
    counts.nodesCreated += 1
    counts.labelsAdded += unique.count
    counts.propertiesSet += properties.entries.count
    // A new id is in no row. One that is given or derived may be that of something deleted.
    if key != nil || !isOpen(.node(unique)) { note(node) }
    return node
  }

  /// Whether what is made takes any properties, and may be made with those that it gets at once.
  func isOpen(_ kind: CreateOperator.Part.Kind) -> Bool {
    guard let graph = graph as? any GraphWriting else { return false }
    switch kind {
    case .node(let labels): return graph.isOpen(labels: labels)
    case .relationship(let type, _, _): return graph.isOpen(type: type)
    }
  }

  func createRelationship(
    _ type: String, _ from: Int, _ to: Int, _ properties: GQLMap, key: [UInt8]?,
    _ position: GQLPosition
  ) throws -> GQLRelationship {
    let ends = try GQLError.located(position) {
      for slot in [from, to] {
        if case .node(let node) = slots[slot] { _ = try current(node) }
      }
      return (try node(from, "the beginning"), try node(to, "the end"))
    }
    guard let source = ends.0, let target = ends.1 else {
      throw GQLError(
        .constraint, "MissingNode", "a relationship needs nodes at both ends, and one is null",
        at: position)
    }
    let isOpen = isOpen(.relationship(type, from: from, to: to))
    if !isOpen { noteNodeChange() }
    let one = try GQLError.located(position) {
      try writer(position).createRelationship(
        type: type, from: source, to: target, properties: properties, key: key)
    }
    counts.relationshipsCreated += 1
    counts.propertiesSet += properties.entries.count
    if key != nil || !isOpen { note(one) }
    return one
  }

  func properties(of value: GQLValue) throws -> GQLMap {
    switch value {
    case .node(let node): try current(node).properties
    case .relationship(let one): try current(one).properties
    case .map(let map): map
    default: GQLMap()
    }
  }

  /// Sets properties of a node or relationship; null removes one. Only what differs is written.
  func set(_ properties: GQLMap, of owner: GQLValue) throws {
    switch owner {
    case .null: return
    case .node(let node):
      let now = try current(node)
      let changes = properties.changes(of: now.properties)
      counts.propertiesSet += changes.entries.count
      guard !changes.entries.isEmpty else { return }
      note(try changer(nil).update(now, properties: changes, adding: [], removing: []))
    case .relationship(let one):
      let now = try current(one)
      let changes = properties.changes(of: now.properties)
      counts.propertiesSet += changes.entries.count
      guard !changes.entries.isEmpty else { return }
      note(try changer(nil).update(now, properties: changes))
    default:
      throw GQLError(
        .type, "InvalidArgumentType", "\(owner.typeName) has no properties to set")
    }
  }

  /// Sets properties of something that is not made yet, whose making counts them, too.
  func set(_ new: GQLMap, in properties: inout GQLMap) throws {
    let changes = new.changes(of: properties)
    let before = properties.entries.count
    properties = properties.changed(by: changes)
    counts.propertiesSet += changes.entries.count - (properties.entries.count - before)
  }

  func setLabels(of owner: GQLValue, adding: [String], removing: [String]) throws {
    guard case .node(let node) = owner else {
      if owner.isNull { return }
      throw GQLError(.type, "InvalidArgumentType", "\(owner.typeName) has no labels to change")
    }
    let now = try current(node)
    var new: [String] = []
    for label in adding
    where !label.isOne(of: now.labels) && !label.isOne(of: new) {
      new.append(label)
    }
    let gone = now.labels.filter { $0.isOne(of: removing) }
    guard !new.isEmpty || !gone.isEmpty else { return }
    counts.labelsAdded += new.count
    counts.labelsRemoved += gone.count
    note(try changer(nil).update(now, properties: GQLMap(), adding: new, removing: gone))
  }

  // MARK: - Deletion

  func delete(_ one: GQLRelationship) throws {
    guard !isDeleted(one.id) else { return }
    try changer(nil).delete(try current(one))
    counts.relationshipsDeleted += 1
    noteDeletion(ofRelationship: one.id)
  }

  func delete(_ node: GQLNode, isDetaching: Bool) throws {
    guard !isDeleted(node.id) else { return }
    let graph = try changer(nil)
    var relationships: [GQLRelationship] = []
    _ = try graph.forEachRelationship(of: node.id, RelationshipSearch()) { one, _ in
      relationships.append(one)
      return true
    }
    if isDetaching {
      for one in relationships { try delete(one) }
    } else if !relationships.isEmpty {
      bereft.append((node.id, relationships.map(\.id)))
    }
    try graph.delete(try current(node))
    counts.nodesDeleted += 1
    noteDeletion(ofNode: node.id)
  }

  /// Checks that no relationship has lost an end. It is looked at when all is done: the statement
  /// may delete the relationship after the node.
  func requireEnds() throws {
    for (_, relationships) in bereft where relationships.contains(where: { !isDeleted($0) }) {
      throw GQLError(
        .constraint, "DeleteConnectedNode", "a node that has relationships cannot be deleted",
        hint: "Delete them, too, or write DETACH DELETE")
    }
  }
}

extension GQLMap {
  /// The entries that differ from what there is.
  fileprivate func changes(of now: GQLMap) -> GQLMap {
    GQLMap(
      entries.filter { key, value in
        let have = now[key: key] ?? .null
        return have.key != value.key || have.typeName != value.typeName
      })
  }
}

/// Which values a graph keeps.
enum Storable {
  static func value(_ value: GQLValue, of name: String) throws -> GQLValue {
    switch value {
    case .map, .node, .relationship, .path:
      throw GQLError(
        .type, "InvalidPropertyType", "the property “\(name)” cannot be \(value.typeName)")
    case .list(let elements):
      for element in elements {
        guard !element.isNull else {
          throw GQLError(
            .type, "InvalidPropertyType", "the property “\(name)” is a list that holds null")
        }
        _ = try self.value(element, of: name)
      }
    default: break
    }
    return value
  }

  /// Returns the properties of something that is made; those that are null are left out.
  static func properties(
    _ map: Compiled?, _ run: PlanRun, _ position: GQLPosition, isMerge: Bool = false
  ) throws -> GQLMap {
    guard let map else { return GQLMap() }
    let value = try map.evaluate(run)
    let given: GQLMap
    switch value {
    case .map(let map): given = map
    case .null: return GQLMap()
    default:
      throw GQLError(
        .type, "InvalidArgumentType", "properties are a map, and not \(value.typeName)",
        at: position)
    }
    var result: [(key: String, value: GQLValue)] = []
    for (key, value) in given.entries {
      if value.isNull {
        guard isMerge else { continue }
        throw GQLError(
          .argument, "MergeReadOwnWrites",
          "MERGE looks for a property “\(key)” that is null, and nothing is equal to null",
          at: position)
      }
      result.append((key, try GQLError.located(position) { try self.value(value, of: key) }))
    }
    return GQLMap(result)
  }
}

extension GQLMap {
  /// Returns the map with other values for some names; null removes one.
  func changed(by changes: GQLMap) -> GQLMap {
    var result = self
    for (key, value) in changes.entries { result[key: key] = value.isNull ? nil : value }
    return result
  }
}

extension String {
  /// Returns whether one of some names has the same bytes.
  func isOne(of names: [String]) -> Bool { names.contains { $0.isSame(as: self) } }
}
