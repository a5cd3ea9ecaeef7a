import Daybook
import DaybookEngine
import DaybookEventCore
import DaybookOpenGraph
import DaybookProjections
import GRDB

/// The graph of a store within a transaction, which writes to it.
final class TransactionGraph: StoredGraph, GraphWriting {
  let transaction: WriteTransaction
  /// What had to be defined for the statement.
  private(set) var definitions: [Definition] = []
  /// The fields of properties with names in ASCII that were written.
  private var propertyFields: [String: String] = [:]
  /// The collections of relationships that were made, of types in ASCII.
  private var openCollections: [RelationshipKind: String] = [:]

  /// What open relationships of one collection have in common.
  private struct RelationshipKind: Hashable {
    var type: String
    var source: String
    var target: String
  }

  init(_ transaction: WriteTransaction, _ graph: GraphCollections) {
    self.transaction = transaction
    super.init(GraphLayout(transaction.schema, graph))
  }

  override var database: Database { get throws { try transaction.database } }

  func define(_ definition: Definition) throws {
    definitions.append(definition)
    try transaction.define(definition)
    setLayout(GraphLayout(transaction.schema, layout.graph))
  }

  /// Returns an id: a new one or, for what a MERGE makes, the one that follows from its key. If
  /// something else has that by now, since its properties were changed, the next one follows.
  private func id(_ collection: String, _ key: [UInt8]?) throws -> String {
    guard let key else { return TimedUUID.make() }
    var number: Int64 = 0
    while true {
      let id = DerivedID.id(collection: collection, key: [.blob(key), .integer(number)])
      if try transaction.fetch(collection, id) == nil { return id }
      number += 1
    }
  }

  func isOpen(labels: [String]) -> Bool { !labels.contains { layout.typed($0) != nil } }

  func isOpen(type: String) -> Bool {
    !layout.relationships.contains { !$0.isOpen && $0.type == type }
  }

  // MARK: - Nodes

  func createNode(labels: [String], properties: GQLMap, key: [UInt8]?) throws -> GQLNode {
    let typed = labels.compactMap { layout.typed($0) }
    if let table = typed.first {
      guard labels.count == 1 else { throw mixed(labels, table.collection) }
      return try createTyped(table, properties, key)
    }
    let collection = layout.graph.nodes
    try defineNodes(labels, properties)
    let id = try id(collection, key)
    var fields = try self.fields(properties, more: labels.count)
    for label in labels { fields[try GraphSpelling.labelField(label)] = .boolean(true) }
    try transaction.insert(collection, id, fields)
    return GQLNode(
      id: GQLElementID(collection: collection, id: id), labels: sorted(labels),
      properties: properties)
  }

