package import DaybookEventCore
import DaybookProjections
public import DaybookTexts

/// Edits of text fields, which merge with what others change meanwhile.
extension WriteTransaction {
  /// Changes a text field of a live entity.
  ///
  /// ```swift
  /// try tx.edit("notes", "n1", "body") { text in
  ///   try text.insert("oat ", at: 4)
  /// }
  /// ```
  /// What is written is the change, not the text. If others have changed the text meanwhile, it has
  /// their changes and this one. A field that has no text yet is edited as the empty text.
  ///
  /// Calls that follow each other and change the same text by places become one operation. Cost:
  /// that of reading the text, and of a copy of it, once for such calls; then that of each change.
  /// - Parameters:
  ///   - collection: the collection.
  ///   - id: the id of the entity.
  ///   - field: the name of a text field; it need not be declared as merging.
  ///   - change: changes the text that the entity shows.
  /// - Throws: ``StoreError`` `noSuchEntity`, `unknownName`, `invalidEdit` if a place is not in the
  ///   text; `wrongType` if the field shows no text; `valueTaken`, `wouldLoop`, `fixedKey`; what
  ///   `change` throws.
  public func edit(
    _ collection: String, _ id: String, _ field: String,
    _ change: (inout EditableText) throws -> Void
  ) throws {
    if try goOnTyping(collection, id, field, change) { return }
    let before = try text(collection, id, field)
    var text = EditableText(before)
    try change(&text)
    let script = text.script
    guard !script.isEmpty else { return }
    try edit(
      collection, id, field, by: script, isComparison: text.isComparison,
      known: (before, text.text))
    // What is typed next may become part of the same operation.
    if typing != nil { typedText = text }
  }

  /// Changes a text field of a live entity by a script for the text that it shows.
  ///
  /// - Parameters:
  ///   - collection: the collection.
  ///   - id: the id of the entity.
  ///   - field: the name of a text field.
  ///   - script: a script for the text that the entity shows.
  ///   - isComparison: whether the script was made by comparing two texts, for example two versions
  ///     of a file, and not by typing. If two devices make the same change so, the merged text has
  ///     it once.
  /// - Throws: as ``edit(_:_:_:_:)``.
  public func edit(
    _ collection: String, _ id: String, _ field: String, by script: TextScript,
    isComparison: Bool = false
  ) throws {
    let place = ScriptedPlace(collection: collection, id: id, field: field)
    let isAgain = !isComparison && scripted?.place == place && scripted?.number == writer.count
    if isAgain || typing?.isOf(collection, id, field) == true && !isComparison {
      try edit(collection, id, field) { text in
        do { try text.apply(script) } catch {
          throw Self.unfit(script, text.text, collection, id, field)
        }
      }
    } else {
      try edit(collection, id, field, by: script, isComparison: isComparison, known: nil)
    }
    scripted = isComparison ? nil : (place, writer.count)
  }

  private static func unfit(
    _ script: TextScript, _ text: String, _ collection: String, _ id: String, _ field: String
  ) -> StoreError {
    StoreError(
      .invalidEdit,
      "the edit of \(field) of “\(id)” in \(collection) is for a text of at least "
        + "\(script.lengthNeeded) characters, and it has \(text.unicodeScalars.count)",
      hint: "Read the text again in the same transaction, and edit that")
  }

