import DaybookEventCore

/// The register of an attribute: of a field, or of a collection if the field is empty.
struct DefinitionRegister: Hashable, Comparable, Sendable {
  let collection: ReferenceName
  let field: ReferenceName
  let attribute: ReferenceName

  static func < (a: Self, b: Self) -> Bool {
    if a.collection != b.collection { return a.collection < b.collection }
    return a.field != b.field ? a.field < b.field : a.attribute < b.attribute
  }

  /// Whether the first write counts for ever.
  var isFixed: Bool {
    if field == "" { return attribute == "relationship" || attribute == "key" }
    return attribute == "type"
  }

  /// Returns the number of the migration that a definition names; 0 for none.
  static func migration(of operation: Operation) -> Int64 {
    guard case .define(let definition) = operation,
      case .integer(let number)? = definition.attributes["migration"], number > 0
    else { return 0 }
    return number
  }

  /// Returns the registers that a `define` or `drop` writes, with their values.
  static func writes(of operation: Operation, by origin: ReplicaID) -> [Self: Value] {
    var writes: [Self: Value] = [:]
    func write(_ collection: String, _ field: String, _ attributes: [String: Value], _ exists: Bool)
    {
      let collection = ReferenceScope.collection(collection, by: origin)
      let field = ReferenceName(field)
      for (attribute, value) in attributes {
        let attribute = ReferenceName(attribute)
        writes[Self(collection: collection, field: field, attribute: attribute)] = value
      }
      // Last, so that an attribute named `exists` does not count.
      writes[Self(collection: collection, field: field, attribute: "exists")] = .boolean(exists)
    }
    switch operation {
    case .define(let definition):
      let attributes = definition.attributes.filter { $0.key != "migration" }
      write(definition.collection, "", attributes, true)
      for field in definition.fields {
        write(definition.collection, field.name, field.attributes, true)
      }
    case .drop(let collection, let field): write(collection, field ?? "", [:], false)
    default: break
    }
    return writes
  }
}
