/// The functions that make one value of many rows.
enum Aggregate: String, CaseIterable, Sendable {
  case count, sum, avg, min, max, collect, stDev, stDevP, percentileDisc, percentileCont

  init?(named name: String) {
    let key = name.lowercased()
    let found = Self.allCases.first { $0.rawValue.lowercased() == key }
    guard let kind = found ?? Self.aliases[key] else { return nil }
    self = kind
  }

  /// ISO's names.
  private static let aliases: [String: Aggregate] = [
    "collect_list": .collect, "stddev_samp": .stDev, "stddev_pop": .stDevP,
    "percentile_disc": .percentileDisc, "percentile_cont": .percentileCont,
  ]

  var argumentCount: Int { self == .percentileDisc || self == .percentileCont ? 2 : 1 }

  var type: StaticType {
    switch self {
    case .count: .integer
    case .collect: .list
    case .stDev, .stDevP: .float
    default: .any
    }
  }

  var summary: String {
    switch self {
    case .count: "the number of values, or with `*` of rows"
    case .sum: "the sum of numbers or durations"
    case .avg: "the mean of numbers or durations"
    case .min: "the first value in the order of `ORDER BY`"
    case .max: "the last value in that order"
    case .collect: "all values, as a list"
    case .stDev: "the standard deviation of a sample"
    case .stDevP: "the standard deviation of all"
    case .percentileDisc: "the value at a percentile, 0 to 1"
    case .percentileCont: "the value at a percentile, between its neighbors"
    }
  }
}

/// A call of an aggregating function, whose result goes to a slot.
struct AggregateCall {
  var kind: Aggregate
  var isDistinct: Bool
  /// Nil for `count(*)`.
  var value: Compiled?
  /// The percentile.
  var parameter: Compiled?
  var slot: Int
  var position: GQLPosition
}

/// The calls of aggregating functions in one projection.
final class AggregateCollector {
  let scope: Scope
  private(set) var calls: [AggregateCall] = []

  init(_ scope: Scope) { self.scope = scope }

  func add(_ call: AggregateCall) { calls.append(call) }
}

/// What a call has gathered of the rows of one group.
struct AggregateState {
  private let call: AggregateCall
  private var count: Int64 = 0
  private var seen: Set<[UInt8]> = []
  private var values: [GQLValue] = []
  private var best: GQLValue = .null
  private var sum: GQLValue = .null
  private var floats: [Double] = []
  private var percentile: Double?

  init(_ call: AggregateCall) { self.call = call }

  mutating func add(_ run: PlanRun) throws {
    guard let evaluated = try call.value?.evaluate(run) else {
      count += 1
      return
    }
    if let parameter = call.parameter, percentile == nil {
      let value = try parameter.evaluate(run)
      guard let number = value.number, 0...1 ~= number else {
        throw GQLError(
          .argument, "NumberOutOfRange", "a percentile is a number from 0 to 1",
          at: call.position)
      }
      percentile = number
    }
    guard !evaluated.isNull else { return }
    if call.isDistinct {
      let key = evaluated.key
      guard seen.insert(key).inserted else { return }
      try run.budget.keep(bytes: key.count + 32)
    }
    count += 1
    try GQLError.located(call.position) { try gather(evaluated, run) }
  }

  private mutating func gather(_ value: GQLValue, _ run: PlanRun) throws {
    switch call.kind {
    case .count: break
    case .collect:
      try run.budget.keep(bytes: value.bytes)
      values.append(value)
    case .min:
      if best.isNull || GQLValue.total(value, best) == .ascending { best = value }
    case .max:
      if best.isNull || GQLValue.total(value, best) == .descending { best = value }
    case .sum, .avg:
      switch value {
      case .integer, .float, .duration: break
      default: throw GQLFunction.wrong(call.kind.rawValue, value)
      }
      if call.kind == .avg, let number = value.number {
        sum = .float((sum.number ?? 0) + number)
      } else {
        sum = sum.isNull ? value : try Operators.arithmetic(.add, sum, value)
      }
    case .stDev, .stDevP, .percentileDisc, .percentileCont:
      guard let number = value.number else {
        throw GQLFunction.wrong(call.kind.rawValue, value)
      }
      try run.budget.keep(bytes: 48)
      floats.append(number)
      values.append(value)
    }
  }

  func result() throws -> GQLValue {
    switch call.kind {
    case .count: return .integer(count)
    case .collect: return .list(values)
    case .min, .max: return best
    case .sum: return sum.isNull ? .integer(0) : sum
    case .avg: return count == 0 ? .null : try Operators.arithmetic(.divide, sum, .integer(count))
    case .stDev, .stDevP:
      let least = call.kind == .stDev ? 2 : 1
      guard floats.count >= least else { return .float(0) }
      let mean = floats.reduce(0, +) / Double(floats.count)
      let squares = floats.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      return .float((squares / Double(floats.count - least + 1)).squareRoot())
    case .percentileDisc, .percentileCont: return quantile()
    }
  }

  /// The whole number of a place in a list.
  private static func place(_ value: Double) -> Int {
    Int(exactly: value.rounded(.down)) ?? (value < 0 ? .min : .max)
  }

  private func quantile() -> GQLValue {
    guard !floats.isEmpty, let percentile else { return .null }
    let sorted = values.sorted { GQLValue.total($0, $1) == .ascending }
    let place = percentile * Double(sorted.count - 1)
    if call.kind == .percentileDisc {
      let index = (percentile * Double(sorted.count)).rounded(.up) - 1
      return sorted[max(0, min(sorted.count - 1, Self.place(index)))]
    }
    let low = Self.place(place)
    let high = min(low + 1, sorted.count - 1)
    guard let a = sorted[low].number, let b = sorted[high].number else { return .null }
    let share = place - Double(low)
    return share == 0 ? .float(a) : .float(a * (1 - share) + b * share)
  }
}
