/// The operators of expressions, as openCypher defines them.
enum Operators {
  static func overflow(_ by: String) -> GQLError {
    GQLError(
      .arithmetic, "IntegerOverflow", "the result of “\(by)” is beyond the integers of 64 bits",
      hint: "Make one of the numbers a float by toFloat")
  }

  static func mismatch(_ by: String, _ a: GQLValue, _ b: GQLValue) -> GQLError {
    GQLError(
      .type, "InvalidArgumentType", "“\(by)” does not take \(a.typeName) and \(b.typeName)")
  }

  static func arithmetic(
    _ by: GQLExpression.Operation.Operator, _ a: GQLValue, _ b: GQLValue
  ) throws -> GQLValue {
    if case .add = by { return try add(a, b) }
    if case .concatenate = by { return try concatenate(a, b) }
    switch (a, b) {
    case (.null, _), (_, .null): return .null
    case (.integer(let a), .integer(let b)): return try integers(by, a, b)
    case (.integer(let a), .float(let b)): return .float(floats(by, Double(a), b))
    case (.float(let a), .integer(let b)): return .float(floats(by, a, Double(b)))
    case (.float(let a), .float(let b)): return .float(floats(by, a, b))
    default: return try TimeArithmetic.result(by, a, b)
    }
  }

  private static func integers(
    _ by: GQLExpression.Operation.Operator, _ a: Int64, _ b: Int64
  ) throws -> GQLValue {
    let result: (partialValue: Int64, overflow: Bool)
    switch by {
    case .add, .concatenate: result = a.addingReportingOverflow(b)
    case .subtract: result = a.subtractingReportingOverflow(b)
    case .multiply: result = a.multipliedReportingOverflow(by: b)
    case .power: return .float(Power.of(Double(a), Double(b)))
    case .divide, .remainder:
      guard b != 0 else {
        throw GQLError(.arithmetic, "DivisionByZero", "an integer is divided by zero")
      }
      // The remainder of the least integer by −1 is 0, and has no room on the way.
      if b == -1, by == .remainder { return .integer(0) }
      result = by == .divide ? a.dividedReportingOverflow(by: b) : (a % b, false)
    }
    guard !result.overflow else { throw overflow(by.rawValue) }
    return .integer(result.partialValue)
  }

  private static func floats(
    _ by: GQLExpression.Operation.Operator, _ a: Double, _ b: Double
  ) -> Double {
    switch by {
    case .add, .concatenate: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    case .remainder: a.truncatingRemainder(dividingBy: b)
    case .power: Power.of(a, b)
    }
  }

  private static func add(_ a: GQLValue, _ b: GQLValue) throws -> GQLValue {
    switch (a, b) {
    case (.null, _), (_, .null): return .null
    case (.list(let a), .list(let b)): return .list(a + b)
    case (.list(let a), _): return .list(a + [b])
    case (_, .list(let b)): return .list([a] + b)
    case (.integer(let a), .integer(let b)): return try integers(.add, a, b)
    case (.integer(let a), .float(let b)): return .float(Double(a) + b)
    case (.float(let a), .integer(let b)): return .float(a + Double(b))
    case (.float(let a), .float(let b)): return .float(a + b)
    case (.string(let a), .string(let b)): return .string(a + b)
    case (.string(let a), .integer), (.string(let a), .float):
      return .string(a + Conversion.text(b))
    case (.integer, .string(let b)), (.float, .string(let b)):
      return .string(Conversion.text(a) + b)
    default: return try TimeArithmetic.result(.add, a, b)
    }
  }

  private static func concatenate(_ a: GQLValue, _ b: GQLValue) throws -> GQLValue {
    switch (a, b) {
    case (.null, _), (_, .null): return .null
    case (.string(let a), .string(let b)): return .string(a + b)
    case (.list(let a), .list(let b)): return .list(a + b)
    default: throw mismatch("||", a, b)
    }
  }

  static func negative(_ value: GQLValue) throws -> GQLValue {
    switch value {
    case .null: return .null
    case .integer(let number):
      guard number != .min else { throw overflow("-") }
      return .integer(-number)
    case .float(let number): return .float(-number)
    case .duration(let amount):
      return amount.multiplied(by: -1).map { .duration($0) } ?? .null
    default: throw GQLError(.type, "InvalidArgumentType", "“-” does not take \(value.typeName)")
    }
  }

  // MARK: - Truth

