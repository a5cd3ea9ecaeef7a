import DaybookEventCore
import DaybookProjections

/// An end of a relationship that an app has written.
package struct RelationshipEnd {
  /// The collection of the relationship.
  package let relationship: String
  /// `source` or `target`.
  package let field: String
  /// The collection of the entity.
  let collection: String
  package let id: String

  package init(
    relationship: String, field: String, collection: String, id: String
  ) {
    self.relationship = relationship
    self.field = field
    self.collection = collection
    self.id = id
  }

  /// The error that the entity does not exist.
  var missing: StoreError {
    StoreError(
      .noSuchEntity,
      "the \(field) of a relationship of \(relationship) is “\(id)” of \(collection), which was "
        + "never there",
      hint: "Insert it in the same transaction, or sync with the device that has it first")
  }
}

/// The check of a definition's attribute `directed`.
enum RelationshipCheck {
  /// Returns the attribute as it is written, with a field by its first name; nil if the definition
  /// has no such attribute.
  /// - Parameter known: the collection as the store has it; nil if it is new.
  /// - Throws: ``StoreError`` `invalidName`.
  static func directed(_ definition: Definition, _ known: CollectionSchema?)
    throws(StoreError)
    -> Value?
  {
    guard let value = definition.attributes["directed"], value != .null else {
      return definition.attributes["directed"]
    }
    let name = definition.collection
    let isRelationship =
      known?.isRelationship ?? (definition.attributes["relationship"] == .boolean(true))
    guard isRelationship else {
      throw StoreError(
        .invalidName, "\(name) is no relationship collection, so nothing in it is directed",
        hint: "Leave out “directed”, or define a relationship collection")
    }
    switch value {
    case .boolean: return value
    case .text(let field):
      guard let (identity, type) = self.field(field, definition, known), type == .boolean else {
        throw wrong(
          "the attribute “directed” of \(name) names “\(field)”, which is no boolean field")
      }
      return .text(identity)
    default: throw wrong("the attribute “directed” of \(name) is no boolean and no text")
    }
  }

  private static func field(
    _ name: String, _ definition: Definition, _ known: CollectionSchema?
  )
    -> (identity: String, type: FieldType?)?
  {
    if let field = definition.fields.first(where: { $0.shownName == name || $0.name == name }) {
      if let known = known?[field: field.name] { return (known.identity, known.type) }
      guard case .text(let type)? = field.attributes["type"] else { return (field.name, .text) }
      return (field.name, FieldType(rawValue: type))
    }
    return known?[field: name].map { ($0.identity, $0.type) }
  }

  private static func wrong(_ message: String) -> StoreError {
    StoreError(
      .invalidName, message,
      hint: "It is true, false, or the name of a boolean field of the collection")
  }
}
