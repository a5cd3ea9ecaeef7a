/// A procedure that `CALL` runs: one of the store's, or an app's own.
public struct GQLProcedure: Sendable {
  /// What an argument may be. Null is of every type.
  public enum ArgumentType: String, Sendable {
    /// Any value.
    case any
    /// True or false.
    case boolean
    /// An integer.
    case integer
    /// A number with a fraction; an integer becomes one.
    case float
    /// An integer, or a number with a fraction.
    case number
    /// A text.
    case string
    /// A list.
    case list
    /// A map.
    case map

    /// Returns whether a value of a type may be the argument.
    func takes(_ type: StaticType) -> Bool {
      switch self {
      case .any: true
      case .boolean: type.mayBe(.boolean)
      case .integer: type.mayBe(.integer)
      case .float, .number: type.mayBe(.integer, .float)
      case .string: type.mayBe(.string)
      case .list: type.mayBe(.list, .relationships)
      case .map: type.mayBe(.map)
      }
    }

    /// Returns a value as this type; nil if it is not of it.
    func value(_ value: GQLValue) -> GQLValue? {
      switch (self, value) {
      case (_, .null), (.any, _), (.boolean, .boolean), (.integer, .integer), (.float, .float),
        (.number, .integer), (.number, .float), (.string, .string), (.list, .list), (.map, .map):
        value
      case (.float, .integer(let number)): .float(Double(number))
      default: nil
      }
    }
  }

  /// An argument.
  public struct Argument: Sendable {
    /// The name; a call without parentheses takes the parameter of this name.
    public var name: String
    /// What it may be.
    public var type: ArgumentType

    /// Makes an argument.
    public init(_ name: String, _ type: ArgumentType) {
      self.name = name
      self.type = type
    }
  }

  /// The name, with dots between its parts.
  public var name: String
  /// The arguments, in order.
  public var arguments: [Argument]
  /// The names of a row's values, in order; none if it returns no rows.
  public var fields: [String]
  /// What it does, in a few words.
  public var summary: String
  /// Whether it changes the graph; a procedure of an app does not.
  let writes: Bool
  let rows: @Sendable ([GQLValue], PlanRun) throws -> [[GQLValue]]

  init(
    _ name: String, _ arguments: [Argument], _ fields: [String], _ summary: String,
    writes: Bool = false,
    rows: @escaping @Sendable ([GQLValue], PlanRun) throws -> [[GQLValue]]
  ) {
    self.name = name
    self.arguments = arguments
    self.fields = fields
    self.summary = summary
    self.writes = writes
    self.rows = rows
  }

  /// Makes a procedure of an app.
  /// - Parameters:
  ///   - name: the name, with dots between its parts. One of the store's own names is that one.
  ///   - arguments: the arguments, in order.
  ///   - fields: the names of a row's values, in order.
  ///   - summary: what it does, in a few words.
  ///   - rows: returns the rows for the values of the arguments. A row has a value for each field.
  public init(
    _ name: String, arguments: [Argument], fields: [String], summary: String = "",
    rows: @escaping @Sendable (_ arguments: [GQLValue]) throws -> [[GQLValue]]
  ) {
    self.init(name, arguments, fields, summary) { values, _ in
      let all = try rows(values)
      guard all.allSatisfy({ $0.count == fields.count }) else {
        throw GQLError(
          .argument, "InvalidArgumentValue",
          "the procedure \(name) has returned a row without \(fields.count) values")
      }
      return all
    }
  }

  /// Calls the procedure.
  func rows(_ values: [GQLValue], in run: PlanRun) throws -> [[GQLValue]] {
    let taken = try zip(arguments, values).map { argument, value in
      guard let taken = argument.type.value(value) else {
        throw GQLError(
          .type, "InvalidArgumentType",
          "\(name) takes \(argument.name) as \(argument.type.rawValue.uppercased()), and not "
            + value.typeName)
      }
      return taken
    }
    return try rows(taken, run)
  }
}
