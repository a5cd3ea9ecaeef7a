/// Shortest paths.
extension MatchPlanner {
  /// Adds the steps of a path that has one relationship, repeated as little as can be.
  mutating func addSearch(_ part: Part) throws(GQLError) {
    let pattern = part.pattern
    guard pattern.relationships.count == 1, let one = pattern.relationships.first else {
      throw GQLError(
        .syntax, "UnexpectedSyntax", "a shortest path has one relationship, such as -[:R*]->",
        at: pattern.position)
    }
    guard one.group == nil else {
      throw GQLError(
        .unsupported, "UnsupportedFeature",
        "a shortest path of parts with several relationships or a condition is a feature that this "
          + "version does not have", at: one.position)
    }
    let length = one.length ?? .init(least: 1, most: 1)
    guard length.least <= 1 else {
      throw GQLError(
        .unsupported, "UnsupportedFeature",
        "a shortest path with a least length over 1 is a feature that this version does not have",
        at: one.position)
    }
    let start = score(part).index
    addStart(part, at: start)
    // With both ends known, the search goes from both.
    if !bound.contains(part.nodes[1 - start]), !equalities(part.nodes[1 - start]).isEmpty {
      addStart(part, at: 1 - start)
    }
    let direction = start == 0 ? one.direction : one.direction.reversed
    let types = one.types?.alternatives
    let (slot, between) = (part.relationships[0], part.between[0] ?? part.relationships[0])
    pipeline.operators.append(
      ShortestPathOperator(
        ends: ends(part, from: start, to: 1 - start, mayStay: length.least == 0), slot: slot,
        nodesSlot: between,
        direction: direction, types: types, condition: types == nil ? one.types : nil,
        length: length, properties: try each(one.properties),
        wantsAll: pattern.search == .allShortest, others: used))
    if start == 1 {
      pipeline.operators.append(ReverseOperator(slots: [slot, between]))
    }
    if one.length == nil { pipeline.operators.append(SingleOperator(slot: slot)) }
    used.append(slot)
    bound.formUnion([slot, between, part.nodes[1 - start]])
    addConditions()
    addPath(part)
  }
}

/// Turns lists around.
private struct ReverseOperator: PlanOperator {
  let slots: [Int]

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    for slot in slots {
      if case .list(let elements) = run.slots[slot] { run.slots[slot] = .list(elements.reversed()) }
    }
    return try next()
  }

  func lines(_ view: PlanView) -> [String] { [] }
}

/// Makes the single element of a list of it.
private struct SingleOperator: PlanOperator {
  let slot: Int

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    let list = run.slots[slot]
    defer { run.slots[slot] = list }
    if case .list(let elements) = list, let one = elements.first { run.slots[slot] = one }
    return try next()
  }

  func lines(_ view: PlanView) -> [String] { [] }
}
