/// A function of queries. The table of docs/gql.md is made of these, and tests read them.
struct GQLFunction: Sendable {
  enum Section: String, CaseIterable, Sendable {
    case predicates = "Predicates"
    case scalars = "Values"
    case lists = "Lists"
    case numbers = "Numbers"
    case texts = "Texts"
    case graph = "Graph"
    case time = "Time"
  }

  typealias Body = @Sendable ([GQLValue], PlanRun) throws -> GQLValue

  var name: String
  var section: Section
  var arguments: ClosedRange<Int>
  var result: StaticType
  /// The types that the first argument may have; nil for any.
  var takes: [StaticType]?
  /// Whether null as an argument is for the body; else it makes the result null.
  var seesNull = false
  /// Whether no value makes it throw.
  var isTotal = false
  var summary: String
  var body: Body

  /// Whether it reads no property of the node or relationship that it is given.
  var readsIdentity: Bool {
    ["id", "elementId", "labels", "type", "startNode", "endNode"].contains(name)
  }

  init(
    _ name: String, _ section: Section, _ arguments: ClosedRange<Int>, _ result: StaticType,
    takes: [StaticType]? = nil, seesNull: Bool = false, isTotal: Bool = false, _ summary: String,
    _ body: @escaping Body
  ) {
    self.name = name
    self.section = section
    self.arguments = arguments
    self.result = result
    self.takes = takes
    self.seesNull = seesNull
    self.isTotal = isTotal
    self.summary = summary
    self.body = body
  }

  /// All functions, in the order of the documentation.
  static let all: [GQLFunction] = scalars + lists + numbers + texts + graph + time

  private static let byName: [String: GQLFunction] = Dictionary(
    all.map { ($0.name.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })

  /// The names that a function has besides its own.
  static let aliases = [
    "upper": "toUpper", "lower": "toLower", "char_length": "size", "character_length": "size",
    "ceiling": "ceil", "element_id": "elementId", "cardinality": "size", "path_length": "length",
  ]

  private static let byAlias: [String: GQLFunction] = aliases.compactMapValues {
    byName[$0.lowercased()]
  }

  /// Returns the function of a name, in any case of its letters.
  static func named(_ name: String) -> GQLFunction? {
    let key = name.lowercased()
    return byName[key] ?? byAlias[key]
  }

  func call(_ arguments: [GQLValue], _ run: PlanRun) throws -> GQLValue {
    if !seesNull, arguments.contains(where: \.isNull) { return .null }
    return try body(arguments, run)
  }

  /// The error of an argument that the function does not take.
  static func wrong(_ name: String, _ value: GQLValue) -> GQLError {
    GQLError(.type, "InvalidArgumentType", "\(name) does not take \(value.typeName)")
  }

  /// The error of a value that cannot be converted, or is no such element.
  static func wrongValue(_ name: String, _ value: GQLValue) -> GQLError {
    GQLError(.type, "InvalidArgumentValue", "\(name) does not take \(value.typeName)")
  }

  /// The error of an argument whose value has no result.
  static func noResult(_ name: String, _ words: String) -> GQLError {
    GQLError(.argument, "InvalidArgumentValue", "\(name): \(words)")
  }
}

extension GQLValue {
  /// The integer that the value is.
  func integer(of function: String) throws -> Int64 {
    guard case .integer(let value) = self else { throw GQLFunction.wrong(function, self) }
    return value
  }

  func text(of function: String) throws -> String {
    guard case .string(let value) = self else { throw GQLFunction.wrong(function, self) }
    return value
  }

  func number(of function: String) throws -> Double {
    guard let value = number else { throw GQLFunction.wrong(function, self) }
    return value
  }
}
