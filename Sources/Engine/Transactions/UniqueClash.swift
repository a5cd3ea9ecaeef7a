public import DaybookEventCore

extension StoreError {
  /// Values of unique fields that a write wanted to give and another entity has already.
  public struct UniqueClash: Hashable, Sendable {
    /// The collection of both entities.
    public var collection: String
    /// The current names of the unique field, or of the fields that are unique together.
    public var fields: [String]
    /// How the values are compared.
    public var uniqueness: Uniqueness
    /// The values that both would have, field by field, as the write spells them.
    public var values: [Value]
    /// The id of the live entity that has the values; the entity may be parked.
    public var owner: String
    /// The values as the owner spells them, which differs only if texts are compared without case.
    public var ownersValues: [Value]
  }
}

extension StoreError.UniqueClash {
  /// The fields for an error message.
  var name: String {
    fields.count == 1
      ? "\(collection).\(fields[0])"
      : "\(fields.joined(separator: ", ")) of \(collection) together"
  }

  /// The rule for an error message: “unique”, or “unique without case”.
  var rule: String { uniqueness == .folded ? "unique without case" : "unique" }

  /// The values for an error message.
  static func shown(_ values: [Value]) -> String { values.map(\.shown).joined(separator: ", ") }
}

extension Value {
  /// The value as error messages show it: cut to 60 characters, and in quotes if it is text.
  package var shown: String {
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
