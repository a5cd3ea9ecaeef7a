/// What a statement may use. A statement that needs more ends with ``GQLError`` `budget`, and has
/// written nothing.
public struct GQLBudget: Hashable, Sendable {
  /// The most rows of the result.
  public var rows: Int
  /// The most bytes of the rows that have to be kept, for the result, a sort or a group, and the
  /// most bytes of one value.
  public var bytes: Int
  /// The most steps: nodes, relationships and rows that are looked at. Ten million take a few
  /// seconds.
  public var steps: Int
  /// How long the statement may run; nil for any time.
  public var time: Duration?

  /// Makes a budget.
  /// - Parameters:
  ///   - rows: the most rows of the result.
  ///   - bytes: the most bytes of rows that have to be kept, and of one value.
  ///   - steps: the most nodes, relationships and rows that are looked at.
  ///   - time: how long the statement may run; nil for any time.
  public init(
    rows: Int = 1_000_000, bytes: Int = 256 << 20, steps: Int = 100_000_000, time: Duration? = nil
  ) {
    self.rows = rows
    self.bytes = bytes
    self.steps = steps
    self.time = time
  }
}

/// How much of a budget is left.
struct BudgetUse {
  private let budget: GQLBudget
  private var rows: Int
  private var bytes: Int
  /// The steps since the last look at the clock, and those that are left then.
  private var steps = 0
  private var stepsLeft: Int
  private let begun = ContinuousClock.now
  /// How many steps pass between two looks at the clock.
  private static let stepsBetween = 512

  init(_ budget: GQLBudget) {
    self.budget = budget
    rows = budget.rows
    stepsLeft = budget.steps
    bytes = budget.bytes
  }

  var hasTimeLimit: Bool { budget.time != nil }

  /// Counts a row or an element that was looked at.
  mutating func step() throws {
    steps += 1
    guard steps >= Self.stepsBetween else { return }
    steps = 0
    stepsLeft -= Self.stepsBetween
    guard stepsLeft >= 0 else {
      throw exceeded("\(budget.steps) steps", "Give it more, or anchor the pattern")
    }
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

  // MARK: - Values

  /// Checks a list or map that was made of other values. A map is no level of its own, since the
  /// properties of an element are one.
  func check(_ value: GQLValue) throws {
    var count = 0
    let depth = if case .map = value { -1 } else { 0 }
    guard value.add(to: &count, atMost: budget.bytes, depth: depth) else { throw Self.tooDeep }
    guard count <= budget.bytes else { throw tooLarge }
  }

  /// Checks what was made by putting two texts or lists together.
  ///
  /// Cost: what a list holds is looked at only if the list has become longer than a power of two.
  func check(_ value: GQLValue, of a: GQLValue, _ b: GQLValue) throws {
    switch value {
    case .string(let text): guard text.utf8.count <= budget.bytes else { throw tooLarge }
    case .list(let elements):
      let before = max(a.listCount, b.listCount)
      guard elements.count.leadingZeroBitCount < before.leadingZeroBitCount else { return }
      try check(value)
    default: break
    }
  }

  /// Checks that texts of some bytes may be made.
  func check(bytes count: Int) throws { guard count <= budget.bytes else { throw tooLarge } }

  /// The error of a value that is nested too deep.
  static let tooDeep = GQLError(
    .argument, "NestingTooDeep", "lists and maps are nested more than \(GQLValue.depthMax) deep",
    hint: "Flatten them")

  private var tooLarge: GQLError {
    exceeded(
      "\(budget.bytes) bytes of memory for one value", "Give it more, or make a smaller value")
  }

  private func exceeded(_ what: String, _ hint: String) -> GQLError {
    GQLError(
      .budget, "BudgetExceeded", "the statement needs more than \(what), and was ended", hint: hint)
  }
}

extension GQLValue {
  fileprivate var listCount: Int {
    if case .list(let elements) = self { elements.count } else { 0 }
  }
}
