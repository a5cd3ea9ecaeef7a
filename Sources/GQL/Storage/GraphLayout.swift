import DaybookEventCore
import DaybookOpenGraph
import DaybookProjections

/// The tables of a store as a graph: which hold nodes, which relationships, and what their columns
/// are.
struct GraphLayout {
  struct Column {
    enum Meaning {
      case label(String)
      /// A property that is JSON.
      case property(String)
      /// A field of a typed collection.
      case field(String, FieldType)

      /// The name as a query has it; a label has a colon before it.
      var shown: String {
        switch self {
        case .label(let name): ":\(name)"
        case .property(let name), .field(let name, _): name
        }
      }

      /// Returns a value that the store keeps in the column.
      func value(_ value: Value) -> GQLValue {
        switch self {
        case .label:
          if case .boolean(let isThere) = value { .boolean(isThere) } else { .boolean(false) }
        case .property: StoredValue.value(json: FieldType.json.cell(for: value)?.cell ?? .null)
        case .field(_, let type): StoredValue.value(type.cell(for: value)?.cell ?? .null, type)
        }
      }
    }

    var name: String
    var meaning: Meaning

    /// Returns the label or property that the column is; nil if it is none of that kind.
    func name(as kind: NameKind) -> String? {
      switch meaning {
      case .label(let name): kind == .labels ? name : nil
      case .property(let name), .field(let name, _): kind == .properties ? name : nil
      }
    }

    func `is`(_ kind: NameKind, _ name: String) -> Bool {
      self.name(as: kind)?.isSame(as: name) ?? false
    }
  }

  struct NodeTable {
    var collection: String
    /// The label of all its nodes; nil for the table of an open graph.
    var label: String?
    /// That label alone; empty for the table of an open graph.
    let typedLabels: [String]
    var columns: [Column]

    init(collection: String, label: String?, columns: [Column]) {
      self.collection = collection
      self.label = label
      typedLabels = label.map { [$0] } ?? []
      self.columns = columns
    }

    func column(ofProperty name: String) -> Column? {
      columns.first { column in
        switch column.meaning {
        case .property(let own), .field(let own, _): own.utf8.elementsEqual(name.utf8)
        case .label: false
        }
      }
    }

    /// Returns whether a node of the table can have a label.
    func mayHave(_ name: String) -> Bool {
      label?.isSame(as: name) ?? (column(ofLabel: name) != nil)
    }

    func column(ofLabel name: String) -> Column? {
      columns.first { column in
        if case .label(let own) = column.meaning {
          own.utf8.elementsEqual(name.utf8)
        } else {
          false
        }
      }
    }
  }

  struct RelationshipTable {
    var collection: String
    var type: String
    var isOpen: Bool
    var columns: [Column]
    /// The indexes of the tables that have its ends.
    var sources: [Int]
    var targets: [Int]
  }

  let graph: GraphCollections
  private(set) var nodes: [NodeTable] = []
  private(set) var relationships: [RelationshipTable] = []
  /// The index of the table of open nodes; nil if there is none yet.
  private(set) var open: Int?

  init(_ schema: StoreSchema, _ graph: GraphCollections) {
    self.graph = graph
    for collection in schema.sorted where !collection.isRelationship {
      if collection.name == graph.nodes {
        open = nodes.count
        nodes.append(Self.openNodes(collection))
      } else if !GraphCollections.owns(collection.name) {
        nodes.append(Self.typedNodes(collection))
      }
    }
    for collection in schema.relationships {
      if let type = graph.type(of: collection.name) {
        let ends = ["source", "target"].map { end in
          collection[field: end]?.references.flatMap(node).map { [$0] } ?? []
        }
        relationships.append(table(collection, type, isOpen: true, ends[0], ends[1]))
      } else if !GraphCollections.owns(collection.name) {
        relationships.append(
          table(
            collection, collection.name, isOpen: false, ends(collection, "source"),
            ends(collection, "target")))
      }
    }
  }

