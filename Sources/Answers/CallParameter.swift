package import DaybookJSON

/// A parameter of a call: a tool or a route. The schema that clients see and the check of a call
/// follow from it.
package struct CallParameter: Sendable {
  package enum Kind: Sendable {
    case text
    /// A whole number within bounds.
    case integer(ClosedRange<Int>)
    case boolean
    /// One of some words.
    case choice([String])
    case texts
    /// Values by the names of fields.
    case fields
    /// The parameters of SQL: by position or by name.
    case sqlArguments
    /// Any JSON.
    case any
  }

  package var name: String
  package var kind: Kind
  package var isRequired: Bool
  package var description: String

  package init(_ name: String, _ kind: Kind, required: Bool = false, _ description: String) {
    self.name = name
    self.kind = kind
    isRequired = required
    self.description = description
  }

  package var schema: JSONValue {
    var members: [(key: String, value: JSONValue)]
    switch kind {
    case .text: members = [("type", .text("string"))]
    case .integer(let range):
      members = [
        ("type", .text("integer")), ("minimum", .integer(Int64(range.lowerBound))),
        ("maximum", .integer(Int64(range.upperBound))),
      ]
    case .boolean: members = [("type", .text("boolean"))]
    case .choice(let words):
      members = [("type", .text("string")), ("enum", .array(words.map { .text($0) }))]
    case .texts:
      members = [
        ("type", .text("array")), ("items", .object([("type", .text("string"))])),
      ]
    case .fields: members = [("type", .text("object"))]
    case .sqlArguments: members = [("type", .array([.text("array"), .text("object")]))]
    case .any: members = []
    }
    return .object(members + [("description", .text(description))])
  }

  /// Checks a value that a caller gives.
  /// - Throws: ``CallFailure``.
  package func check(_ value: JSONValue) throws(CallFailure) {
    let isFit: Bool
    switch (kind, value) {
    case (.text, .text), (.boolean, .boolean), (.fields, .object), (.any, _),
      (.sqlArguments, .array), (.sqlArguments, .object):
      isFit = true
    case (.integer(let range), .integer(let number)):
      isFit = Int(exactly: number).map(range.contains) ?? false
    case (.choice(let words), .text(let word)): isFit = words.contains { $0 == word }
    case (.texts, .array(let elements)):
      isFit = elements.allSatisfy { if case .text = $0 { true } else { false } }
    default: isFit = false
    }
    guard !isFit else { return }
    throw CallFailure("\(name) is \(value.summary)", cure: "Give \(wanted)")
  }

  private var wanted: String {
    switch kind {
    case .text: "a text"
    case .integer(let range): "an integer from \(range.lowerBound) to \(range.upperBound)"
    case .boolean: "true or false"
    case .choice(let words): "one of \(words.joined(separator: ", "))"
    case .texts: "an array of texts"
    case .fields: "an object with a value for each field"
    case .sqlArguments: "an array of values, or an object with a value for each name"
    case .any: "a value"
    }
  }
}

/// The arguments of a call, which fit its parameters.
package struct CallArguments {
  private let values: [String: JSONValue]
  /// The arguments as one text, which tells the call from others. A cursor is not part of it.
  package let mark: String

  /// - Throws: ``CallFailure`` if an argument is missing, unknown or of another kind.
  package init(_ json: JSONValue, for tool: String, _ parameters: [CallParameter])
    throws(CallFailure)
  {
    guard case .object(let members) = json else {
      throw CallFailure("the arguments are \(json.summary)", cure: "Give an object")
    }
    var values: [String: JSONValue] = [:]
    for (name, value) in members {
      guard let parameter = parameters.first(where: { $0.name == name }) else {
        let known = parameters.map(\.name).joined(separator: ", ")
        throw CallFailure(
          "\(tool) has no parameter “\(name.prefix(64))”", cure: "It takes \(known)")
      }
      if !parameter.isRequired, value == .null { continue }
      try parameter.check(value)
      values[name] = value
    }
    for parameter in parameters where parameter.isRequired && values[parameter.name] == nil {
      throw CallFailure(
        "\(tool) needs \(parameter.name)", cure: "\(parameter.name): \(parameter.description)")
    }
    self.values = values
    let kept = members.filter { $0.key != "cursor" && $0.key != "limit" }
    mark = tool + String(decoding: JSONWriter.canonical(.object(kept)), as: UTF8.self)
  }

  package subscript(name: String) -> JSONValue? { values[name] }

  package func text(_ name: String) -> String? {
    if case .text(let text)? = values[name] { text } else { nil }
  }

  /// Returns an argument that the parameters require.
  package func required(_ name: String) throws(CallFailure) -> String {
    guard let text = text(name) else { throw CallFailure("\(name) is missing") }
    return text
  }

  package func integer(_ name: String) -> Int? {
    if case .integer(let number)? = values[name] { Int(exactly: number) } else { nil }
  }

  package func texts(_ name: String) -> [String]? {
    guard case .array(let elements)? = values[name] else { return nil }
    return elements.compactMap { if case .text(let text) = $0 { text } else { nil } }
  }

  package func members(_ name: String) -> [(key: String, value: JSONValue)] {
    if case .object(let members)? = values[name] { members } else { [] }
  }

  /// The number of results before the page that the call asks for.
  package func offset() throws(CallFailure) -> Int {
    guard let cursor = text("cursor") else { return 0 }
    return try PageCursor(cursor, of: mark).offset
  }

  /// A budget for the page that the call asks for.
  package var budget: ResultBudget { ResultBudget(limit: integer("limit")) }
}
