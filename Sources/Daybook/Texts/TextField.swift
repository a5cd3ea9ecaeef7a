import DaybookEngine
import DaybookEventCore
import DaybookProjections
import DaybookTexts

/// A text field of one entity.
struct TextField: Sendable, Hashable {
  var collection: String
  var id: String
  /// The field's name, as the caller gave it.
  var name: String

  init(_ collection: String, _ id: String, _ name: String) {
    self.collection = collection
    self.id = id
    self.name = name
  }

  /// - Throws: ``StoreError`` `unknownName` if the property is no field.
  init<E: Entity>(_ id: EntityID<E>, _ property: KeyPath<E, String>) throws(StoreError) {
    let layout = EntityLayout<E>.shared
    guard let place = layout.place(of: property) else {
      throw StoreError(
        .unknownName, "the key path is no field of \(E.collection)",
        hint: "Name a stored property that the type lists among its fields")
    }
    self.init(E.collection, id.rawValue, layout.identities[place])
  }

  var scope: ChangeFeed.Scope { ChangeFeed.Scope(collections: [collection], id: id) }

  /// Returns the field as it is declared.
  /// - Throws: ``StoreError`` `unknownName`, or `wrongType` if it is no text field.
  func declared(in schema: StoreSchema) throws(StoreError) -> StoreSchema.Field {
    guard let known = schema[collection] else {
      throw FieldCheck.unknownCollection(collection, schema)
    }
    guard let field = known[field: name] else { throw FieldCheck.unknownField(name, known) }
    guard field.type == .text else {
      throw StoreError(
        .wrongType, "\(field.name) of \(collection) is of type \(field.type.rawValue)",
        hint: "Only fields of type text have texts")
    }
    return field
  }

  /// Returns the text that the field shows; nil if the entity is not live, or holds no text there.
  func shown(in view: ReadModelView) throws -> ShownText? {
    try view.shownText(collection, id, try declared(in: view.schema).identity)
  }

  /// The error that there is no text to edit.
  var missing: StoreError {
    StoreError(
      .noSuchEntity, "there is no “\(id)” in \(collection) with a text in \(name)",
      hint: "Insert or restore it first")
  }
}

/// What has become of a text that was read before.
struct TextNews: Sendable {
  /// The text now; nil if there is none.
  var text: ShownText?
  /// What turns the text before into this one; nil if this one has another beginning, or if the
  /// edits between the two are not known.
  var edits: TextScript?

  init(text: ShownText?, edits: TextScript?) {
    self.text = text
    self.edits = edits
  }

  /// Reads a text, and what has become of it since it was read before.
  init(_ view: ReadModelView, _ field: TextField, since old: ShownText?) throws {
    text = try field.shown(in: view)
    guard let text, let old, text.hasBase(of: old) else { return }
    edits = try view.script(
      from: old, to: text, field.collection, field.id,
      try field.declared(in: view.schema).identity)
  }
}
