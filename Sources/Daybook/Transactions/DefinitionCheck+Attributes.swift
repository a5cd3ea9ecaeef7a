import EventCore
import Projections

/// The checks of attributes that need no store.
extension DefinitionCheck {
  /// Checks that the tokenizer exists.
  ///
  /// With a misspelled name, the default would be used, and searches would find nothing without an
  /// apparent reason.
  static func requireTokenizer(_ definition: Definition) throws(StoreError) {
    switch definition.attributes["tokenizer"] {
    case nil, .null?: return
    case .text(let name)? where SearchTokenizer(rawValue: name) != nil: return
    default:
      let known = SearchTokenizer.allCases.map(\.rawValue).joined(separator: ", ")
      throw StoreError(
        .invalidName, "\(definition.collection) is defined with a tokenizer that there is not",
        hint: "There are: \(known)")
    }
  }

  /// Checks that an event with the definition can be read again. An event that cannot be read is
  /// shown by its author until the next rebuild, and by no other replica.
  static func requireReadable(_ definition: Definition) throws(StoreError) {
    do throws(EventError) {
      _ = try Body(operations: [.define(definition)]).encoded().withRawBytes {
        bytes throws(EventError) in try Body(decoding: bytes, codec: .plain)
      }
    } catch {
      throw StoreError(
        .invalidName,
        "the definition of \(definition.collection) cannot be written: \(error.message)"
      )
    }
  }

  /// Checks the names and values of attributes: an event with an invalid name, or a value such as
  /// NaN, could not be read again.
  static func requireNames(_ attributes: [String: Value], of name: String)
    throws(StoreError)
  {
    for (attribute, value) in attributes {
      let bytes = value.canonicalBytes
      guard Body.isName(attribute.utf8),
        (try? bytes.withRawBytes { try Value(canonicalBytes: $0) }) == value
      else { throw badAttribute(name, attribute) }
    }
  }

  /// Checks that each attribute of a definition has a meaningful value, without regard to the
  /// store's.
  static func requireSense(_ definition: Definition) throws(StoreError) {
    try requireNames(definition.attributes, of: definition.collection)
    for field in definition.fields {
      try requireNames(field.attributes, of: field.name)
      try requireFlags(field)
      guard let type = field.attributes["type"] else { continue }
      guard case .text(let name) = type, FieldType(rawValue: name) != nil else {
        throw badAttribute(field.name, "type")
      }
    }
  }

  /// Checks the attributes `unique`, `tree`, `name` and `onDelete`: a rule with a misspelled value
  /// would never be enforced.
  static func requireFlags(_ field: Definition.Field) throws(StoreError) {
    for flag in ["unique", "tree", "optional"] {
      switch field.attributes[flag] {
      case nil, .boolean?, .null?: break
      default: throw badAttribute(field.name, flag)
      }
    }
    switch field.attributes["name"] {
    case nil, .text?: break
    default: throw badAttribute(field.name, "name")
    }
    switch field.attributes["onDelete"] {
    case nil, .null?: break
    case .text(let rule)? where ReferenceRule(rawValue: rule) != nil: break
    default: throw badAttribute(field.name, "onDelete")
    }
  }

  /// Checks that a field that is a tree refers to its own collection.
  static func requireTree(
    _ tree: Value?, type: FieldType, references: Value?, _ field: String, _ collection: String
  ) throws(StoreError) {
    guard tree == .boolean(true), type != .text || references != .text(collection) else { return }
    throw StoreError(
      .invalidName, "\(field) cannot be a tree: it is no text that refers to \(collection)",
      hint: "Give it the type text, and \(collection) as what it references")
  }

  static func kind(_ isRelationship: Bool) -> String {
    isRelationship ? "a relationship" : "an ordinary collection"
  }

  /// Returns what a word counts in a field with this attribute `search`; nil if it is not searched.
  static func weight(_ value: Value?) -> Double? {
    switch value {
    case .boolean(true)?: 1
    case .integer(let weight)? where weight > 0: Double(weight)
    case .real(let weight)? where weight > 0: weight
    default: nil
    }
  }

  static func invalid(_ name: String) -> StoreError {
    StoreError(
      .invalidName, "“\(name)” cannot name a collection or field",
      hint: "A name begins with a letter and has up to 63 letters, digits and underscores; "
        + "sqlite_… and, for a field, id are taken")
  }

  static func badAttribute(_ field: String, _ attribute: String) -> StoreError {
    let types = FieldType.allCases.map(\.rawValue).joined(separator: ", ")
    return StoreError(
      .invalidName, "“\(field)” has an attribute “\(attribute)” that it cannot have",
      hint: "Types are: \(types)")
  }
}
