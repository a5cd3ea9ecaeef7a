import DaybookEventCore
import DaybookJSON
package import DaybookProjections

extension InterchangeLine {
  /// Operations from lines below this length, in bytes, always fit into an event. Canonical bytes
  /// take at most 9 bytes where JSON takes 3, for a real such as 1e9.
  private static let bytesAlwaysFitting = Body.eventBytesMax / 4

  /// Returns the operation, with each value converted to the declared type of its field.
  ///
  /// - Parameter schema: the schema after all lines before this one.
  /// - Throws: ``InterchangeError`` if the line does not fit the schema, or the operation is too
  ///   large.
  package func operation(schema: StoreSchema) throws(InterchangeError) -> InterchangeOperation {
    let operation = try typed(schema)
    if byteCount > Self.bytesAlwaysFitting {
      let size = operation.canonicalByteCount
      guard size <= Body.eventBytesMax - Self.envelopeBytesMax else {
        throw InterchangeError(
          .tooLarge,
          "the operation has \(size) bytes, and an event, with all that is in it, has at most "
            + "16 MiB (16777216); keep large content in files, and their names or hashes here")
      }
    }
    return operation
  }

  /// Returns the number of timestamps that lose a part below the millisecond.
  /// - Parameter schema: the schema after all lines before this one.
  package func finerTimestamps(schema: StoreSchema) -> Int {
    fields.count { field in
      guard case .text(let text) = field.value, Timestamp.isFiner(text) else { return false }
      return schema[collection]?[field: field.name]?.type == .timestamp
    }
  }

  /// The space, in bytes, that an event needs besides its operations: envelope, actor, label and
  /// annotations.
  private static let envelopeBytesMax = 4096

  private func typed(_ schema: StoreSchema) throws(InterchangeError) -> InterchangeOperation {
    switch kind {
    case .define:
      let definition = definition ?? Definition(collection: collection)
      try check(definition, against: schema[collection])
      return .operation(.define(definition))
    case .drop:
      let declared = try declared(schema)
      if let field = droppedField, declared[field: field] == nil { throw unknown(field, declared) }
      return .operation(.drop(collection: collection, field: droppedField))
    case .insert:
      let declared = try declared(schema)
      if declared.isRelationship {
        for (end, name) in [(source, "source"), (target, "target")]
        where end == nil && !fields.contains(where: { $0.name == name }) {
          throw InterchangeError(
            .notAnOperation,
            "the key “\(name)” is missing; \(collection) is a relationship, so an insert needs "
              + "source and target, the ids of what it connects")
        }
      }
      let fields = try values(declared)
      return .operation(
        .insert(collection: collection, id: try id(fields, declared), fields: fields))
    case .update:
      return .operation(
        .update(collection: collection, id: id, fields: try values(try declared(schema))))
    case .put:
      let declared = try declared(schema)
      let fields = try values(declared)
      return .put(collection: collection, id: try id(fields, declared), fields: fields)
    case .delete:
      _ = try declared(schema)
      return .operation(.delete(collection: collection, id: id))
    case .restore:
      _ = try declared(schema)
      return .operation(.restore(collection: collection, id: id))
    case .edit:
      let declared = try declared(schema)
      guard let edit else { throw Self.missingID }
      guard let field = declared[field: edit.field] else { throw unknown(edit.field, declared) }
      return .edit(
        collection: collection, id: id, field: field.name, script: edit.script,
        isComparison: edit.isComparison)
    case .erase:
      _ = try declared(schema)
      return .operation(.erase(collection: collection, id: id))
    }
  }

  private func id(_ fields: [String: Value], _ declared: CollectionSchema)
    throws(InterchangeError) -> String
  {
    guard id.isEmpty else { return id }
    guard let derived = declared.derivedID(fields) else { throw Self.missingID }
    if let missing = declared.key.first(where: { fields[$0] ?? .null == .null }) {
      let name = declared[field: missing]?.name ?? missing
      throw InterchangeError(
        .notAnOperation,
        "the id of an entity of \(collection) follows from its key, and the field \(name) of the "
          + "key "
          + "has no value; give it one, or give the \"id\"")
    }
    return derived
  }

  private func declared(_ schema: StoreSchema) throws(InterchangeError) -> CollectionSchema {
    if let declared = schema[collection] { return declared }
    let known = schema.sorted.map(\.name)
    throw InterchangeError(
      .unknownCollection,
      "there is no collection \(collection)"
        + "\(Self.list(known, "there are", "none is defined yet")); "
        + Self.remedy(collection, known, "put a define line for it before this one"))
  }

