package import DaybookEventCore
import DaybookJSON
package import DaybookProjections

/// The checks of ids and field values that a local write must pass before it becomes an operation.
package enum FieldCheck {
  package static func unknownCollection(_ name: String, _ schema: StoreSchema) -> StoreError {
    StoreError(
      .unknownName, "there is no collection \(name.quotedForMessage)",
      hint: DeclaredTypes.contains(name)
        ? DeclaredTypes.hint
        : NameSuggestion.hint(
          for: name, among: schema.sorted.map(\.name),
          none: "Nothing is defined yet; define it first"))
  }

  package static func unknownField(_ name: String, _ collection: CollectionSchema) -> StoreError {
    StoreError(
      .unknownName, "\(collection.name) has no field \(name.quotedForMessage)",
      hint: NameSuggestion.hint(
        for: name, among: collection.fields.map(\.name),
        none: "It has none yet; define it first"))
  }

  static func requireID(_ id: String) throws(StoreError) {
    guard (1...EntityIDCodec.bytesMax).contains(id.utf8.count) else {
      throw StoreError(
        .invalidID,
        "an id has 1 to \(EntityIDCodec.bytesMax) bytes, and this one has \(id.utf8.count)")
    }
  }

  /// Returns the fields as they will be written: under their first names and of the declared types.
  ///
  /// An integer in a real field becomes a real, and JSON takes its canonical form.
  /// - Throws: ``StoreError`` `unknownName`, `wrongType` or `fixedField`.
  static func canonical(_ fields: [String: Value], _ schema: CollectionSchema)
    throws(StoreError) -> [String: Value]
  {
    guard !areCanonical(fields, schema) else { return fields }
    var canonical: [String: Value] = [:]
    for (name, value) in fields {
      guard let field = schema[field: name] else { throw unknownField(name, schema) }
      let label = "\(schema.name).\(field.name)"
      guard field.kept == nil else {
        throw StoreError(
          .fixedField, "\(label) cannot be written: the store keeps it",
          hint: "Leave the field out; it follows from the events")
      }
      let old = canonical.updateValue(
        try self.canonical(value, field.type, label), forKey: field.identity)
      guard old == nil else {
        throw StoreError(
          .unknownName,
          "\(schema.name).\(field.name) is given twice, under its names of then and now",
          hint: "Give it once")
      }
    }
    return canonical
  }

  /// Whether the fields can be written as they are.
  ///
  /// Most can, and then no other dictionary is made.
  private static func areCanonical(_ fields: [String: Value], _ schema: CollectionSchema)
    -> Bool
  {
    fields.allSatisfy { name, value in
      guard let index = schema.fields.firstIndex(where: { $0.name == name }),
        schema.fields[index].kept == nil,
        schema.fields[index].identity.utf8.elementsEqual(name.utf8)
      else { return false }
      switch value {
      case .real: return false
      case .json(let bytes):
        return schema.fields[index].type == .json && JSONWriter.isPlainScalar(bytes)
      case .integer where schema.fields[index].type == .real: return false
      default: return schema.fields[index].type.cell(for: value) != nil
      }
    }
  }

  /// Returns a value as it will be written: of the type, and in its canonical form.
  /// - Parameters:
  ///   - value: the value.
  ///   - type: the field's type.
  ///   - field: the field's name, with that of its collection, for messages.
  /// - Throws: ``StoreError`` `wrongType`.
  package static func canonical(_ value: Value, _ type: FieldType, _ field: String)
    throws(StoreError)
    -> Value
  {
    switch (type, value) {
    case (.real, .integer(let integer)) where Double(exactly: integer) != nil:
      return .real(Double(integer))
    case (_, .real(let real)) where !real.isFinite:
      throw StoreError(
        .wrongType, "\(field) cannot be \(real)",
        hint: "Reals are finite; use NULL for “no number”")
    case (.json, .json(let bytes)): return .json(try canonicalJSON(bytes, field))
    default: break
    }
    guard type.cell(for: value) != nil else {
      if type == .timestamp, case .timestamp = value {
        throw StoreError(
          .wrongType, "\(field) cannot be a date before the year 1 or after the year 9999",
          hint: "Give a date between them, or NULL")
      }
      throw StoreError(
        .wrongType, "\(field) is of type \(type.rawValue), not \(value.typeName)",
        hint: "Give a value of that type, or NULL")
    }
    return value
  }

  /// Returns JSON in its canonical form.
  ///
  /// Without it, two authors who write the same object with its keys in different orders would be
  /// in conflict.
  private static func canonicalJSON(_ bytes: [UInt8], _ field: String) throws(StoreError) -> [UInt8]
  {
    do throws(JSONError) {
      return JSONWriter.canonical(try JSONParser.parse(bytes))
    } catch {
      let place = error.column.map { " (at byte \($0))" } ?? ""
      throw StoreError(
        .wrongType, "the JSON for \(field) cannot be stored: \(error.message)\(place)",
        hint: "Give one JSON value (RFC 8259)")
    }
  }

  /// Checks that a relationship has both ends.
  static func requireEnds(_ fields: [String: Value], _ schema: CollectionSchema)
    throws(StoreError)
  {
    guard schema.isRelationship else { return }
    for end in ["source", "target"] where fields[end] ?? .null == .null {
      throw missingEnd(end, of: schema.name)
    }
  }

  package static func missingEnd(_ end: String, of relationship: String) -> StoreError {
    StoreError(
      .wrongType, "a relationship of \(relationship) needs a \(end)",
      hint: "Give the id of the entity that it \(end == "source" ? "comes from" : "leads to")")
  }
}

extension Value {
  var typeName: String {
    switch self {
    case .null: "null"
    case .boolean: "boolean"
    case .integer: "integer"
    case .real: "real"
    case .text: "text"
    case .blob: "blob"
    case .timestamp: "timestamp"
    case .json: "json"
    }
  }
}
