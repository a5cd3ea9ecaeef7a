import DaybookEventCore
import DaybookJSON
import DaybookProjections

/// Reads the definition of a collection and its fields from a `define` line.
enum InterchangeDefinition {
  static let types = FieldType.allCases.map(\.rawValue).joined(separator: ", ")

  static func definition(
    of collection: String, fields: [JSONValue], column: Int,
    attributes: [(key: String, value: JSONValue, column: Int)]
  ) throws(InterchangeError) -> Definition {
    var definition = Definition(collection: collection)
    for (key, value, column) in attributes {
      if let list = try keyList(key, value, column: column) {
        definition.attributes[key] = list
      } else {
        definition.attributes[key] = try attribute(key, value, of: "the define", column: column)
      }
    }
    if let relationship = definition.attributes["relationship"] {
      guard case .boolean = relationship else {
        throw InterchangeError(
          .notAnOperation, "“relationship” must be true or false", column: column)
      }
    }
    switch definition.attributes["directed"] {
    case nil, .null?, .boolean?: break
    case .text(let name)? where Names.isValidField(name): break
    default:
      throw InterchangeError(
        .notAnOperation, "\"directed\" must be true, false, or the name of a boolean field",
        column: column)
    }
    switch definition.attributes["tokenizer"] {
    case nil, .null?: break
    case .text(let name)? where SearchTokenizer(rawValue: name) != nil: break
    default:
      let known = SearchTokenizer.allCases.map(\.rawValue).joined(separator: ", ")
      throw InterchangeError(
        .notAnOperation, "\"tokenizer\" must be one of \(known)", column: column)
    }
    if let local = definition.attributes["local"] {
      guard case .boolean = local else {
        throw InterchangeError(
          .notAnOperation, "“local” must be true or false", column: column)
      }
    }
    var names: Set<String> = []
    for value in fields {
      let field = try field(value, column: column)
      guard names.insert(Names.folded(field.name)).inserted else {
        throw InterchangeError(
          .notAnOperation,
          "the field \(field.name) is defined twice (upper and lower case count as the same)",
          column: column)
      }
      definition.fields.append(field)
    }
    return definition
  }

  /// Returns a key attribute: the names of its fields, separated by commas. Returns nil if the
  /// attribute is not a key.
  private static func keyList(_ key: String, _ value: JSONValue, column: Int)
    throws(InterchangeError) -> Value?
  {
    guard key == "key", value != .null else { return nil }
    var names: [String] = []
    switch value {
    case .array(let list):
      for case .text(let name) in list { names.append(name) }
      if names.count != list.count { names = [] }
    case .text(let list): names = [list]
    default: break
    }
    let joined = Value.text(names.joined(separator: ","))
    guard !CollectionSchema.key(joined).isEmpty else {
      throw InterchangeError(
        .notAnOperation,
        "“key” must be a list of different fields, such as `[\"source\",\"target\"]`",
        column: column)
    }
    return joined
  }

  private static func field(_ value: JSONValue, column: Int) throws(InterchangeError)
    -> Definition.Field
  {
    guard case .object(let members) = value, case .text(let name)? = value["name"] else {
      throw InterchangeError(
        .notAnOperation,
        "a field is defined by an object with a name, such as "
          + "`{\"name\":\"title\",\"type\":\"text\"}`, and not by \(value.summary)", column: column)
    }
    guard Names.isValidField(name) else {
      throw InterchangeError(.invalidName, rule("field", name), column: column)
    }
    var field = Definition.Field(name)
    if let earlier = value["formerly"] {
      guard case .text(let identity) = earlier, Names.isValidField(identity) else {
        throw InterchangeError(
          .notAnOperation, "“formerly” of the field \(name) must be the field's first name",
          column: column)
      }
      field = field.formerly(identity)
    }
    for (key, json) in members where key != "name" && key != "formerly" {
      let preset = try defaultValue(key, json, type: value["type"], of: name, column: column)
      if let preset {
        field.attributes[key] = preset
      } else {
        field.attributes[key] = try attribute(key, json, of: "the field \(name)", column: column)
      }
    }
    try check(field, column: column)
    return field
  }

