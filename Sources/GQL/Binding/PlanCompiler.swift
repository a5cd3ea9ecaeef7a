import DaybookEventCore

/// What all parts of a plan share while it is made.
final class PlanCompiler {
  private(set) var slotCount = 0
  /// Whether the plan writes.
  var writes = false
  /// Whether what is planned so far looks for nodes, and whether it looks for relationships.
  private(set) var looks = (forNodes: false, forRelationships: false)
  /// Whether the plan searches full texts.
  var searches = false
  /// The names of the parameters that the plan reads.
  private(set) var parameters: Set<String> = []
  /// The names that the graph has to have for the query to find something, each once.
  private(set) var reads: [ReadName] = []
  /// What the plan reads of the elements that its steps find.
  var uses = ElementUses()
  /// The procedures that a query can call.
  let procedures: [GQLProcedure]

  /// The rules by which the plan does less than what is written.
  let rules: PlanRules

  /// - Parameters:
  ///   - procedures: the procedures beside the store's own.
  ///   - rules: the rules by which the plan does less than what is written.
  init(procedures: [GQLProcedure], rules: PlanRules = .all) {
    self.procedures = GQLProcedure.all + procedures
    self.rules = rules
  }

  func noteLook(forRelationships: Bool) {
    looks = (true, looks.forRelationships || forRelationships)
  }

  func slot() -> Int {
    slotCount += 1
    return slotCount - 1
  }

  func note(_ read: ReadName) {
    guard reads.count < Self.readsMax,
      !reads.contains(where: { $0.kind == read.kind && $0.name.isSame(as: read.name) })
    else { return }
    reads.append(read)
  }

  /// The most names that are looked at.
  private static let readsMax = 64

  func noteParameter(_ name: String) { parameters.insert(name) }

  /// Checks that every parameter of the plan has a value.
  func requireParameters(_ given: GQLMap) throws(GQLError) {
    for name in parameters.sorted() where given[key: name] == nil {
      throw GQLError(
        .missingParameter, "MissingParameter", "the parameter $\(name) has no value",
        hint: "Give it one, null if need be")
    }
  }
}

extension GQLError {
  static func undefined(_ name: String, _ scope: Scope, at position: GQLPosition) -> GQLError {
    GQLError(
      .syntax, "UndefinedVariable", "there is no variable “\(name)” here", at: position,
      hint: scope.suggestion(for: name))
  }

  /// The error of a value whose type is known to be wrong before anything runs.
  static func wrongType(_ words: String, at position: GQLPosition) -> GQLError {
    GQLError(.syntax, "InvalidArgumentType", words, at: position)
  }

  /// Runs a part of an expression, and gives its errors the place of that part.
  static func located<T>(_ position: GQLPosition, _ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as GQLError { throw error.at(position) }
  }
}
