import DaybookLocks

/// Statements that were read lately, with their plans.
///
/// A plan follows from its text alone, whatever the store and the graph are.
final class PlanCache: Sendable {
  /// A statement that was read.
  enum Entry: Sendable {
    case query(PreparedQuery)
    /// Any other statement. It has no plan to keep.
    case other(GQLStatement)
  }

  private struct State {
    /// By the bytes of the text: Swift takes some texts for equal that SQLite and Daybook do not.
    var plans: [[UInt8]: (plan: PreparedQuery, use: UInt64)] = [:]
    var uses: UInt64 = 0
  }

  /// Longer texts are likely to have their values in them, and to come once.
  private static let bytesMax = 16 << 10
  private static let countMax = 256

  /// The plans of all sessions that have no procedures of their own.
  static let shared = PlanCache(procedures: [])

  private let procedures: [GQLProcedure]
  private let rules: PlanRules
  private let state = Mutex(State())

  /// - Parameters:
  ///   - procedures: the procedures beside the store's own.
  ///   - rules: the rules by which matches are found.
  init(procedures: [GQLProcedure], rules: PlanRules = .all) {
    self.procedures = procedures
    self.rules = rules
  }

  /// Returns a statement, read now if it is not there.
  /// - Throws: ``GQLError`` for everything that is wrong before anything runs.
  func entry(_ text: String) throws(GQLError) -> Entry {
    let key = Array(text.utf8)
    let known = state.withLock { state -> PreparedQuery? in
      state.uses += 1
      state.plans[key]?.use = state.uses
      return state.plans[key]?.plan
    }
    if let known { return .query(known) }
    let statement = try QueryParser.statement(text)
    guard case .query(let query) = statement else { return .other(statement) }
    let plan = try plan(query)
    if key.count <= Self.bytesMax { keep(plan, key) }
    return .query(plan)
  }

  /// Makes the plan of a query.
  func plan(_ query: GQLQuery) throws(GQLError) -> PreparedQuery {
    try PreparedQuery(query, procedures: procedures, rules: rules)
  }

  private func keep(_ plan: PreparedQuery, _ key: [UInt8]) {
    state.withLock { state in
      state.plans[key] = (plan, state.uses)
      guard state.plans.count > Self.countMax else { return }
      // A quarter goes at once, so that not every new text looks for the oldest one.
      let old = state.plans.sorted { $0.value.use < $1.value.use }.prefix(Self.countMax / 4)
      for (key, _) in old { state.plans[key] = nil }
    }
  }
}