  private func sorted(_ labels: [String]) -> [String] {
    labels.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private func mixed(_ labels: [String], _ collection: String) -> GQLError {
    GQLError(
      .constraint, "TypedCollection",
      "the label “\(collection)” is a collection with declared fields, whose nodes have no other "
        + "label", hint: "Use another name for one of: \(labels.joined(separator: ", "))")
  }

  /// Makes a node of a typed collection.
  /// - Parameter kept: the id, if no property `id` gives one and the collection has no key.
  func createTyped(
    _ table: GraphLayout.NodeTable, _ properties: GQLMap, _ key: [UInt8]?, as kept: String? = nil
  ) throws -> GQLNode {
    var given = properties
    var id: String?
    if let value = given[key: "id"] {
      guard case .string(let text) = value else {
        throw GQLError(.type, "InvalidPropertyType", "the id of a node is a STRING")
      }
      id = text
      given[key: "id"] = nil
    }
    let fields = try typedFields(table.columns, given, table.collection)
    let hasKey = !(transaction.schema[table.collection]?.key.isEmpty ?? true)
    let made: String
    if id == nil, hasKey {
      made = try transaction.insert(table.collection, fields)
    } else {
      made = try id ?? kept ?? self.id(table.collection, key)
      try transaction.insert(table.collection, made, fields)
    }
    let element = GQLElementID(collection: table.collection, id: made)
    guard let node = try node(element) else {
      throw GQLError(.constraint, "Hidden", "the node is not shown after it was made")
    }
    return node
  }

  private func typedFields(
    _ columns: [GraphLayout.Column], _ properties: GQLMap, _ collection: String
  ) throws -> [String: Value] {
    var fields: [String: Value] = [:]
    for (name, value) in properties.entries {
      let column = columns.first { column in
        if case .field(let own, _) = column.meaning { own == name } else { false }
      }
      guard case .field(_, let type)? = column?.meaning else {
        throw GQLError(
          .constraint, "TypedCollection", "the collection \(collection) has no field “\(name)”",
          hint: "Define the field, or leave the property out")
      }
      fields[name] = try StoredValue.field(value, type, "\(collection).\(name)")
    }
    return fields
  }

  /// - Parameter more: how many fields are added behind these.
  private func fields(_ properties: GQLMap, more: Int = 0) throws -> [String: Value] {
    var fields: [String: Value] = Dictionary(minimumCapacity: properties.entries.count + more)
    for (name, value) in properties.entries {
      fields[try field(ofProperty: name)] = StoredValue.field(value)
    }
    return fields
  }

  private func field(ofProperty name: String) throws -> String {
    guard Self.isASCII(name) else { return try GraphSpelling.propertyField(name) }
    if let known = propertyFields[name] { return known }
    let field = try GraphSpelling.propertyField(name)
    propertyFields[name] = field
    return field
  }

  private func collection(ofType type: String, from source: String, to target: String) throws
    -> String
  {
    func make() throws(GQLError) -> String {
      try layout.graph.relationships(type, from: source, to: target)
    }
    guard Self.isASCII(type) else { return try make() }
    let kind = RelationshipKind(type: type, source: source, target: target)
    if let known = openCollections[kind] { return known }
    let collection = try make()
    openCollections[kind] = collection
    return collection
  }

  /// Whether a name has one spelling. Swift takes some others for equal whose bytes differ.
  private static func isASCII(_ name: String) -> Bool { name.utf8.allSatisfy { $0 < 0x80 } }

  /// Defines the labels and properties of open nodes that are new.
  private func defineNodes(_ labels: [String], _ properties: GQLMap) throws {
    let table = layout.open.map { layout.nodes[$0] }
    var fields: [Definition.Field] = []
    for label in labels where table?.column(ofLabel: label) == nil {
      fields.append(.boolean(try GraphSpelling.labelField(label)))
    }
    for (name, value) in properties.entries
    where !value.isNull && table?.column(ofProperty: name) == nil {
      fields.append(.json(try GraphSpelling.propertyField(name)))
    }
    guard table == nil || !fields.isEmpty else { return }
    try define(Definition(layout.graph.nodes, fields))
  }

  func update(_ node: GQLNode, properties: GQLMap, adding: [String], removing: [String]) throws
    -> GQLNode
  {
    guard let index = layout.node(node.id.collection) else { throw vanished(node.id) }
    let table = layout.nodes[index]
    if table.label != nil {
      guard adding.isEmpty, removing.isEmpty else {
        throw mixed(adding + removing, table.collection)
      }
      guard properties[key: "id"] == nil else {
        throw GQLError(
          .constraint, "TypedCollection", "the id of a node of \(table.collection) cannot change")
      }
      let fields = try typedFields(table.columns, properties, table.collection)
      try transaction.update(table.collection, node.id.id, fields)
    } else {
      if let label = adding.first(where: { layout.typed($0) != nil }) {
        throw mixed(node.labels + adding, label)
      }
      try defineNodes(adding, properties)
      var fields = try self.fields(properties.known(to: layout.nodes[index]))
      for label in adding { fields[try GraphSpelling.labelField(label)] = .boolean(true) }
      for label in removing { fields[try GraphSpelling.labelField(label)] = .null }
      try transaction.update(table.collection, node.id.id, fields)
    }
    let labels = (node.labels + adding).filter { !$0.isOne(of: removing) }
    return GQLNode(
      id: node.id, labels: sorted(labels), properties: node.properties.changed(by: properties))
  }

  private func vanished(_ id: GQLElementID) -> GQLError {
    GQLError(.notFound, "EntityNotFound", "\(id.collection) is no longer a part of the graph")
  }

  func delete(_ node: GQLNode) throws { try transaction.delete(node.id.collection, node.id.id) }

  // MARK: - Relationships

  func createRelationship(
    type: String, from source: GQLNode, to target: GQLNode, properties: GQLMap, key: [UInt8]?
  ) throws -> GQLRelationship {
    if let typed = layout.relationships.first(where: { !$0.isOpen && $0.type == type }) {
      for (node, tables) in [(source, typed.sources), (target, typed.targets)]
      where !layout.has(node.id, in: tables) {
        throw GQLError(
          .constraint, "TypedCollection",
          "relationships of \(typed.collection) do not end at "
            + (node.id.collection == layout.graph.nodes
              ? "open nodes" : "nodes of \(node.id.collection)"),
          hint: "\(typed.collection) is a relationship collection, which declares its ends. Use "
            + "another type, or promote the nodes by store.promote")
      }
      return try createTyped(typed, from: source, to: target, properties, key)
    }
    return try createOpen(type, from: source, to: target, properties, key)
  }

  func createTyped(
    _ table: GraphLayout.RelationshipTable, from source: GQLNode, to target: GQLNode,
    _ properties: GQLMap, _ key: [UInt8]?, as kept: String? = nil
  ) throws -> GQLRelationship {
    var fields = try typedFields(table.columns, properties, table.collection)
    fields["source"] = .text(source.id.id)
    fields["target"] = .text(target.id.id)
    let hasKey = !(transaction.schema[table.collection]?.key.isEmpty ?? true)
    let made: String
    if hasKey {
      made = try transaction.insert(table.collection, fields)
    } else {
      made = try kept ?? id(table.collection, key)
      try transaction.insert(table.collection, made, fields)
    }
    return GQLRelationship(
      id: GQLElementID(collection: table.collection, id: made), type: table.type,
      source: source.id, target: target.id, properties: properties)
  }

  /// Makes an open relationship, in the collection for its type and the collections of its ends.
  func createOpen(
    _ type: String, from source: GQLNode, to target: GQLNode, _ properties: GQLMap, _ key: [UInt8]?,
    as kept: String? = nil
  ) throws -> GQLRelationship {
    let collection = try collection(
      ofType: type, from: source.id.collection, to: target.id.collection)
    try defineRelationships(
      collection, from: source.id.collection, to: target.id.collection, properties)
    var fields = try self.fields(properties, more: 2)
    fields["source"] = .text(source.id.id)
    fields["target"] = .text(target.id.id)
    let made = try kept ?? id(collection, key)
    try transaction.insert(collection, made, fields)
    return GQLRelationship(
      id: GQLElementID(collection: collection, id: made), type: type, source: source.id,
      target: target.id, properties: properties)
  }

  /// Defines a collection of open relationships, and properties of it, if they are new.
  private func defineRelationships(
    _ collection: String, from source: String, to target: String, _ properties: GQLMap
  ) throws {
    let table = layout.relationship(collection)
    var fields: [Definition.Field] = []
    if table == nil {
      fields = [.text("source").references(source), .text("target").references(target)]
    }
    for (name, value) in properties.entries where !value.isNull {
      let field = try field(ofProperty: name)
      if table?.columns.contains(where: { $0.name == field }) != true {
        fields.append(.json(field))
      }
    }
    guard !fields.isEmpty else { return }
    try define(Definition(collection, fields).relationship())
  }

  func update(_ one: GQLRelationship, properties: GQLMap) throws -> GQLRelationship {
    guard let table = layout.relationship(one.id.collection) else { throw vanished(one.id) }
    let fields: [String: Value]
    if table.isOpen {
      try defineRelationships(
        table.collection, from: one.source.collection, to: one.target.collection, properties)
      fields = try self.fields(properties)
    } else {
      fields = try typedFields(table.columns, properties, table.collection)
    }
    try transaction.update(table.collection, one.id.id, fields)
    return GQLRelationship(
      id: one.id, type: one.type, source: one.source, target: one.target,
      properties: one.properties.changed(by: properties))
  }

  func delete(_ one: GQLRelationship) throws {
    try transaction.delete(one.id.collection, one.id.id)
  }
}

extension GQLMap {
  /// The entries that a table has a column for: null in another one changes nothing.
  fileprivate func known(to table: GraphLayout.NodeTable) -> GQLMap {
    GQLMap(entries.filter { !$0.value.isNull || table.column(ofProperty: $0.key) != nil })
  }
}
