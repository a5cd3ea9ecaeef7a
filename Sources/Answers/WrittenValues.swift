package import Daybook
package import DaybookEventCore
import DaybookInterchange
package import DaybookJSON
import DaybookProjections

extension StoreSchema {
  /// Returns the collection of a name that a caller gives.
  /// - Throws: ``CallFailure`` with the name that may be meant.
  package func collection(named name: String) throws(CallFailure) -> StoreSchema.Collection {
    if let collection = self[name] { return collection }
    throw CallFailure(
      "there is no collection “\(name.prefix(64))”",
      cure: NameSuggestion.hint(
        for: name, among: sorted.map(\.name), none: "Nothing is defined yet"))
  }
}

extension StoreSchema.Collection {
  /// Returns the field of a name that a caller gives.
  /// - Throws: ``CallFailure`` with the name that may be meant.
  package func field(named name: String) throws(CallFailure) -> StoreSchema.Field {
    if let field = self[field: name] { return field }
    throw CallFailure(
      "\(self.name) has no field “\(name.prefix(64))”",
      cure: NameSuggestion.hint(for: name, among: fields.map(\.name), none: "It has none"))
  }

  /// Returns the values that a caller gives to fields.
  /// - Throws: ``CallFailure`` for an unknown field, or a value of another type.
  package func values(_ members: [(key: String, value: JSONValue)]) throws(CallFailure)
    -> [String: Value]
  {
    var values: [String: Value] = [:]
    for (name, json) in members { values[name] = try value(json, of: try field(named: name)) }
    return values
  }

  /// Returns a value that a caller gives to a field. An integer may also be a text, because many
  /// clients cannot write one beyond 2⁵³.
  /// - Throws: ``CallFailure`` for a value of another type.
  package func value(_ json: JSONValue, of field: StoreSchema.Field) throws(CallFailure) -> Value {
    if field.type == .integer, case .text(let text) = json, let number = Int64(text) {
      return .integer(number)
    }
    do { return try ValueTyping.value(json, as: field.type) } catch {
      throw CallFailure(
        "the field \(field.name) is of type \(field.type.rawValue), and the value is "
          + json.summary,
        cure: error.remedy)
    }
  }

  /// Returns a new id; nil if the ids of the collection follow from a key.
  package var newID: String? { key.isEmpty ? TimedUUID.make() : nil }
}

/// What is to count of the writes of a conflict.
package enum SettledChoice: Sendable {
  case write(Conflict.Write)
  case value(Value)

  /// Returns the choice of a caller.
  /// - Parameters:
  ///   - take: `shown` or `other`; nil if the caller gives a value.
  ///   - value: the value; nil for none.
  /// - Throws: ``CallFailure`` if that is no choice.
  package init(
    take: String?, value: JSONValue?, of conflict: Conflict, in schema: StoreSchema.Collection
  ) throws(CallFailure) {
    if let take {
      let found = conflict.writes.filter { $0.wins == (take == "shown") }
      guard found.count == 1, let write = found.first else {
        throw CallFailure(
          "the conflict has \(found.count) such writes", cure: "Give the value that is to count")
      }
      self = .write(write)
      return
    }
    guard let value,
      let declared = schema.fields.first(where: {
        $0.identity == conflict.field || $0.name == conflict.field
      })
    else {
      throw CallFailure(
        "settle needs to know what is to count",
        cure: "Give take or, for a field of the collection, value")
    }
    self = .value(try schema.value(value, of: declared))
  }

  /// Writes the choice.
  package func write(_ conflict: Conflict, _ tx: WriteTransaction) throws {
    switch self {
    case .write(let write): try tx.settle(conflict, taking: write)
    case .value(let value): try tx.settle(conflict, with: value)
    }
  }
}
