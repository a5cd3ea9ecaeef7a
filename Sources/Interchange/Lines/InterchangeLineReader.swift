import DaybookEventCore
import DaybookJSON
import DaybookProjections
import DaybookTexts

/// Reads the keys of one line, in any order.
struct InterchangeLineReader {
  private enum Key: Int, CaseIterable {
    case op, collection, id, source, target, fields, field, script, comparison, base, operation

    var word: StaticString {
      switch self {
      case .op: "op"
      case .collection: "collection"
      case .id: "id"
      case .source: "source"
      case .target: "target"
      case .fields: "fields"
      case .field: "field"
      case .script: "script"
      case .comparison: "comparison"
      case .base: "base"
      case .operation: "operation"
      }
    }
  }

  private var parser: LineParser
  private var kind: InterchangeLine.Kind?
  private var collection: String?
  private var id: String?
  private var source: InterchangeLine.Field?
  private var target: InterchangeLine.Field?
  private var field: String?
  private var script: TextScript?
  private var isComparison = false
  /// Values of fields if `fields` is an object; definitions of fields if it is an array.
  private var fields: [InterchangeLine.Field]?
  private var fieldDefinitions: [JSONValue]?
  private var others: [(key: String, value: JSONValue, column: Int)] = []
  /// The column of each key's value; 0 if the key is absent.
  private var columns = [Int](repeating: 0, count: Key.allCases.count)

  init(_ bytes: UnsafeRawBufferPointer) { parser = LineParser(bytes) }

  mutating func line() throws(InterchangeError) -> InterchangeLine {
    try parser.openObject()
    var isFirst = true
    while let key = try parser.nextKey(isFirst: isFirst) {
      isFirst = false
      try read(key)
    }
    try parser.end()
    guard let kind else { throw missing("op", "says what to do: \(Self.kinds)") }
    guard let collection else {
      throw missing("collection", "names the collection that it is about")
    }
    guard Names.isValid(collection) else { throw badName("collection", collection, .collection) }
    var line = InterchangeLine(kind: kind, collection: collection)
    line.byteCount = parser.bytes.count
    try refuseUnexpected(kind)
    if kind.takesID {
      // The id of a new entity may be derived from its fields, which only the schema knows.
      if id == nil, kind != .insert, kind != .put { throw InterchangeLine.missingID }
      line.id = id ?? ""
    }
    line.fields = fields ?? []
    line.source = source
    line.target = target
    if kind == .edit {
      guard let field else { throw missing("field", "names the text field to change") }
      guard let script else { throw missing("script", "says how the text changes") }
      line.edit = (field, script, isComparison)
    } else {
      line.droppedField = field
    }
    if kind == .define {
      line.definition = try InterchangeDefinition.definition(
        of: collection, fields: fieldDefinitions ?? [], column: columns[Key.fields.rawValue],
        attributes: others)
    }
    return line
  }

  private mutating func read(_ key: JSONKey) throws(InterchangeError) {
    _ = parser.peek()
    let column = parser.column
    guard let known = try known(key) else {
      let name = try parser.string(key)
      if others.contains(where: { $0.key.utf8.elementsEqual(name.utf8) }) {
        throw parser.duplicate(name, key)
      }
      others.append((name, try parser.value(), column))
      return
    }
    guard columns[known.rawValue] == 0 else {
      throw parser.duplicate("\(known)", key)
    }
    columns[known.rawValue] = column
    switch known {
    case .op: kind = try readKind(column)
    case .collection: collection = try readText(known)
    case .id: id = try readID()
    case .source:
      source = InterchangeLine.Field(name: "source", value: try parser.value(), column: column)
    case .target:
      target = InterchangeLine.Field(name: "target", value: try parser.value(), column: column)
    case .field: field = try readText(known)
    case .fields: try readFields(column)
    case .script: script = try readScript(column)
    case .comparison: isComparison = try readBoolean(known)
    // The text that its author saw, which only the log that the line comes from has.
    case .base, .operation: _ = try parser.value()
    }
  }

  private mutating func readScript(_ column: Int) throws(InterchangeError) -> TextScript {
    var steps: [TextScript.Step] = []
    if case .array(let values) = try parser.value() {
      for value in values {
        switch value {
        case .text(let text): steps.append(.insert(text))
        case .integer(let count) where count != 0 && count.magnitude < 1 << 53:
          steps.append(count > 0 ? .retain(Int(count)) : .delete(-Int(count)))
        default: throw badScript(column)
        }
      }
      return TextScript(steps)
    }
    throw badScript(column)
  }

  private func badScript(_ column: Int) -> InterchangeError {
    InterchangeError(
      .notAnOperation,
      "a script is an array of numbers of characters to keep (`4`) or to delete (`-2`), and of "
        + "texts to insert, such as `[4,\"oat \",-2]`", column: column)
  }

  private mutating func known(_ key: JSONKey) throws(InterchangeError) -> Key? {
    guard !key.isEscaped else {
      let name = try parser.string(key)
      return Key.allCases.first { "\($0)" == name }
    }
    for known in Key.allCases where parser.matches(key, known.word) { return known }
    return nil
  }

