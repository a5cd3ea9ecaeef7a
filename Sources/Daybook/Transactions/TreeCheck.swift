import EventCore
import Projections

/// What local writes are held to, and merges are not: nothing in a tree is above itself.
struct TreeCheck {
  let projector: Projector

  /// - Parameter fields: what a write makes the entity show, by identity.
  /// - Throws: ``StoreError`` `wouldLoop`.
  func require(_ fields: [String: Value], _ schema: CollectionSchema, _ handle: EntityHandle) throws
  {
    for field in schema.fields where field.isTree {
      guard let value = fields[field.identity], try projector.wouldLoop(handle, field, value)
      else { continue }
      throw StoreError(
        .wouldLoop,
        "\(schema.name).\(field.name) of “\(handle.id)” cannot be \(value.shown), which is "
          + "“\(handle.id)” or below it", hint: "Move the other one first, or choose another place")
    }
  }

  /// That no entity is above itself by a field that a definition makes a tree: a reference would be
  /// hidden without anybody having asked.
  func require(_ missing: Definition, _ schema: CollectionSchema) throws {
    for wanted in missing.fields where wanted.attributes["tree"] == .boolean(true) {
      guard let field = schema[field: wanted.name], !field.isTree,
        let id = try projector.circle(in: schema, field: field)
      else { continue }
      throw StoreError(
        .wouldLoop,
        "\(schema.name).\(field.name) cannot become a tree: “\(id)” is above itself by it",
        hint: "Move it, or what is above it, first")
    }
  }
}
