import DaybookEventCore
import DaybookProjections

/// The rule for trees: no entity is above itself.
///
/// It binds local writes only. A merge may bring a cycle; a reference that closes it is then
/// hidden.
struct TreeCheck {
  let transaction: WriteTransaction

  /// Checks that a write puts no entity above itself.
  /// - Parameter fields: the values that the write makes the entity show, by the fields'
  ///   identities.
  /// - Throws: ``StoreError`` `wouldLoop`.
  func require(_ fields: [String: Value], _ schema: CollectionSchema, _ handle: EntityHandle)
    throws
  {
    for field in schema.fields where field.isTree {
      guard case .text(let target)? = fields[field.identity],
        try transaction.projected().wouldLoop(handle, field, target)
      else { continue }
      throw StoreError(
        .wouldLoop,
        "\(schema.name).\(field.name) of “\(handle.id)” cannot be \(Value.text(target).shown), "
          + "which is “\(handle.id)” or below it",
        hint: "Move the other one first, or choose another place")
    }
  }

  /// Checks that no entity is above itself by a field that a definition makes a tree.
  ///
  /// Otherwise the definition would silently hide a reference.
  /// - Throws: ``StoreError`` `wouldLoop`.
  func require(_ missing: Definition, _ schema: CollectionSchema) throws {
    for wanted in missing.fields where wanted.attributes["tree"] == .boolean(true) {
      guard let field = schema[field: wanted.name], !field.isTree,
        let id = try transaction.projected().circle(in: schema, field: field)
      else { continue }
      throw StoreError(
        .wouldLoop,
        "\(schema.name).\(field.name) cannot become a tree: “\(id)” is above itself by it",
        hint: "Move it, or what is above it, first")
    }
  }
}
