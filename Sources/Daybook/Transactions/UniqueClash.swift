public import EventCore
import Projections

/// A value of a unique field that a write wanted to give and another entity has already.
public struct UniqueClash: Hashable, Sendable {
  /// The collection of both entities.
  public var collection: String
  /// The current name of the unique field.
  public var field: String
  /// The value that both would have.
  public var value: Value
  /// The id of the live entity that has the value; the entity may be parked.
  public var owner: String
}

/// The rule for unique fields: no two entities have the same value.
///
/// It binds local writes only. A merge may bring the same value twice; the later entity is then
/// parked.
struct UniqueCheck {
  let projector: Projector

  /// Checks that no other entity has a value that a write gives to a unique field.
  /// - Parameter fields: the values that the write makes the entity show, by the fields'
  ///   identities.
  /// - Throws: ``StoreError`` `valueTaken`.
  func require(_ fields: [String: Value], _ schema: CollectionSchema, _ handle: EntityHandle) throws
  {
    for field in schema.fields where field.isUnique {
      guard let value = fields[field.identity],
        let owner = try projector.otherHolder(of: value, in: field, than: handle)
      else { continue }
      var error = StoreError(
        .valueTaken,
        "\(schema.name).\(field.name) is unique, and “\(owner)” has \(value.shown) already",
        hint: "Give another value, or change “\(owner)” first")
      error.clash = UniqueClash(
        collection: schema.name, field: field.name, value: value, owner: owner)
      throw error
    }
  }

  /// Checks that no two entities have the same value in a field that a definition makes unique.
  ///
  /// One of the two would disappear from the table.
  /// - Throws: ``StoreError`` `valueTaken`.
  func require(_ missing: Definition, _ schema: CollectionSchema) throws {
    for wanted in missing.fields where wanted.attributes["unique"] == .boolean(true) {
      guard let field = schema[field: wanted.name], !field.isUnique,
        let (value, ids) = try projector.duplicate(in: schema, field: field)
      else { continue }
      var error = StoreError(
        .valueTaken,
        "\(schema.name).\(field.name) cannot become unique: “\(ids.0)” and “\(ids.1)” both have "
          + value.shown, hint: "Change or delete one of them first")
      error.clash = UniqueClash(
        collection: schema.name, field: field.name, value: value, owner: ids.0)
      throw error
    }
  }
}

extension Value {
  /// The value as error messages show it: cut to 60 characters, and in quotes if it is text.
  var shown: String {
    switch self {
    case .null: "NULL"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): "“\(value.cut(to: 60))”"
    case .blob(let bytes): "a blob of \(bytes.count) bytes"
    case .timestamp(let value): Timestamp.text(value) ?? "\(value)"
    case .json(let bytes): String(decoding: bytes.prefix(60), as: UTF8.self)
    }
  }
}
