/// The negative weights of relationships, looked for once per snapshot. Dijkstra's search is
/// correct only without them.
final class NegativeWeights {
  struct Found {
    var collection: String
    var id: String
    var weight: Double
  }

  private struct Place: Hashable {
    var collection: String
    var field: String
  }

  private let sql: StatementCache
  /// The first negative weight in a collection's field; `.some(nil)` if it has none.
  private var known: [Place: Found?] = [:]

  init(_ sql: StatementCache) { self.sql = sql }

  /// Drops what holds for one snapshot only.
  func endSnapshot() { known = [:] }

  /// Returns the negative weight with the smallest relationship id that a step
  /// follows; nil if none.
  ///
  /// Cost: none if the collection is known in this snapshot to have no negative weight; otherwise
  /// that of ``GraphStep/negativeWeight(_:)``.
  func first(in step: GraphStep, _ field: String) throws(ProjectionError) -> Found? {
    let place = Place(collection: step.relationship.schema.name, field: field)
    let found: Found?
    if let earlier = known[place] {
      found = earlier
    } else {
      let all = GraphStep(
        step.relationship, isForward: true, isUndirectedOnly: false, GraphFilter(), sql)
      found = try all.negativeWeight(field)
      known[place] = .some(found)
    }
    return found != nil && step.isFiltered ? try step.negativeWeight(field) : found
  }
}
