public import EventCore
import Projections

extension Definition {
  /// The same definition as a relationship collection that leads from entities of one collection to those
  /// of another, or of the same. The graph then looks for the ends there, and nowhere else.
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

  /// The same definition of a relationship collection all of whose relationships are followed both ways.
  public func undirected() -> Definition {
    var undirected = self
    undirected.attributes["directed"] = .boolean(false)
    return undirected
  }

  /// The same definition of a relationship collection in which a boolean field says which relationships
  /// lead one way only: one in which it is false is followed both ways.
  public func directed(by field: String) -> Definition {
    var directed = self
    directed.attributes["directed"] = .text(field)
    return directed
  }
}

/// What the attribute `directed` asks of a definition.
enum RelationshipCheck {
  /// The attribute as it is written: a field by its first name. Nil where the definition does not say.
  /// - Parameter known: the collection as it is; nil where it is new.
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