  private static let kinds = InterchangeLine.Kind.allCases.map(\.rawValue).joined(separator: ", ")

  private mutating func readKind(_ column: Int) throws(InterchangeError) -> InterchangeLine.Kind {
    let name = try readText(.op)
    guard let kind = InterchangeLine.Kind(rawValue: name) else {
      throw InterchangeError(
        .notAnOperation,
        "there is no operation \(name.quotedForMessage); known are \(Self.kinds)", column: column)
    }
    return kind
  }

  private mutating func readText(_ key: Key) throws(InterchangeError) -> String {
    let column = parser.column
    if parser.peek() == UInt8(ascii: "\"") { return try parser.text() }
    let value = try parser.value()
    throw InterchangeError(
      .notAnOperation, "“\(key)” must be a text, and it is \(value.summary)", column: column)
  }

  private mutating func readBoolean(_ key: Key) throws(InterchangeError) -> Bool {
    let column = parser.column
    let value = try parser.value()
    if case .boolean(let value) = value { return value }
    throw InterchangeError(
      .notAnOperation, "“\(key)” must be true or false, and it is \(value.summary)", column: column)
  }

  private mutating func readID() throws(InterchangeError) -> String {
    let column = parser.column
    let id = try readText(.id)
    guard !id.isEmpty, id.utf8.count <= EntityIDCodec.bytesMax else {
      throw InterchangeError(
        .invalidName,
        "the id \(id.quotedForMessage) has \(id.utf8.count) bytes; an id has 1 to "
          + "\(EntityIDCodec.bytesMax)", column: column)
    }
    return id
  }

  private mutating func readFields(_ column: Int) throws(InterchangeError) {
    guard parser.peek() == UInt8(ascii: "{") else {
      guard case .array(let definitions) = try parser.value() else {
        throw InterchangeError(
          .notAnOperation,
          "“fields” must be an object of values, or in a define an array of definitions",
          column: column)
      }
      fieldDefinitions = definitions
      return
    }
    try parser.openObject()
    var read: [InterchangeLine.Field] = []
    var names: Set<String> = []
    while let key = try parser.nextKey(isFirst: read.isEmpty) {
      let name = try parser.string(key)
      // Only ASCII names are accepted later, so String's own equality is enough here.
      let isNew =
        read.count < 16
        ? !read.contains { $0.name == name }
        : names.insert(name).inserted && !read[..<16].contains { $0.name == name }
      guard isNew else { throw parser.duplicate(name, key) }
      _ = parser.peek()
      let column = parser.column
      read.append(InterchangeLine.Field(name: name, value: try parser.value(), column: column))
    }
    fields = read
  }

  // MARK: - Unexpected keys

  private func refuseUnexpected(_ kind: InterchangeLine.Kind) throws(InterchangeError) {
    var allowed: Set<Key> = [.op, .collection]
    if kind.takesID { allowed.insert(.id) }
    if kind.takesFields { allowed.formUnion([.source, .target, .fields]) }
    if kind == .define { allowed.insert(.fields) }
    if kind == .drop { allowed.insert(.field) }
    if kind == .edit { allowed.formUnion([.field, .script, .comparison, .base, .operation]) }
    for key in Key.allCases where columns[key.rawValue] > 0 && !allowed.contains(key) {
      throw unexpected("\(key)", kind, allowed, columns[key.rawValue])
    }
    if kind != .define, let other = others.first {
      throw unexpected(other.key, kind, allowed, other.column)
    }
    let column = columns[Key.fields.rawValue]
    if kind == .define, fields != nil {
      throw InterchangeError(
        .notAnOperation,
        "the “fields” of a define must be an array such as "
          + "`[{\"name\":\"title\",\"type\":\"text\"}]`, and it is an object", column: column)
    }
    if kind.takesFields, fieldDefinitions != nil {
      throw InterchangeError(
        .notAnOperation,
        "the “fields” of an \(kind) must be an object such as `{\"title\":\"Oat milk\"}`, and it "
          + "is an array", column: column)
    }
  }

  private func unexpected(
    _ name: String, _ kind: InterchangeLine.Kind, _ allowed: Set<Key>, _ column: Int
  ) -> InterchangeError {
    let known = Key.allCases.filter(allowed.contains).map { "\($0)" }.joined(separator: ", ")
    return InterchangeError(
      .notAnOperation,
      "the operation \(kind) has no key \(name.quotedForMessage); it takes \(known)"
        + (kind.takesFields ? ", and values belong into “fields”" : ""), column: column)
  }

  private func missing(_ key: String, _ purpose: String) -> InterchangeError {
    InterchangeError(.notAnOperation, "the key “\(key)” is missing; it \(purpose)")
  }

  private func badName(_ what: String, _ name: String, _ key: Key) -> InterchangeError {
    InterchangeError(
      .invalidName, InterchangeDefinition.rule(what, name), column: columns[key.rawValue])
  }
}
