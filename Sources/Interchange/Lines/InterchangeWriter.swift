package import DaybookEventCore
package import DaybookJSON
package import DaybookProjections
import DaybookTexts

/// Writes lines of interchange, without their line endings.
package enum InterchangeWriter {
  /// Returns the `define` line that declares a collection in its current form.
  package static func define(_ collection: CollectionSchema) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.key("op")
      $0.text("define")
      $0.key("collection")
      $0.text(collection.name)
      if collection.isLocal {
        $0.key("local")
        $0.boolean(true)
      }
      if collection.isRelationship {
        $0.key("relationship")
        $0.boolean(true)
      }
      directed(collection, to: &$0)
      if collection.tokenizer != .stemmed {
        $0.key("tokenizer")
        $0.text(collection.tokenizer.rawValue)
      }
      if !collection.key.isEmpty {
        $0.key("key")
        $0.array { writer in
          for name in collection.key { writer.text(name) }
        }
      }
      indexes(collection, to: &$0)
      $0.key("fields")
      $0.array { writer in
        for field in collection.fields where !isPlainEnd(field, of: collection) {
          write(field, to: &writer)
        }
      }
    }
    return writer.bytes
  }

  private static func flag(_ name: String, _ isSet: Bool, to writer: inout JSONWriter) {
    guard isSet else { return }
    writer.key(name)
    writer.boolean(true)
  }

  private static func indexes(_ collection: CollectionSchema, to writer: inout JSONWriter) {
    func name(_ identity: String) -> String {
      collection.fields.first { $0.identity == identity }?.name ?? identity
    }
    for index in collection.indexes {
      let columns = index.columns.map { ($0.isDescending ? "-" : "") + name($0.field) }
      writer.key(IndexSchema.attribute + columns.joined(separator: ","))
      if let condition = index.condition {
        writer.text(name(condition))
      } else {
        writer.boolean(true)
      }
    }
    for set in collection.uniqueSets {
      writer.key(IndexSchema.uniqueAttribute + set.fields.map(name).joined(separator: ","))
      writer.value(set.uniqueness.attribute)
    }
  }

  private static func directed(_ collection: CollectionSchema, to writer: inout JSONWriter) {
    switch collection.directedness {
    case .directed: break
    case .undirected:
      writer.key("directed")
      writer.boolean(false)
    case .field(let identity):
      writer.key("directed")
      writer.text(collection.fields.first { $0.identity == identity }?.name ?? identity)
    }
  }

  /// Returns whether a field is an end of a relationship without further attributes. `relationship`
  /// declares such a field already.
  private static func isPlainEnd(_ field: FieldSchema, of collection: CollectionSchema) -> Bool {
    collection.isRelationship && (field.name == "source" || field.name == "target")
      && !field.isIndexed && !field.isUnique && field.searchWeight == nil && field.references == nil
  }

  private static func write(_ field: FieldSchema, to writer: inout JSONWriter) {
    writer.object {
      $0.key("name")
      $0.text(field.name)
      if field.name != field.identity {
        $0.key("formerly")
        $0.text(field.identity)
      }
      $0.key("type")
      $0.text(field.type.rawValue)
      if let weight = field.searchWeight {
        $0.key("search")
        if weight == 1 { $0.boolean(true) } else { $0.real(weight) }
      }
      flag("index", field.isIndexed, to: &$0)
      if let rule = field.uniqueness {
        $0.key("unique")
        $0.value(rule.attribute)
      }
      if let references = field.references {
        $0.key("references")
        $0.text(references)
      }
      if field.onDelete != .keep {
        $0.key("onDelete")
        $0.text(field.onDelete.rawValue)
      }
      flag("tree", field.isTree, to: &$0)
      flag("merge", field.merges, to: &$0)
      if let value = field.defaultValue {
        $0.key("default")
        $0.value(value)
      }
      flag("optional", field.isNullable, to: &$0)
      if let kept = field.kept {
        $0.key("kept")
        $0.text(kept.rawValue)
      }
    }
  }

  /// Returns the `insert` line that creates an entity in its current form. Fields are in table
  /// order. Fields without a value are left out, unless they would show a default then.
  package static func insert(
    into collection: CollectionSchema, id: String, fields: [String: Value]
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      head(.insert, collection.name, id, to: &$0)
      var names = collection.fields.map(\.name)
      if collection.isRelationship {
        names.removeAll { $0 == "source" || $0 == "target" }
        ends(fields, to: &$0)
      }
      let presets = Set(collection.fields.filter(\.isNullable).map(\.name))
      let given = names.filter { fields[$0] ?? .null != .null || presets.contains($0) }
      values(fields, given, to: &$0)
    }
    return writer.bytes
  }

  private static func head(
    _ kind: InterchangeLine.Kind, _ collection: String, _ id: String?, to writer: inout JSONWriter
  ) {
    writer.key("op")
    writer.text(kind.rawValue)
    writer.key("collection")
    writer.text(collection)
    if let id {
      writer.key("id")
      writer.text(id)
    }
  }

  private static func ends(_ fields: [String: Value], to writer: inout JSONWriter) {
    for end in ["source", "target"] {
      guard let value = fields[end] else { continue }
      writer.key(end)
      writer.value(value)
    }
  }

  private static func values(
    _ fields: [String: Value], _ names: [String], to writer: inout JSONWriter
  ) {
    writer.key("fields")
    writer.object {
      for name in names {
        $0.key(name)
        $0.value(fields[name] ?? .null)
      }
    }
  }

  // MARK: - Operations of the log

  /// Writes one operation in the form that it has on a line of its own.
  ///
  /// - Parameters:
  ///   - operation: the operation to write.
  ///   - schema: the schema, which says which collections are relationships.
  ///   - writer: receives the JSON.
  package static func operation(
    _ operation: Operation, schema: StoreSchema, to writer: inout JSONWriter
  ) {
    writer.object { writer in
      switch operation {
      case .define(let definition): define(definition, to: &writer)
      case .drop(let collection, let field):
        head(.drop, collection, nil, to: &writer)
        if let field {
          writer.key("field")
          writer.text(field)
        }
      case .insert(let collection, let id, let fields):
        head(.insert, collection, id, to: &writer)
        write(fields, of: schema[collection], to: &writer)
      case .update(let collection, let id, let fields):
        head(.update, collection, id, to: &writer)
        write(fields, of: schema[collection], to: &writer)
      case .delete(let collection, let id): head(.delete, collection, id, to: &writer)
      case .restore(let collection, let id): head(.restore, collection, id, to: &writer)
      case .erase(let collection, let id): head(.erase, collection, id, to: &writer)
      case .edit(let edit): write(edit, to: &writer)
      case .undo, .stamp, .identity, .unknown: system(operation, to: &writer)
      }
    }
  }

  private static func write(
    _ fields: [String: Value], of collection: CollectionSchema?, to writer: inout JSONWriter
  ) {
    var names = fields.keys.sorted(by: utf8Less)
    if collection?.isRelationship == true {
      names.removeAll { $0 == "source" || $0 == "target" }
      ends(fields, to: &writer)
    }
    values(fields, names, to: &writer)
  }

  private static func write(_ edit: TextEdit, to writer: inout JSONWriter) {
    head(.edit, edit.collection, edit.id, to: &writer)
    writer.key("field")
    writer.text(edit.field)
    writer.key("base")
    writer.text("\(edit.base)")
    writer.key("operation")
    writer.integer(Int64(edit.baseOperation))
    if edit.isComparison {
      writer.key("comparison")
      writer.boolean(true)
    }
    guard let script = edit.script.withUnsafeBytes({ try? TextScript(decoding: $0) }) else {
      writer.key("malformed")
      writer.text(Hex.encode(edit.script))
      return
    }
    writer.key("script")
    writer.array { writer in
      for step in script.steps {
        switch step {
        case .retain(let count): writer.integer(Int64(count))
        case .delete(let count): writer.integer(-Int64(count))
        case .insert(let text): writer.text(text)
        }
      }
    }
  }

  private static func define(_ definition: Definition, to writer: inout JSONWriter) {
    func attributes(_ attributes: [String: Value], _ writer: inout JSONWriter) {
      for name in attributes.keys.sorted(by: utf8Less) {
        writer.key(name)
        writer.value(attributes[name] ?? .null)
      }
    }
    head(.define, definition.collection, nil, to: &writer)
    attributes(definition.attributes, &writer)
    writer.key("fields")
    writer.array { writer in
      for field in definition.fields {
        writer.object {
          $0.key("name")
          $0.text(field.shownName)
          if field.attributes["name"] != nil {
            $0.key("formerly")
            $0.text(field.name)
          }
          attributes(field.attributes.filter { $0.key != "name" }, &$0)
        }
      }
    }
  }

  /// Writes an operation that no line of interchange can express. It is shown, but not read back.
  private static func system(_ operation: Operation, to writer: inout JSONWriter) {
    func member(_ key: String, _ text: String) {
      writer.key(key)
      writer.text(text)
    }
    func member(_ key: String, _ number: UInt64) {
      writer.key(key)
      writer.integer(number)
    }
    switch operation {
    case .undo(let undo):
      member("op", undo.isUndone ? "undo" : "redo")
      member("collection", undo.collection)
      member("id", undo.id)
      member("turn", undo.turn)
      writer.key("events")
      writer.array {
        for run in undo.events { $0.text(run.name) }
      }
    case .stamp(let stamp):
      member("op", "stamp")
      member("origin", stamp.origin.description)
      member("from", stamp.from)
      member("through", stamp.through)
      member("chain", stamp.chain.description)
      writer.key("time")
      writer.timestamp(stamp.time.milliseconds)
    case .identity(let claim):
      member("op", "identity")
      member("publicKey", Hex.encode(claim.publicKey))
    case .unknown(let kind, let payload):
      member("op", "unknown")
      member("kind", kind)
      member("payload", Base64.encode(payload))
    default: break
    }
  }
}
