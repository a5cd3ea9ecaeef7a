/// Functions of single values and of lists.
extension GQLFunction {
  static let scalars: [GQLFunction] = [
    GQLFunction(
      "coalesce", .scalars, 1...256, .any, seesNull: true, isTotal: true,
      "the first argument that is not null"
    ) { arguments, _ in arguments.first { !$0.isNull } ?? .null },
    GQLFunction(
      "nullIf", .scalars, 2...2, .any, seesNull: true, isTotal: true,
      "null if both arguments are equal, else the first"
    ) { arguments, _ in
      GQLValue.equals(arguments[0], arguments[1]) == true ? .null : arguments[0]
    },
    GQLFunction(
      "toBoolean", .scalars, 1...1, .boolean, "the boolean of a text; null if it says none"
    ) { arguments, _ in
      switch arguments[0] {
      case .boolean: return arguments[0]
      case .string(let text): return Operators.value(Conversion.boolean(text))
      case .integer(let value): return .boolean(value != 0)
      default: throw wrongValue("toBoolean", arguments[0])
      }
    },
    GQLFunction(
      "toInteger", .scalars, 1...1, .integer,
      "the integer of a number or text, without a fraction; null if it says none"
    ) { arguments, _ in
      switch arguments[0] {
      case .integer: return arguments[0]
      case .float(let value): return Conversion.truncated(value).map { .integer($0) } ?? .null
      case .string(let text): return Conversion.integer(text).map { .integer($0) } ?? .null
      case .boolean(let value): return .integer(value ? 1 : 0)
      default: throw wrongValue("toInteger", arguments[0])
      }
    },
    GQLFunction(
      "toFloat", .scalars, 1...1, .float,
      "the number with a fraction of a number or text; null if it says none"
    ) { arguments, _ in
      switch arguments[0] {
      case .float: return arguments[0]
      case .integer(let value): return .float(Double(value))
      case .string(let text): return Conversion.number(text).map { .float($0) } ?? .null
      default: throw wrongValue("toFloat", arguments[0])
      }
    },
    GQLFunction("toString", .scalars, 1...1, .string, "the text of a value") { arguments, _ in
      switch arguments[0] {
      case .list, .map, .node, .relationship, .path: throw wrongValue("toString", arguments[0])
      default: return .string(Conversion.text(arguments[0]))
      }
    },
    GQLFunction(
      "valueType", .scalars, 1...1, .string, seesNull: true, isTotal: true,
      "the name of the value's type"
    ) { arguments, _ in .string(arguments[0].typeName) },
    GQLFunction(
      "timestamp", .scalars, 0...0, .integer, isTotal: true,
      "the milliseconds since 1970 at the beginning of the statement"
    ) { _, run in .integer(run.clock.seconds * 1_000 + run.clock.nanosecond / 1_000_000) },
  ]

  static let lists: [GQLFunction] = [
    GQLFunction(
      "size", .lists, 1...1, .integer, takes: [.list, .string, .relationships],
      "the number of a list's elements, or of a text's characters"
    ) { arguments, _ in
      switch arguments[0] {
      case .list(let elements): return .integer(Int64(elements.count))
      case .string(let text): return .integer(Int64(text.unicodeScalars.count))
      default: throw wrong("size", arguments[0])
      }
    },
    GQLFunction("head", .lists, 1...1, .any, takes: [.list, .relationships], "the first element") {
      arguments, _ in try list("head", arguments[0]).first ?? .null
    },
    GQLFunction("last", .lists, 1...1, .any, takes: [.list, .relationships], "the last element") {
      arguments, _ in try list("last", arguments[0]).last ?? .null
    },
    GQLFunction(
      "tail", .lists, 1...1, .list, takes: [.list, .relationships], "all elements but the first"
    ) { arguments, _ in .list(Array(try list("tail", arguments[0]).dropFirst())) },
    GQLFunction(
      "reverse", .lists, 1...1, .any, "a list or text from its end to its beginning"
    ) { arguments, _ in
      if case .string(let text) = arguments[0] { return .string(Scalars.reversed(text)) }
      return .list(try list("reverse", arguments[0]).reversed())
    },
    GQLFunction(
      "range", .lists, 2...3, .list, "the integers from one to another, both included"
    ) { arguments, run in try range(arguments, run) },
    GQLFunction(
      "isEmpty", .lists, 1...1, .boolean, "whether a list, map or text has nothing in it"
    ) { arguments, _ in
      switch arguments[0] {
      case .string(let text): return .boolean(text.isEmpty)
      case .map(let map): return .boolean(map.entries.isEmpty)
      default: return .boolean(try list("isEmpty", arguments[0]).isEmpty)
      }
    },
  ]

  private static func list(_ name: String, _ value: GQLValue) throws -> [GQLValue] {
    guard case .list(let elements) = value else { throw wrong(name, value) }
    return elements
  }

  private static func range(_ arguments: [GQLValue], _ run: PlanRun) throws -> GQLValue {
    let bounds = try arguments.map { try $0.integer(of: "range") }
    let (start, end, step) = (bounds[0], bounds[1], bounds.count > 2 ? bounds[2] : 1)
    guard step != 0 else {
      throw GQLError(.argument, "NumberOutOfRange", "range: the step is zero")
    }
    guard step > 0 ? start <= end : start >= end else { return .list([]) }
    let distance = start < end ? end.magnitude(beyond: start) : start.magnitude(beyond: end)
    let count = distance / step.magnitude
    guard count < 1 << 32 else {
      throw GQLError(.budget, "BudgetExceeded", "range: the list has \(count) elements and more")
    }
    try run.budget.keep(bytes: Int(clamping: (count + 1) * 24))
    var elements: [GQLValue] = []
    elements.reserveCapacity(Int(clamping: count + 1))
    var value = start
    for _ in 0..<count {
      elements.append(.integer(value))
      value += step
    }
    elements.append(.integer(value))
    return .list(elements)
  }
}

extension Int64 {
  /// How far this number is above a smaller one.
  fileprivate func magnitude(beyond smaller: Int64) -> UInt64 {
    UInt64(bitPattern: self &- smaller)
  }
}
