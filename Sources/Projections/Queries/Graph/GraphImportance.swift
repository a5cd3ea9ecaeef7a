import DaybookEventCore

extension GraphQueries {
  /// Returns the most important vertices, best first; equal scores are sorted by collection and id.
  ///
  /// All vertices are ranked: every entity of the collections to which the relationships may lead,
  /// including isolated ones. Cost: reads every relationship, and holds those between vertices in
  /// memory (about 100 bytes a vertex and 16 a relationship). Isolated vertices are counted, and
  /// read only if the limit reaches them.
  /// - Parameters:
  ///   - measure: the measure of importance.
  ///   - weight: a numeric field of the relationships, of which NULL weighs 1; nil if all weigh 1.
  ///   - limit: the maximum number of vertices to return.
  /// - Throws: ``ProjectionError`` `unknownName`; `invalidQuery` for a negative weight or limit,
  ///   and for weights whose sum is not finite.
  package func importance(by measure: ImportanceMeasure, weight: String?, limit: Int)
    throws(ProjectionError) -> [GraphRank]
  {
    try Self.requireCount(limit, "a limit")
    if let weight { try edges.requireWeight(weight) }
    let arcs = try ArcList(edges, weight: weight)
    let collections = edges.vertexCollections
    let scores: [Double]
    var isolated = 0.0
    switch measure {
    case .inDegree: scores = try arcs.inDegrees()
    case .pageRank:
      var count = 0
      for collection in collections { count += try edges.vertices.count(in: collection) }
      (scores, isolated) = try arcs.pageRanks(count: count)
    }
    var ranks = scores.indices.filter { scores[$0] > isolated }.map {
      GraphRank(vertex: edges.schema.vertex(arcs.nodes[$0]), score: scores[$0])
    }
    ranks.sort { $0.score != $1.score ? $0.score > $1.score : $0.vertex < $1.vertex }
    ranks.removeLast(max(0, ranks.count - limit))
    for collection in collections where ranks.count < limit {
      try edges.vertices.forEach(in: collection) { node in
        if let number = arcs.number(of: node), scores[number] > isolated { return true }
        ranks.append(GraphRank(vertex: edges.schema.vertex(node), score: isolated))
        return ranks.count < limit
      }
    }
    return ranks
  }
}

extension ArcList {
  fileprivate func inDegrees() throws(ProjectionError) -> [Double] {
    var scores = [Double](repeating: 0, count: nodes.count)
    for arc in arcs { scores[Int(arc.target)] += arc.weight }
    try Self.requireFinite(scores)
    return scores
  }

  private static func requireFinite(_ sums: [Double]) throws(ProjectionError) {
    guard !sums.allSatisfy(\.isFinite) else { return }
    throw ProjectionError(
      .invalidQuery, "the weights of a vertex add up to more than a number holds",
      hint: "Weigh in a larger unit")
  }

  /// Returns the PageRank of all vertices.
  ///
  /// Page, Brin, Motwani and Winograd, "The PageRank Citation Ranking" (1999), with damping 0.85.
  /// The score of a vertex without outgoing relationships is spread over all vertices. The
  /// iteration ends when the scores change by less than a millionth in sum, or after 100 rounds.
  /// - Parameter count: the number of all vertices. Those without relationships all
  ///   have the same score.
  /// - Returns: the scores by number, and the score of an isolated vertex.
  fileprivate func pageRanks(count: Int) throws(ProjectionError) -> (
    scores: [Double], isolated: Double
  ) {
    let count = max(count, nodes.count)
    guard count > 0 else { return ([], 0) }
    let damping = 0.85
    let isolatedCount = Double(count - nodes.count)
    var outgoing = [Double](repeating: 0, count: nodes.count)
    for arc in arcs { outgoing[Int(arc.source)] += arc.weight }
    try Self.requireFinite(outgoing)
    var isolated = 1 / Double(count)
    var scores = [Double](repeating: isolated, count: nodes.count)
    for _ in 0..<100 {
      var lost = isolatedCount * isolated
      for vertex in nodes.indices where outgoing[vertex] == 0 { lost += scores[vertex] }
      let base = (1 - damping + damping * lost) / Double(count)
      var next = [Double](repeating: base, count: nodes.count)
      for arc in arcs where arc.weight > 0 {
        let share = arc.weight / outgoing[Int(arc.source)]
        next[Int(arc.target)] += damping * scores[Int(arc.source)] * share
      }
      var moved = isolatedCount * abs(base - isolated)
      for vertex in nodes.indices { moved += abs(next[vertex] - scores[vertex]) }
      (scores, isolated) = (next, base)
      if moved < 1e-6 { break }
    }
    return (scores, isolated)
  }
}
