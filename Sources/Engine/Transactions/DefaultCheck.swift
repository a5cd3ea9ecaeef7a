import DaybookEventCore
import DaybookProjections

/// The checks of what a field shows without a write: its attributes `default` and `kept`.
enum DefaultCheck {
  /// Returns a field with its default as it will be written.
  /// - Parameters:
  ///   - field: the field as the definition has it.
  ///   - type: the field's type.
  ///   - collection: the collection's name, for messages.
  /// - Throws: ``StoreError`` `wrongType`, `invalidName` or `contradiction`.
  static func canonical(
    _ field: Definition.Field, _ type: FieldType, _ collection: String
  ) throws(StoreError) -> Definition.Field {
    let name = "\(collection).\(field.shownName)"
    try requireKept(field, type, name)
    guard let value = field.attributes["default"], value != .null else { return field }
    guard field.attributes["tree"] != .boolean(true) else {
      throw StoreError(
        .contradiction, "\(name) is a tree, and has a default",
        hint: "Leave the default out: the top of a tree refers to nothing")
    }
    let canonical = try FieldCheck.canonical(value, type, "the default of \(name)")
    guard FieldSchema.canBeDefault(canonical) else {
      throw StoreError(
        .invalidName, "the default of \(name) cannot be stored in a table",
        hint: "It has up to \(FieldSchema.defaultBytesMax) bytes, and no character 0")
    }
    return field.default(canonical)
  }

  /// Checks that a field that the store keeps is of its fact's type, and nothing else besides.
  private static func requireKept(_ field: Definition.Field, _ type: FieldType, _ name: String)
    throws(StoreError)
  {
    let attribute = field.attributes["kept"] ?? .null
    guard attribute != .null else { return }
    guard case .text(let text) = attribute, let fact = KeptFact(rawValue: text) else {
      throw StoreError(
        .invalidName, "\(name) is to keep \(attribute.shown), which the store does not know",
        hint: "There are: \(KeptFact.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    guard fact.type == type else {
      throw StoreError(
        .wrongType,
        "\(name) is of type \(type.rawValue), and “\(text)” needs \(fact.type.rawValue)",
        hint: "Define the field with that type")
    }
    for other in ["unique", "tree", "default", "search"] {
      let value = field.attributes[other] ?? .null
      guard value == .null || value == .boolean(false) else {
        throw StoreError(
          .contradiction, "\(name) is kept by the store, and has the attribute “\(other)”",
          hint: "Leave that out, or make it a field that authors write")
      }
    }
  }
}
