import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookProjections

/// Arrays and sets, which are stored as JSON, of all that JSON has as a text, a number or a
/// boolean: of enumerations with raw values, too.
extension EntityColumn {
  /// Whether the array contains an element.
  ///
  /// In SQL: `EXISTS (SELECT 1 FROM json_each(column) AS element WHERE …)`, where `…` is
  /// `element.type = 'text' AND element.value = ?` of a text, and of a number
  /// `element.type IN ('integer', 'real') AND element.value = ?`.
  public func contains<Element: Codable>(_ element: Element) -> EntityCondition<Model>
  where V == [Element] { EntityCondition(containing(element)) }

  /// Whether the array contains an element; false if there is no array.
  ///
  /// In SQL: `EXISTS (SELECT 1 FROM json_each(column) AS element WHERE … element.value = ?)`.
  public func contains<Element: Codable>(_ element: Element) -> EntityCondition<Model>
  where V == [Element]? { EntityCondition(containing(element)) }

  /// Whether the set contains an element.
  ///
  /// In SQL: `EXISTS (SELECT 1 FROM json_each(column) AS element WHERE … element.value = ?)`.
  public func contains<Element: Codable>(_ element: Element) -> EntityCondition<Model>
  where V == Set<Element> { EntityCondition(containing(element)) }

  /// Whether the set contains an element; false if there is no set.
  ///
  /// In SQL: `EXISTS (SELECT 1 FROM json_each(column) AS element WHERE … element.value = ?)`.
  public func contains<Element: Codable>(_ element: Element) -> EntityCondition<Model>
  where V == Set<Element>? { EntityCondition(containing(element)) }

  /// Whether the array contains an element that is the same as JSON.
  private func containing(_ element: some Encodable) -> SQLFragment {
    let condition: SQLFragment
    switch jsonElement(element) {
    case .null: condition = SQLFragment("element.type = 'null'")
    case .boolean(let value): condition = SQLFragment("element.type = '\(value)'")
    case .integer(let value): condition = same(.integer(value), .integer)
    case .real(let value): condition = same(.real(value), .real)
    case .text(let text): condition = same(text)
    default:
      condition = SQLFragment(
        "0",
        error: StoreError(
          .invalidQuery, "\(fragment.shown) cannot be searched for \(element)",
          hint: "Arrays of what JSON has as texts, numbers and booleans can be searched"))
    }
    return "EXISTS (SELECT 1 FROM json_each(" + fragment + ") AS element WHERE " + condition + ")"
  }

  private func same(_ number: Value, _ type: FieldType) -> SQLFragment {
    // true is 1 in SQL, but another type in JSON.
    "element.type IN ('integer', 'real') AND element.value = "
      + SQLFragment(number, of: type, fragment)
  }

  private func same(_ text: String) -> SQLFragment {
    // SQLite ends a text of JSON at its first NUL, so such texts are compared as JSON has them.
    let json = fragment + " -> element.fullkey"
    var writer = JSONWriter()
    writer.text(text)
    let quoted = SQLFragment(.text(writer.string), of: .text, fragment)
    guard !text.utf8.contains(0) else { return json + " = " + quoted }
    let bound = SQLFragment(.text(text), of: .text, fragment)
    let isWhole = "(instr(" + json + ", '\\u0000') = 0 OR " + json + " = " + quoted + ")"
    return "element.type = 'text' AND element.value = " + bound + " AND " + isWhole
  }
}

/// Returns an element of an array as JSON has it; nil if it cannot be encoded.
private func jsonElement(_ element: some Encodable) -> JSONValue? {
  guard case .json(let bytes)? = try? Value(encoding: [element]),
    case .array(let elements)? = try? JSONParser.parse(bytes)
  else { return nil }
  return elements.first
}
