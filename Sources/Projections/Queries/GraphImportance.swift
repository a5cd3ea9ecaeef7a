/// How much the graph points at something.
public struct GraphRank: Hashable, Sendable {
  public var id: String
  public var score: Double

  public init(id: String, score: Double) {
    self.id = id
    self.score = score
  }
}

/// What importance means.
public enum ImportanceMeasure: String, CaseIterable, Sendable {
  /// The sum of the weights of the relationships that lead to it.
  case inDegree = "in-degree"
  /// The share of time that a walker spends there who follows relationships at random.
  case pageRank = "pagerank"
}

extension GraphQueries {
  /// The most important vertices, best first. Cost: reads every relationship, and holds the graph
  /// in memory (about 100 bytes a vertex and 16 a relationship).
  /// - Parameter weight: a numeric field of the relationships, or nil for 1 each; negative weights
  ///   count as 0.
  package func importance(by measure: ImportanceMeasure, weight: String?, limit: Int) throws
    -> [GraphRank]
  {
    if let weight { try edges.requireWeight(weight) }
    var numbers: [GraphID: Int] = [:]
    var ids: [String] = []
    func number(_ id: String) -> Int {
      let key = GraphID(id)
      if let number = numbers[key] { return number }
      numbers[key] = ids.count
      ids.append(id)
      return ids.count - 1
    }
    var graph: [(source: Int, target: Int, weight: Double)] = []
    try edges.forEachEdge(weight: weight) { source, target, weight in
      guard try edges.isVertex(source), try edges.isVertex(target) else { return }
      graph.append((number(source), number(target), max(0, weight)))
    }
    var scores: [Double]
    switch measure {
    case .inDegree:
      scores = Array(repeating: 0, count: ids.count)
      for edge in graph { scores[edge.target] += edge.weight }
    case .pageRank: scores = Self.pageRank(graph, count: ids.count)
    }
    let order = ids.indices.sorted {
      scores[$0] != scores[$1] ? scores[$0] > scores[$1] : ids[$0] < ids[$1]
    }
    return order.prefix(limit).map { GraphRank(id: ids[$0], score: scores[$0]) }
  }

  /// Page, Brin, Motwani and Winograd, "The PageRank Citation Ranking" (1999): damping 0.85; what
  /// reaches a vertex without outgoing relationships is spread over all. Ends when the scores move
  /// by less than a millionth in sum, or after 100 rounds.
  static func pageRank(_ graph: [(source: Int, target: Int, weight: Double)], count: Int)
    -> [Double]
  {
    guard count > 0 else { return [] }
    let damping = 0.85
    var outgoing = [Double](repeating: 0, count: count)
    for edge in graph { outgoing[edge.source] += edge.weight }
    var scores = [Double](repeating: 1 / Double(count), count: count)
    for _ in 0..<100 {
      var lost = 0.0
      for vertex in 0..<count where outgoing[vertex] == 0 { lost += scores[vertex] }
      let base = (1 - damping + damping * lost) / Double(count)
      var next = [Double](repeating: base, count: count)
      for edge in graph where edge.weight > 0 {
        next[edge.target] += damping * scores[edge.source] * edge.weight / outgoing[edge.source]
      }
      var moved = 0.0
      for vertex in 0..<count { moved += abs(next[vertex] - scores[vertex]) }
      scores = next
      if moved < 1e-6 { break }
    }
    return scores
  }
}
