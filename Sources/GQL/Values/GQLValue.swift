/// A value of a query: what parameters hold, what expressions make, what rows have.
public enum GQLValue: Sendable {
  /// No value, or an unknown one.
  case null
  /// True or false.
  case boolean(Bool)
  /// An integer of 64 bits.
  case integer(Int64)
  /// A number of 64 bits with a fraction.
  case float(Double)
  /// A text.
  case string(String)
  /// A list of values.
  case list([GQLValue])
  /// Values by name.
  case map(GQLMap)
  /// A node of the graph.
  case node(GQLNode)
  /// A relationship of the graph.
  case relationship(GQLRelationship)
  /// A path through the graph.
  case path(GQLPath)
  /// A day.
  case date(GQLDate)
  /// A time of the day.
  case localTime(GQLLocalTime)
  /// A time of the day with an offset from UTC.
  case time(GQLTime)
  /// A day and a time of it.
  case localDateTime(GQLLocalDateTime)
  /// A moment, with an offset from UTC or a time zone.
  case dateTime(GQLDateTime)
  /// An amount of time.
  case duration(GQLDuration)
}

/// Values by name, in the order in which they were given.
///
/// Names are compared by their bytes, so that no two properties are one.
public struct GQLMap: Sendable {
  /// The names and their values. No name is there twice.
  public private(set) var entries: [(key: String, value: GQLValue)] = []

  /// Makes a map without values.
  public init() {}

  /// Makes a map of values whose names differ.
  init(unique entries: [(key: String, value: GQLValue)]) { self.entries = entries }

  /// Makes a map; of two values of one name, the later one counts.
  public init(_ entries: [(key: String, value: GQLValue)]) {
    guard entries.count > 16 else {
      for (key, value) in entries { self[key: key] = value }
      return
    }
    var places: [[UInt8]: Int] = [:]
    for entry in entries {
      let key = Array(entry.key.utf8)
      if let place = places[key] {
        self.entries[place].value = entry.value
      } else {
        places[key] = self.entries.count
        self.entries.append(entry)
      }
    }
  }

  /// Makes a map of the values of parameters.
  init(_ parameters: [String: GQLValue]) {
    self.init(parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }

  /// The value of a name; nil if the map does not have it. Setting nil removes it.
  public subscript(key key: String) -> GQLValue? {
    get { index(of: key).map { entries[$0].value } }
    set {
      switch (index(of: key), newValue) {
      case (let index?, let value?): entries[index].value = value
      case (let index?, nil): entries.remove(at: index)
      case (nil, let value?): entries.append((key, value))
      case (nil, nil): break
      }
    }
  }

  private func index(of key: String) -> Int? {
    entries.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
  }

  /// The names, in order.
  public var keys: [String] { entries.map(\.key) }

  /// The entries, sorted by the bytes of their names.
  var sorted: [(key: String, value: GQLValue)] {
    entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }
}

/// What a node or relationship is known by: its collection, and its id there.
public struct GQLElementID: Hashable, Sendable {
  /// The collection of the store that has the entity.
  public var collection: String
  /// The id of the entity.
  public var id: String

  public static func == (a: GQLElementID, b: GQLElementID) -> Bool {
    a.id.utf8.elementsEqual(b.id.utf8) && a.collection.utf8.elementsEqual(b.collection.utf8)
  }

  public func hash(into hasher: inout Hasher) { for byte in id.utf8 { hasher.combine(byte) } }

  func precedes(_ other: GQLElementID) -> Bool {
    id.utf8.elementsEqual(other.id.utf8)
      ? collection.utf8.lexicographicallyPrecedes(other.collection.utf8)
      : id.utf8.lexicographicallyPrecedes(other.id.utf8)
  }
}

/// A node, as a statement saw it.
public final class GQLNode: Sendable {
  /// What the node is known by.
  public let id: GQLElementID
  /// Its labels.
  public let labels: [String]
  /// Its properties.
  public let properties: GQLMap

  init(id: GQLElementID, labels: [String], properties: GQLMap) {
    self.id = id
    self.labels = labels
    self.properties = properties
  }
}

/// A relationship, as a statement saw it.
public final class GQLRelationship: Sendable {
  /// What the relationship is known by.
  public let id: GQLElementID
  /// Its type.
  public let type: String
  /// The node where it begins.
  public let source: GQLElementID
  /// The node where it ends.
  public let target: GQLElementID
  /// Its properties.
  public let properties: GQLMap

  init(
    id: GQLElementID, type: String, source: GQLElementID, target: GQLElementID, properties: GQLMap
  ) {
    self.id = id
    self.type = type
    self.source = source
    self.target = target
    self.properties = properties
  }

  /// Returns the relationship between other nodes.
  func between(_ source: GQLElementID, _ target: GQLElementID) -> GQLRelationship {
    GQLRelationship(id: id, type: type, source: source, target: target, properties: properties)
  }

  /// The end that is not this one; for a relationship of a node with itself, the node.
  func end(beside node: GQLElementID) -> GQLElementID { source == node ? target : source }
}

/// A path: nodes, and between two of them the relationship that was followed.
public struct GQLPath: Sendable {
  /// The nodes, one more than there are relationships.
  public var nodes: [GQLNode]
  /// The relationships, each followed in either direction.
  public var relationships: [GQLRelationship]
}

extension GQLValue {
  /// The name of the value's type, as messages have it.
  public var typeName: String {
    switch self {
    case .null: "NULL"
    case .boolean: "BOOLEAN"
    case .integer: "INTEGER"
    case .float: "FLOAT"
    case .string: "STRING"
    case .list: "LIST"
    case .map: "MAP"
    case .node: "NODE"
    case .relationship: "RELATIONSHIP"
    case .path: "PATH"
    case .date: "DATE"
    case .localTime: "LOCAL TIME"
    case .time: "TIME"
    case .localDateTime: "LOCAL DATETIME"
    case .dateTime: "DATETIME"
    case .duration: "DURATION"
    }
  }

  /// Whether the value is null.
  public var isNull: Bool { if case .null = self { true } else { false } }
}
