/// The negative weights of relationships, looked for once in a snapshot: with one on the way, the lightest
/// path that a search finds need not be the lightest.
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
  /// The first of a collection's field, of all relationships; `.some(nil)` where none is.
  private var known: [Place: Found?] = [:]

  init(_ sql: StatementCache) { self.sql = sql }

  /// Forgets what holds for one snapshot only.
  func endSnapshot() { known = [:] }

  /// The first among the relationships that a step follows, by their ids. Cost: none where none of the
  /// collection has been found in this snapshot; else that of ``GraphStep/negativeWeight(_:)``.
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
