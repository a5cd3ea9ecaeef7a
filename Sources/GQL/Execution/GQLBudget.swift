/// What a statement may use. A statement that needs more ends with ``GQLError`` `budget`, and has
/// written nothing.
public struct GQLBudget: Hashable, Sendable {
  /// The most rows of the result.
  public var rows: Int
  /// The most bytes of the rows that have to be kept, for the result, a sort or a group.
  public var bytes: Int
  /// How long the statement may run; nil for any time.
  public var time: Duration?

  /// Makes a budget.
  /// - Parameters:
  ///   - rows: the most rows of the result.
  ///   - bytes: the most bytes of rows that have to be kept.
  ///   - time: how long the statement may run; nil for any time.
  public init(rows: Int = 1_000_000, bytes: Int = 256 << 20, time: Duration? = nil) {
    self.rows = rows
    self.bytes = bytes
    self.time = time
  }
}

/// How much of a budget is left.
struct BudgetUse {
  private let budget: GQLBudget
  private var rows: Int
  private var bytes: Int
  private var steps = 0
  private let begun = ContinuousClock.now
  /// How many steps pass between two looks at the clock.
  private static let stepsBetween = 512

  init(_ budget: GQLBudget) {
    self.budget = budget
    rows = budget.rows
    bytes = budget.bytes
  }

  var hasTimeLimit: Bool { budget.time != nil }

  /// Counts a row or an element that was looked at.
  mutating func step() throws {
    steps += 1
    guard steps >= Self.stepsBetween else { return }
    steps = 0
    if Task.isCancelled { throw GQLError(.cancelled, "Cancelled", "the task was cancelled") }
    if let time = budget.time, ContinuousClock.now - begun > time {
      throw exceeded("\(time) of time", "Give it more time, or anchor the pattern")
    }
  }

  /// Counts a row that is kept.
  mutating func keep(_ row: [GQLValue]) throws {
    try keep(bytes: row.reduce(32) { $0 + $1.bytes })
  }

  mutating func keep(bytes count: Int) throws {
    try step()
    bytes -= count
    guard bytes >= 0 else {
      throw exceeded(
        "\(budget.bytes) bytes of memory", "Give it more, or keep fewer rows by LIMIT or WHERE")
    }
  }

  /// What is left of the memory, so that rows can be given up later.
  var bytesLeft: Int { bytes }

  /// Gives up rows that were kept.
  mutating func giveUp(bytes count: Int) { bytes += count }

  /// Counts a row of the result.
  mutating func add(_ row: [GQLValue]) throws {
    try keep(row)
    rows -= 1
    guard rows >= 0 else {
      throw exceeded("\(budget.rows) rows", "Give it more rows, or LIMIT them")
    }
  }

  private func exceeded(_ what: String, _ hint: String) -> GQLError {
    GQLError(
      .budget, "BudgetExceeded", "the statement needs more than \(what), and was ended", hint: hint)
  }
}
