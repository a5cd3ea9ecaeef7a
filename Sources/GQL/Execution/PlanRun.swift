/// One run of a plan: the values of its variables, and what it may use.
///
/// Every variable of a statement has a slot of its own. An operator sets slots and calls the next
/// one, so that there is one row at a time; what has to keep rows copies their slots.
final class PlanRun {
  var slots: [GQLValue]
  /// What the plan reads of the element in each slot.
  let needs: [ElementNeeds]
  /// What the run knows of each chain, by the slot of its last relationship.
  var chains: [ChainOperator.Run?]
  /// What each scan has found, by its slot.
  var found: [FoundNodes]
  /// How often the statement may have changed nodes.
  private(set) var nodeChanges = 0
  let parameters: GQLMap
  let graph: any GraphAccess
  var budget: BudgetUse
  /// What the statement has changed, by id; nil for what it has deleted. A row may hold a node as
  /// it was before.
  private(set) var changedNodes: [GQLElementID: GQLNode?] = [:]
  private(set) var changedRelationships: [GQLElementID: GQLRelationship?] = [:]
  var counts = GQLCounts()
  /// The nodes that were deleted without their relationships, and those.
  var bereft: [(node: GQLElementID, relationships: [GQLElementID])] = []
  /// The clock of the statement, which stands still while it runs.
  let clock: StatementClock

  init(
    _ graph: any GraphAccess, parameters: GQLMap, needs: [ElementNeeds], budget: GQLBudget,
    clock: StatementClock
  ) {
    self.graph = graph
    self.parameters = parameters
    self.clock = clock
    self.needs = needs
    chains = Array(repeating: nil, count: needs.count)
    found = Array(repeating: FoundNodes(), count: needs.count)
    slots = Array(repeating: .null, count: needs.count)
    self.budget = BudgetUse(budget)
  }

  // MARK: - Elements that change

  /// Returns a node as it is now.
  /// - Throws: ``GQLError`` `deletedElement` if the statement has deleted it.
  func current(_ node: GQLNode) throws -> GQLNode {
    guard !changedNodes.isEmpty, let change = changedNodes[node.id] else { return node }
    guard let change else { throw deleted("node") }
    return change
  }

  func current(_ relationship: GQLRelationship) throws -> GQLRelationship {
    guard !changedRelationships.isEmpty, let change = changedRelationships[relationship.id] else {
      return relationship
    }
    guard let change else { throw deleted("relationship") }
    return change
  }

  private func deleted(_ what: String) -> GQLError {
    GQLError(
      .deletedElement, "DeletedEntityAccess", "the \(what) was deleted by this statement",
      hint: "Take what you need of it along by WITH before DELETE")
  }

  func isDeleted(_ id: GQLElementID) -> Bool {
    if !changedNodes.isEmpty, let change = changedNodes[id] { return change == nil }
    if !changedRelationships.isEmpty, let change = changedRelationships[id] { return change == nil }
    return false
  }

  func note(_ node: GQLNode) { changedNodes[node.id] = .some(node) }
  func note(_ relationship: GQLRelationship) {
    changedRelationships[relationship.id] = .some(relationship)
  }
  func noteDeletion(ofNode id: GQLElementID) { changedNodes[id] = .some(nil) }
  func noteDeletion(ofRelationship id: GQLElementID) { changedRelationships[id] = .some(nil) }

  /// Notes that nodes may have changed, also by the rules of typed collections.
  func noteNodeChange() { nodeChanges += 1 }

  /// Returns a value for the result, with elements as they are now. What was deleted stays as it
  /// was seen last.
  func fresh(_ value: GQLValue) -> GQLValue {
    guard !changedNodes.isEmpty || !changedRelationships.isEmpty else { return value }
    switch value {
    case .node(let node): return .node((try? current(node)) ?? node)
    case .relationship(let one): return .relationship((try? current(one)) ?? one)
    case .list(let elements): return .list(elements.map(fresh))
    case .map(let map): return .map(GQLMap(map.entries.map { ($0.key, fresh($0.value)) }))
    case .path(let path):
      return .path(
        GQLPath(
          nodes: path.nodes.map { (try? current($0)) ?? $0 },
          relationships: path.relationships.map { (try? current($0)) ?? $0 }))
    default: return value
    }
  }

  /// Returns a list or map that an expression has made, if the budget has room for it.
  func made(_ value: GQLValue) throws -> GQLValue {
    try budget.check(value)
    return value
  }

  // MARK: - Rows

  /// Copies slots, for an operator that keeps rows.
  func save(_ wanted: [Int]) throws -> [GQLValue] {
    let row = wanted.map { slots[$0] }
    try budget.keep(row)
    return row
  }

  func restore(_ row: [GQLValue], to wanted: [Int]) {
    for (slot, value) in zip(wanted, row) { slots[slot] = value }
  }
}

/// What a statement has changed.
public struct GQLCounts: Hashable, Sendable {
  /// The nodes that were made.
  public var nodesCreated = 0
  /// The nodes that were deleted.
  public var nodesDeleted = 0
  /// The relationships that were made.
  public var relationshipsCreated = 0
  /// The relationships that were deleted.
  public var relationshipsDeleted = 0
  /// The properties that were set or removed.
  public var propertiesSet = 0
  /// The labels that were added.
  public var labelsAdded = 0
  /// The labels that were removed.
  public var labelsRemoved = 0

  /// Whether anything has changed.
  public var isEmpty: Bool { self == GQLCounts() }
}

/// The time of a statement.
struct StatementClock: Sendable {
  /// The seconds since 1970 UTC.
  var seconds: Int64
  var nanosecond: Int64
  /// A random number for each call of `rand`.
  var random: @Sendable () -> Double
}