  /// - Parameter known: what the script makes of a text; nil if that is not known. It is looked up
  ///   if the entity shows another text by now.
  private func edit(
    _ collection: String, _ id: String, _ field: String, by script: TextScript,
    isComparison: Bool, known: (before: String, after: String)?
  ) throws {
    try call {
      let (schema, handle) = try load(collection, id)
      try require(handle, collection, id, nil)
      let declared = try textField(field, schema)
      guard try unmigrated([declared.name: .null], of: schema, id)?.isEmpty == false else { return }
      let place = try editable(declared, schema, handle)
      let isKnown = known?.before.isSame(as: place.text) ?? false
      guard let edited = isKnown ? known?.after : script.applied(to: place.text) else {
        throw Self.unfit(script, place.text, collection, id, declared.name)
      }
      let canonical = try FieldCheck.canonical([declared.name: .text(edited)], schema)
      try KeyCheck.requireUnchanged(canonical, schema)
      try requireRules(canonical, schema, handle)
      var operation = TextEdit(
        collection: schema.name, id: id, field: declared.identity, base: place.base,
        baseOperation: place.operation, script: [], isComparison: isComparison)
      // A rule may have to refuse each edit by itself.
      if !isComparison, isKnown, !schema.hasRules, migrated == nil {
        typing = TypedEdit(
          collection: collection, field: field, handle: handle, operation: operation,
          number: writer.count)
        typing?.scripts.append(script)
      } else {
        operation.script = script.encoded
        try apply(.edit(operation), to: handle)
      }
    }
  }

  /// Takes what some events have written out of the text that a field of a live entity shows, by an
  /// edit. Nothing else that the events have written changes.
  ///
  /// Cost: reads all edits of the text from the log, and merges them.
  /// - Parameter field: the field's identity.
  package func takeOut(_ events: Set<EventID>, _ collection: String, _ id: String, _ field: String)
    throws
  {
    let (name, script) = try call {
      let schema = try self.collection(collection)
      let declared = schema.fields.first { $0.identity == field }
      let text = try ReadModelView(within: projected()).writtenText(collection, id, field)
      return (declared?.name ?? field, text?.without(events) ?? TextScript())
    }
    if !script.isEmpty { try edit(collection, id, name, by: script, isComparison: true) }
  }

  /// Returns the text that a field of a live entity shows; empty if it shows none.
  private func text(_ collection: String, _ id: String, _ field: String) throws -> String {
    try call {
      let (schema, handle) = try load(collection, id)
      try require(handle, collection, id, nil)
      return try editable(try textField(field, schema), schema, handle).text
    }
  }

  private func textField(_ name: String, _ schema: CollectionSchema) throws(StoreError)
    -> FieldSchema
  {
    guard let field = schema[field: name] else { throw FieldCheck.unknownField(name, schema) }
    guard field.type == .text else {
      throw StoreError(
        .wrongType, "\(field.name) of \(schema.name) is of type \(field.type.rawValue)",
        hint: "Only fields of type text can be edited; update it")
    }
    return field
  }

  private func editable(
    _ field: FieldSchema, _ schema: CollectionSchema, _ handle: EntityHandle
  ) throws(StoreError) -> (base: EventID, operation: UInt32, text: String) {
    guard let place = handle.editable(field.identity) else {
      throw StoreError(
        .wrongType,
        "\(field.name) of “\(handle.id)” in \(schema.name) holds a value that is no text",
        hint: "Update the field with a text first")
    }
    return place
  }

  // MARK: - Assignments that become edits

  /// Returns the scripts for those of the new values that are to merge with what others write.
  ///
  /// A field that shows its default was never written. It is assigned, so that two authors who both
  /// begin with the default do not both add to it.
  /// - Parameter values: new values, by the fields' identities.
  func edits(
    _ values: [String: Value], _ schema: CollectionSchema, _ handle: EntityHandle
  ) -> [String: TextScript] {
    var scripts: [String: TextScript] = [:]
    for field in schema.fields where field.merges {
      guard case .text(let text)? = values[field.identity],
        let place = handle.editable(field.identity),
        !(place.text.isEmpty && field.defaultValue != nil)
      else { continue }
      scripts[field.identity] = TextScript(from: place.text, to: text)
    }
    return scripts
  }

  /// Writes edits of an entity's fields, by the fields' identities.
  func apply(_ scripts: [String: TextScript], _ schema: CollectionSchema, _ id: String) throws {
    for (field, script) in scripts.sorted(by: { utf8Less($0.key, $1.key) }) {
      let handle = try handle(schema, id)
      guard let place = handle.editable(field) else { continue }
      try apply(
        .edit(
          TextEdit(
            collection: schema.name, id: id, field: field, base: place.base,
            baseOperation: place.operation, script: script.encoded, isComparison: true)),
        to: handle)
    }
  }
}