  static func truth(_ value: GQLValue, _ by: String) throws -> Bool? {
    switch value {
    case .boolean(let value): return value
    case .null: return nil
    default:
      throw GQLError(
        .type, "InvalidArgumentType", "\(by) takes BOOLEAN, and not \(value.typeName)")
    }
  }

  static func value(_ truth: Bool?) -> GQLValue { truth.map { .boolean($0) } ?? .null }

  static func compare(
    _ by: GQLExpression.Comparison.Operator, _ a: GQLValue, _ b: GQLValue
  ) -> Bool? {
    switch by {
    case .equal: return GQLValue.equals(a, b)
    case .notEqual: return GQLValue.equals(a, b).map { !$0 }
    default: break
    }
    guard let order = GQLValue.compare(a, b) else { return nil }
    return switch by {
    case .less: order == .ascending
    case .lessOrEqual: order == .ascending || order == .same
    case .greater: order == .descending
    default: order == .descending || order == .same
    }
  }

  static func isWithin(_ value: GQLValue, _ list: GQLValue) throws -> Bool? {
    switch list {
    case .null: return nil
    case .list(let elements):
      var isUnknown = false
      for element in elements {
        switch GQLValue.equals(value, element) {
        case true?: return true
        case nil: isUnknown = true
        case false?: break
        }
      }
      return isUnknown ? nil : false
    default:
      throw GQLError(.type, "InvalidArgumentType", "IN takes LIST, and not \(list.typeName)")
    }
  }

  // MARK: - Access

  static func property(_ name: String, of value: GQLValue, _ run: PlanRun) throws -> GQLValue {
    switch value {
    case .null: return .null
    case .node(let node): return try run.current(node).properties[key: name] ?? .null
    case .relationship(let one): return try run.current(one).properties[key: name] ?? .null
    case .map(let map): return map[key: name] ?? .null
    default:
      if let part = TimeParts.part(name, of: value) { return part }
      throw GQLError(
        .type, "PropertyAccessOnNonMap", "\(value.typeName) has no property “\(name)”")
    }
  }

  static func element(_ index: GQLValue, of value: GQLValue, _ run: PlanRun) throws -> GQLValue {
    switch (value, index) {
    case (.null, _), (_, .null): return .null
    case (.list(let elements), .integer(let index)):
      let place = index < 0 ? index + Int64(elements.count) : index
      guard place >= 0, place < elements.count else { return .null }
      return elements[Int(place)]
    case (.list, _):
      throw GQLError(
        .type, "ListElementAccessByNonInteger",
        "an element of a list is taken by INTEGER, and not by \(index.typeName)")
    case (.map, .string(let key)), (.node, .string(let key)), (.relationship, .string(let key)):
      return try property(key, of: value, run)
    case (.map, _), (.node, _), (.relationship, _):
      throw GQLError(
        .type, "MapElementAccessByNonString",
        "an element of a map is taken by STRING, and not by \(index.typeName)")
    default:
      throw GQLError(.type, "InvalidArgumentType", "\(value.typeName) has no elements")
    }
  }

  static func slice(_ value: GQLValue, from: GQLValue?, to: GQLValue?) throws -> GQLValue {
    func bound(_ value: GQLValue?, _ count: Int, or other: Int) throws -> Int? {
      switch value {
      case nil: return other
      case .null?: return nil
      case .integer(let number)?:
        let place = number < 0 ? max(0, number + Int64(count)) : min(number, Int64(count))
        return Int(clamping: place)
      case let other?:
        throw GQLError(
          .type, "InvalidArgumentType",
          "a part of a list has INTEGER as its bounds, and not "
            + other.typeName)
      }
    }
    guard case .list(let elements) = value else {
      if value.isNull { return .null }
      throw GQLError(.type, "InvalidArgumentType", "\(value.typeName) has no parts")
    }
    guard let from = try bound(from, elements.count, or: 0),
      let to = try bound(to, elements.count, or: elements.count)
    else { return .null }
    return .list(from < to ? Array(elements[from..<to]) : [])
  }

  static func hasLabels(_ labels: GQLLabels, _ value: GQLValue, _ run: PlanRun) throws -> GQLValue {
    switch value {
    case .null: return .null
    case .node(let node): return .boolean(labels.allows(try run.current(node).labels))
    case .relationship(let one): return .boolean(labels.allows([one.type]))
    default:
      throw GQLError(.type, "InvalidArgumentType", "\(value.typeName) has no labels")
    }
  }
}
