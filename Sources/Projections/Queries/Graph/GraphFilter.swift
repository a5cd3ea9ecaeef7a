import DaybookEventCore

/// A condition on the rows of a relationship collection, as SQL.
package struct GraphCondition: Sendable {
  /// The condition; its parameters are question marks without a number.
  package var sql: String
  /// The values of the parameters.
  package var values: [Cell]

  package init(_ sql: String, _ values: [Cell]) { (self.sql, self.values) = (sql, values) }

  /// Returns the condition with numbered parameters. A question mark within quotes is none.
  func numbered(from first: Int) -> String {
    var number = first
    var quote: UnicodeScalar?
    var text = String.UnicodeScalarView()
    for scalar in sql.unicodeScalars {
      text.append(scalar)
      if let open = quote {
        if scalar == open { quote = nil }
      } else if scalar == "\"" || scalar == "'" {
        quote = scalar
      } else if scalar == "?" {
        text.append(contentsOf: String(number).unicodeScalars)
        number += 1
      }
    }
    return String(text)
  }
}

/// What a relationship must meet to be followed.
struct GraphFilter {
  private let fields: [(name: String, value: Value)]
  private let condition: GraphCondition?

  /// Makes a filter that every relationship passes.
  init() { (fields, condition) = ([], nil) }

  /// - Parameters:
  ///   - fields: the required values by field name. All must hold; NULL stands for no value.
  ///   - condition: a condition that must hold, too; nil for none.
  ///   - relationships: the followed collections. Each field must be one of theirs, and its value
  ///     of the field's type.
  /// - Throws: ``ProjectionError`` `unknownName`, `invalidQuery`.
  init(
    _ fields: [String: Value], _ condition: GraphCondition?, _ relationships: [CollectionSchema]
  ) throws(ProjectionError) {
    self.condition = condition
    self.fields = fields.keys.sorted(by: utf8Less).map { ($0, fields[$0] ?? .null) }
    for (name, value) in self.fields {
      let declared = relationships.compactMap { $0[field: name] }
      guard let first = declared.first else {
        let names = Set(relationships.flatMap { $0.fields.map(\.name) }).sorted(by: utf8Less)
        throw ProjectionError(
          .unknownName, "no relationship that is followed has a field “\(name)”",
          hint: names.isEmpty ? nil : "There are: \(names.joined(separator: ", "))")
      }
      if case .real(let number) = value, !number.isFinite {
        throw ProjectionError(
          .invalidQuery, "no field holds \(number), and “\(name)” is asked for it",
          hint: "Give a finite number, or NULL")
      }
      guard declared.contains(where: { $0.type.cell(for: value) != nil }) else {
        throw ProjectionError(
          .invalidQuery,
          "the field “\(name)” is of type \(first.type.rawValue), and the value is not",
          hint: "Give a value of that type, or NULL")
      }
    }
  }

  /// Returns the condition on a collection's rows, as ` AND …`, with the values of its parameters
  /// from ?3 on. A field that the collection lacks counts as NULL, so it matches no other value.
  func condition(on collection: CollectionSchema) -> (sql: String, values: [Cell]) {
    var sql = ""
    var values: [Cell] = []
    for (name, value) in fields {
      let field = collection[field: name]
      let cell = field?.type.cell(for: value)?.cell
      if let field, let cell {
        sql += " AND \(Names.quoted(field.name)) IS ?\(values.count + 3)"
        values.append(cell)
      } else if field != nil || value != .null {
        sql += " AND false"
      }
    }
    if let condition {
      sql += " AND (\(condition.numbered(from: values.count + 3)))"
      values += condition.values
    }
    return (sql, values)
  }
}
