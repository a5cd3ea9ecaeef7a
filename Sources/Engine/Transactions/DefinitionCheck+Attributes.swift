package import DaybookEventCore
import DaybookProjections

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
      try requireSense(field, of: definition.collection)
      guard let type = field.attributes["type"] else { continue }
      guard case .text(let name) = type, FieldType(rawValue: name) != nil else {
        throw badAttribute("\(definition.collection).\(field.name)", "type")
      }
    }
  }

  /// Checks the names of a field's attributes, and the values of those whose meaning does not
  /// depend on its type.
  static func requireSense(_ field: Definition.Field, of collection: String) throws(StoreError) {
    let label = "\(collection).\(field.name)"
    try requireNames(field.attributes, of: label)
    try requireFlags(field, label)
  }

  /// Checks the attributes `unique`, `tree`, `name` and `onDelete`: a rule with a misspelled value
  /// would never be enforced.
  private static func requireFlags(_ field: Definition.Field, _ label: String) throws(StoreError) {
    switch field.attributes["unique"] {
    case nil, .boolean?, .null?: break
    case let rule: if Uniqueness(rule) == nil { throw badAttribute(label, "unique") }
    }
    for flag in ["tree", "optional"] {
      switch field.attributes[flag] {
      case nil, .boolean?, .null?: break
      default: throw badAttribute(label, flag)
      }
    }
    switch field.attributes["name"] {
    case nil, .text?: break
    default: throw badAttribute(label, "name")
    }
    switch field.attributes["onDelete"] {
    case nil, .null?: break
    case .text(let rule)? where ReferenceRule(rawValue: rule) != nil: break
    default: throw badAttribute(label, "onDelete")
    }
  }

  /// Checks that values that are compared without case are texts.
  static func requireText(_ unique: Value?, type: FieldType, _ field: String) throws(StoreError) {
    guard Uniqueness(unique) == .folded, type != .text else { return }
    throw StoreError(
      .wrongType,
      "\(field) cannot be unique without case: it is of type \(type.rawValue), which has none",
      hint: "Make it unique without “folded”, or a text")
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
  package static func weight(_ value: Value?) -> Double? {
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

  /// Returns the error about an attribute's name or value.
  /// - Parameter name: the collection, or collection and field.
  static func badAttribute(_ name: String, _ attribute: String) -> StoreError {
    let hint =
      switch attribute {
      case "type": "Types are: \(FieldType.allCases.map(\.rawValue).joined(separator: ", "))"
      case "default": "Give a value of the field's type; reals are finite, and JSON is valid"
      case "onDelete":
        "Rules are: \(ReferenceRule.allCases.map(\.rawValue).joined(separator: ", "))"
      case "name": "Give a text that can name a field; the ends of a relationship keep their names"
      case "unique":
        "Give true, false, or “folded-1” for texts that are compared without case by table 1; what "
          + "else there is needs a later version of Daybook"
      case "tree", "optional", "local": "Give true or false"
      default: "Names of attributes are printable ASCII, and reals are finite"
      }
    return StoreError(
      .invalidName, "\(name) has an attribute “\(attribute)” that it cannot have", hint: hint)
  }
}
