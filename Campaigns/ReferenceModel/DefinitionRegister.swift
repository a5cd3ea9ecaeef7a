import EventCore

/// The register of an attribute: of a field, or of a collection if the field is empty.
struct DefinitionRegister: Hashable, Comparable, Sendable {
  let collection: ReferenceName
  let field: ReferenceName
  let attribute: ReferenceName

  static func < (a: Self, b: Self) -> Bool {
    if a.collection != b.collection { return a.collection < b.collection }
    return a.field != b.field ? a.field < b.field : a.attribute < b.attribute
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
      write(definition.collection, "", definition.attributes, true)
      for field in definition.fields {
        write(definition.collection, field.name, field.attributes, true)
      }
    case .drop(let collection, let field): write(collection, field ?? "", [:], false)
    default: break
    }
    return writes
  }
}
