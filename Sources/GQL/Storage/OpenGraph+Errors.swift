import DaybookOpenGraph

extension GraphSpelling {
  /// Returns the field that says whether a node has a label.
  /// - Throws: ``GQLError`` `argument` if the name has no room.
  static func labelField(_ label: String) throws(GQLError) -> String {
    try fitting(field(ofLabel: label), label, "label")
  }

  /// Returns the field of a property.
  /// - Throws: ``GQLError`` `argument` if the name has no room.
  static func propertyField(_ property: String) throws(GQLError) -> String {
    try fitting(field(ofProperty: property), property, "property")
  }

  fileprivate static func fitting(_ kept: String, _ name: String, _ what: String) throws(GQLError)
    -> String
  {
    if kept.utf8.count <= bytesMax { return kept }
    throw GQLError(
      .argument, "NameTooLong",
      "the name of a \(what) has no room: “\(name.prefix(20))…”",
      hint: "A name has up to 40 ASCII letters, or 25 bytes of others")
  }
}

extension GraphCollections {
  /// Returns the collection of the relationships of a type from a collection to one.
  /// - Throws: ``GQLError`` `argument` if the type's name has no room.
  func relationships(_ type: String, from source: String, to target: String) throws(GQLError)
    -> String
  {
    try GraphSpelling.fitting(collection(ofType: type, from: source, to: target), type, "type")
  }
}
