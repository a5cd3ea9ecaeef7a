public import DaybookEventCore
import Foundation

/// A type whose values are stored as the entities of a collection.
///
/// The macro `@Entity` of the product DaybookMacros makes a structure conform. Without it:
///
/// ```swift
/// struct Note: Entity {
///   static let collection = "notes"
///   static let fields: [EntityField<Note>] = [
///     .field("title", \.title).searchable(),
///     .field("pinned", \.pinned).indexed(),
///   ]
///   var id = ID()
///   var title = ""
///   var pinned = false
/// }
/// ```
/// Each property has a default. An entity that is older than a field, or has a value there that is
/// none of the property's type, shows the default.
public protocol Entity: Identifiable, Sendable where ID == EntityID<Self> {
  /// The name of the collection.
  static var collection: String { get }
  /// The fields, in the order of the table's columns.
  static var fields: [EntityField<Self>] { get }

  /// Returns the definition of the collection, with rules that concern several fields.
  ///
  /// The default returns it as it is, made from ``fields``. An entity type adds rules to it:
  /// `definition.unique("source", "number").indexed(by: "folder", .descending("modified"))`.
  static func refine(_ definition: Definition) -> Definition

  /// The id, which no other entity of the type has. A new value of the type gets a new one.
  var id: ID { get set }

  /// Makes an entity whose properties have their defaults.
  init()

  /// Reads the properties from a row.
  ///
  /// The default reads each of ``fields`` by its key path. The macro makes a quicker one.
  mutating func read(_ row: EntityRow)
}

extension Entity {
  public typealias ID = EntityID<Self>

  public static func refine(_ definition: Definition) -> Definition { definition }

  public mutating func read(_ row: EntityRow) {
    for (index, field) in EntityLayout<Self>.shared.fields.enumerated() {
      if !field.read(row.cell(index), &self) { row.noteUnreadable(index) }
    }
  }
}

/// A type whose values are stored as relationships between entities.
///
/// The macro `@Relationship` of the product DaybookMacros makes a structure conform.
public protocol Relationship: Entity {
  /// The type of the entities that the relationships come from.
  associatedtype From: Entity
  /// The type of the entities that they lead to.
  associatedtype To: Entity
  /// The entity that the relationship comes from.
  var from: EntityID<From> { get set }
  /// The entity that it leads to.
  var to: EntityID<To> { get set }
}
