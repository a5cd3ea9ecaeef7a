public import EventCore
import Projections

extension Definition {
  /// Returns the definition as a relationship collection that leads from entities of one collection
  /// to those of another, or of the same one.
  ///
  /// The graph looks for the ends in these collections only.
  public func connecting(_ source: String, to target: String) -> Definition {
    var connecting = self
    connecting.attributes["relationship"] = .boolean(true)
    for (end, collection) in [("source", source), ("target", target)] {
      let index = connecting.fields.firstIndex { $0.name == end }
      if let index {
        connecting.fields[index].attributes["references"] = .text(collection)
      } else {
        connecting.fields.append(
          .init(end, ["type": .text("text"), "references": .text(collection)]))
      }
    }
    return connecting
  }

  /// Returns the definition of a relationship collection with all relationships followed both ways.
  public func undirected() -> Definition {
    var undirected = self
    undirected.attributes["directed"] = .boolean(false)
    return undirected
  }

  /// Returns the definition of a relationship collection with a boolean field that says which
  /// relationships are directed.
  ///
  /// A relationship with false in that field is followed both ways.
  public func directed(by field: String) -> Definition {
    var directed = self
    directed.attributes["directed"] = .text(field)
    return directed
  }
}

/// The check of a definition's attribute `directed`.
enum RelationshipCheck {
  /// Returns the attribute as it is written, with a field by its first name; nil if the definition
  /// has no such attribute.
  /// - Parameter known: the collection as the store has it; nil if it is new.
  /// - Throws: ``StoreError`` `invalidName`.
  static func directed(_ definition: Definition, _ known: CollectionSchema?) throws(StoreError)
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

  private static func field(_ name: String, _ definition: Definition, _ known: CollectionSchema?)
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