  private func unknown(_ field: String, _ declared: CollectionSchema) -> InterchangeError {
    let known = declared.fields.map(\.name)
    let column = fields.first { $0.name == field }?.column
    return InterchangeError(
      .unknownField,
      "the collection \(collection) has no field \(field.quotedForMessage)"
        + "\(Self.list(known, "it has", "it has none")); "
        + Self.remedy(field, known, "put a define line that names it before this one"),
      column: column)
  }

  private static func list(_ names: [String], _ intro: String, _ empty: String) -> String {
    guard !names.isEmpty else { return " (\(empty))" }
    return " (\(intro) \(NameSuggestion.list(names)))"
  }

  private static func remedy(_ name: String, _ known: [String], _ otherwise: String) -> String {
    NameSuggestion.nearest(to: name, among: known)
      .map { "did you mean \($0.quotedForMessage)? Else \(otherwise)" } ?? otherwise
  }

  private func values(_ declared: CollectionSchema) throws(InterchangeError) -> [String: Value] {
    var values: [String: Value] = [:]
    values.reserveCapacity(fields.count + 2)
    for end in [source, target] {
      guard let end else { continue }
      guard declared.isRelationship else {
        throw InterchangeError(
          .notAnOperation,
          "the key “\(end.name)” is for relationships, and \(collection) is none; put it into "
            + "“fields”, or say `\"relationship\":true` in the define line", column: end.column)
      }
      values[end.name] = try value(of: end, as: .text)
    }
    for field in fields {
      guard let known = declared[field: field.name] else { throw unknown(field.name, declared) }
      let typed = try value(of: field, as: known.type)
      guard values.updateValue(typed, forKey: known.identity) == nil else {
        let places =
          field.name == known.identity
          ? "both beside “fields” and in it" : "there under its first name, too"
        throw InterchangeError(
          .duplicateKey,
          "\(field.name) stands \(places), and only one can count; remove the other",
          column: field.column)
      }
    }
    return values
  }

  private func value(of field: Field, as type: FieldType) throws(InterchangeError) -> Value {
    do throws(ValueTypingError) {
      return try ValueTyping.value(field.value, as: type)
    } catch {
      throw InterchangeError(
        .wrongType,
        "the field \(field.name) of \(collection) is declared as \(type.rawValue), and "
          + "\(field.value.summary) is none; \(error.remedy)", column: field.column)
    }
  }

  // MARK: - Definitions

  private func check(_ definition: Definition, against declared: CollectionSchema?)
    throws(InterchangeError)
  {
    var isRelationship = declared?.isRelationship ?? false
    if case .boolean(let value)? = definition.attributes["relationship"] {
      if let declared, declared.isRelationship != value {
        throw InterchangeError(
          .contradiction,
          "\(collection) is \(declared.isRelationship ? "a" : "no") relationship in the store, and "
            + "this line says otherwise; use another name, or make the line agree")
      }
      isRelationship = value
    }
    if let declared, declared.isLocal != definition.isLocal {
      throw InterchangeError(
        .contradiction,
        declared.isLocal
          ? "\(collection) is local in the store, and this line makes it shared; "
            + "say `\"local\":true`, "
            + "or use another name"
          : "\(collection) is shared in the store, and this line makes it local; use another name")
    }
    for field in definition.fields {
      let isEnd = isRelationship && ["source", "target"].contains(Names.folded(field.name))
      var type: FieldType?
      if case .text(let name)? = field.attributes["type"] { type = FieldType(rawValue: name) }
      if isEnd {
        guard type == nil || type == .text else {
          throw InterchangeError(
            .contradiction, "\(field.name) of a relationship holds an id, so its type is text")
        }
        continue
      }
      guard
        let known = declared?.fields.first(where: {
          [$0.name, $0.identity].map(Names.folded).contains(Names.folded(field.name))
        })
      else {
        guard type != nil else {
          throw InterchangeError(
            .notAnOperation,
            "the field \(field.name) has no type; say one of \(InterchangeDefinition.types)")
        }
        continue
      }
      guard known.name == field.name || known.identity == field.name else {
        throw InterchangeError(
          .contradiction,
          "the field \(field.name) differs from \(known.name) in upper and lower case only, which "
            + "SQLite holds to be the same; use one spelling")
      }
      guard type == nil || type == known.type else {
        throw InterchangeError(
          .contradiction,
          "the field \(field.name) of \(collection) is declared as \(known.type.rawValue) in the "
            + "store, and a type never changes; give the new field another name")
      }
    }
  }
}