  static func quoted(_ name: String) -> String {
    // Names of the store have no quotes, and looking for them takes longer than all the rest.
    name.utf8.contains(UInt8(ascii: "\""))
      ? "\"\(name.replacing("\"", with: "\"\""))\"" : "\"\(name)\""
  }

  private static func openNodes(_ collection: CollectionSchema) -> NodeTable {
    let columns = openColumns(collection)
    return NodeTable(collection: collection.name, label: nil, columns: columns)
  }

  private static func openColumns(_ collection: CollectionSchema) -> [Column] {
    collection.fields.compactMap { field in
      switch GraphSpelling.meaning(ofField: field.identity) {
      case .label(let name)? where field.type == .boolean:
        Column(name: field.name, meaning: .label(name))
      case .property(let name)? where field.type == .json:
        Column(name: field.name, meaning: .property(name))
      default: nil
      }
    }
  }

  private static func typedNodes(_ collection: CollectionSchema) -> NodeTable {
    let columns = typedColumns(collection)
    return NodeTable(collection: collection.name, label: collection.name, columns: columns)
  }

  private static func typedColumns(_ collection: CollectionSchema) -> [Column] {
    let fields = collection.fields.filter {
      !collection.isRelationship || $0.identity != "source" && $0.identity != "target"
    }
    return fields.map { Column(name: $0.name, meaning: .field($0.name, $0.type)) }
  }

  private func table(
    _ collection: CollectionSchema, _ type: String, isOpen: Bool, _ sources: [Int],
    _ targets: [Int]
  ) -> RelationshipTable {
    let columns = isOpen ? Self.openColumns(collection) : Self.typedColumns(collection)
    return RelationshipTable(
      collection: collection.name, type: type, isOpen: isOpen, columns: columns, sources: sources,
      targets: targets)
  }

  /// The tables of the typed collections that an end of a relationship may be in.
  private func ends(_ collection: CollectionSchema, _ end: String) -> [Int] {
    let wanted = collection[field: end]?.references
    return nodes.indices.filter { index in
      index != open && (wanted == nil || nodes[index].collection == wanted)
    }
  }

  func node(_ collection: String) -> Int? {
    nodes.firstIndex { $0.collection == collection }
  }

  /// Returns whether a node is in one of some tables.
  func has(_ node: GQLElementID, in tables: [Int]) -> Bool {
    tables.contains { nodes[$0].collection == node.collection }
  }

  func relationship(_ collection: String) -> RelationshipTable? {
    relationships.first { $0.collection == collection }
  }

  /// Returns whether the tables have room for a label, type or property.
  func knows(_ kind: NameKind, _ name: String) -> Bool {
    switch kind {
    case .types: relationships.contains { $0.type.isSame(as: name) }
    case .labels:
      nodes.contains { $0.label?.isSame(as: name) ?? $0.columns.contains { $0.is(kind, name) } }
    case .properties:
      name == "id" && (nodes.contains { $0.label != nil } || relationships.contains { !$0.isOpen })
        || nodes.contains { $0.columns.contains { $0.is(kind, name) } }
        || relationships.contains { $0.columns.contains { $0.is(kind, name) } }
    }
  }

  /// The labels, types or properties for which the tables have room.
  func knownNames(_ kind: NameKind) -> [String] {
    var names: Set<String> = []
    switch kind {
    case .types: names.formUnion(relationships.map(\.type))
    case .labels, .properties:
      let columns = nodes.flatMap(\.columns) + relationships.flatMap(\.columns)
      names.formUnion(columns.compactMap { $0.name(as: kind) })
      if kind == .labels { names.formUnion(nodes.compactMap(\.label)) }
    }
    return names.sorted()
  }

  /// The typed collection that is a label.
  func typed(_ label: String) -> NodeTable? {
    nodes.first { $0.label?.utf8.elementsEqual(label.utf8) ?? false }
  }
}