  /// Returns the default of a field as a value of its type; nil if the attribute is another one, or
  /// the line does not name the type.
  private static func defaultValue(
    _ key: String, _ json: JSONValue, type: JSONValue?, of field: String, column: Int
  ) throws(InterchangeError) -> Value? {
    guard key == "default", case .text(let name)? = type, let type = FieldType(rawValue: name)
    else {
      return nil
    }
    do throws(ValueTypingError) { return try ValueTyping.value(json, as: type) } catch {
      throw InterchangeError(
        .wrongType,
        "the default of the field \(field) is \(json.summary), which is no \(name); "
          + error.remedy,
        column: column)
    }
  }

  private static func check(_ field: Definition.Field, column: Int) throws(InterchangeError) {
    func wrong(_ attribute: String, _ rule: String) -> InterchangeError {
      InterchangeError(
        .notAnOperation, "“\(attribute)” of the field \(field.name) \(rule)", column: column)
    }
    var type: FieldType?
    if let value = field.attributes["type"] {
      guard case .text(let name) = value, let known = FieldType(rawValue: name) else {
        throw wrong("type", "must be one of \(types)")
      }
      type = known
    }
    switch field.attributes["search"] {
    case nil, .boolean(false)?: break
    case .boolean(true)?, .integer(1...)?, .real(Double.leastNonzeroMagnitude...)?:
      guard type == nil || type == .text || type == .json else {
        throw wrong("search", "is for text and json, and its type is \(type?.rawValue ?? "")")
      }
    default: throw wrong("search", "must be true, false, or a weight above 0")
    }
    switch field.attributes["unique"] {
    case nil, .boolean?, .null?: break
    case let rule?:
      guard let known = Uniqueness(rule) else {
        throw wrong("unique", "must be true, false or “folded-1”")
      }
      guard known == .exact || type == nil || type == .text else {
        throw wrong("unique", "is “folded-1” for text, and its type is \(type?.rawValue ?? "")")
      }
    }
    for flag in ["index", "tree", "merge"] {
      switch field.attributes[flag] {
      case nil, .boolean?: break
      default: throw wrong(flag, "must be true or false")
      }
    }
    switch field.attributes["kept"] {
    case nil, .null?: break
    case .text(let name)? where KeptFact(rawValue: name) != nil: break
    default:
      let facts = KeptFact.allCases.map(\.rawValue).joined(separator: ", ")
      throw wrong("kept", "must be one of \(facts)")
    }
    switch field.attributes["references"] {
    case nil, .null?: break
    case .text(let collection)? where Names.isValid(collection): break
    default: throw wrong("references", "must be the name of a collection")
    }
    switch field.attributes["onDelete"] {
    case nil, .null?: break
    case .text(let name)? where ReferenceRule(rawValue: name) != nil: break
    default:
      let rules = ReferenceRule.allCases.map(\.rawValue).joined(separator: ", ")
      throw wrong("onDelete", "must be one of \(rules)")
    }
    switch field.attributes["position"] {
    case nil, .integer?: break
    default: throw wrong("position", "must be an integer")
    }
  }

  private static func attribute(
    _ key: String, _ value: JSONValue, of owner: String, column: Int
  ) throws(InterchangeError) -> Value {
    guard Body.isName(key.utf8), key != DefinitionRegisters.existence else {
      throw InterchangeError(
        .invalidName,
        "\(key.quotedForMessage) cannot be an attribute of \(owner); use up to 255 printable ASCII "
          + "characters without spaces", column: column)
    }
    switch value {
    case .null: return .null
    case .boolean(let value): return .boolean(value)
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .text(let value): return .text(value)
    case .array, .object:
      throw InterchangeError(
        .notAnOperation,
        "the attribute \(key.quotedForMessage) of \(owner) is \(value.summary); an attribute is a "
          + "text, a number, true, false or null", column: column)
    }
  }

  /// Explains why a name is invalid and what a valid name looks like.
  static func rule(_ what: String, _ name: String) -> String {
    if Names.reservedFields.contains(Names.folded(name)), what == "field" {
      return "\(name) cannot be the name of a field, because every table has that column already; "
        + "choose another name"
    }
    return
      "\(name.quotedForMessage) cannot be the name of a \(what); a name is a letter, then up to "
      + "62 letters, digits or underscores (ASCII), and does not begin with sqlite_"
  }
}
