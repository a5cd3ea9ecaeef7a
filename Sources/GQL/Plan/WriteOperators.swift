/// Makes nodes and relationships.
struct CreateOperator: PlanOperator {
  struct Part {
    enum Kind {
      case node(_ labels: [String])
      case relationship(_ type: String, from: Int, to: Int)
    }

    var slot: Int
    var kind: Kind
    var properties: Compiled?
    var position: GQLPosition
  }

  var parts: [Part] = []
  var paths: [PathOperator] = []
  /// Whether a property that is created looks at the graph, and which slots such properties read.
  var looks = (atGraph: false, slots: Set<Int>())
  /// What the next clause sets of the parts, in its order (see ``PlanRules/whole``).
  var changes: [(part: Int, change: GraphChange)] = []

  /// Whether the parts that are changed are made with the changes. Typed collections have rules of
  /// their own for what is made and for what is changed.
  func takesChanges(_ run: PlanRun) -> Bool {
    changes.allSatisfy { run.isOpen(parts[$0.part].kind) }
  }

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    let takesChanges = takesChanges(run)
    for (index, part) in parts.enumerated() {
      try run.budget.step()
      var properties = try Storable.properties(part.properties, run, part.position)
      if takesChanges {
        for one in changes where one.part == index { try one.change.apply(to: &properties, run) }
      }
      switch part.kind {
      case .node(let labels):
        run.slots[part.slot] = .node(
          try run.createNode(labels, properties, key: nil, part.position))
      case .relationship(let type, let from, let to):
        run.slots[part.slot] = .relationship(
          try run.createRelationship(type, from, to, properties, key: nil, part.position))
      }
    }
    return try bind(paths[...], run, next)
  }

  private func bind(_ paths: ArraySlice<PathOperator>, _ run: PlanRun, _ next: () throws -> Bool)
    throws -> Bool
  {
    guard let first = paths.first else { return try next() }
    return try first.run(run) { try bind(paths.dropFirst(), run, next) }
  }

  func lines(_ view: PlanView) -> [String] { ["Create \(parts.count) elements"] }
}

/// What a MERGE creates if it finds no match.
struct MergeParts {
  struct Node {
    var slot: Int
    var isNew: Bool
    var labels: [String]
    var properties: Compiled?
    var position: GQLPosition
  }

  struct Relationship {
    var slot: Int
    var type: String
    var from: Int
    var to: Int
    /// Whether the pattern has no direction; it is created from left to right.
    var isEither: Bool
    var properties: Compiled?
    var position: GQLPosition
  }

  var path: PathOperator?
  var nodes: [Node] = []
  var relationships: [Relationship] = []
}

/// Finds the matches of a pattern or, if there are none, makes one.
struct MergeOperator: PlanOperator {
  let match: Pipeline
  let newSlots: [Int]
  let create: MergeParts
  let onCreate: [GraphChange]
  let onMatch: [GraphChange]

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    let properties = try create.nodes.map { node in
      try Storable.properties(node.properties, run, node.position, isMerge: true)
    }
    let others = try create.relationships.map { one in
      try Storable.properties(one.properties, run, one.position, isMerge: true)
    }
    for node in create.nodes where !node.isNew && !newSlots.contains(node.slot) {
      if run.slots[node.slot].isNull {
        throw GQLError(
          .constraint, "DeletedEntityAccess", "a node of MERGE is null, and has no relationships",
          at: node.position)
      }
    }
    var rows: [[GQLValue]] = []
    _ = try match.run(run) {
      rows.append(try run.save(newSlots))
      return true
    }
    if rows.isEmpty {
      try make(properties, others, run)
      for change in onCreate { try change.apply(run) }
      guard let path = create.path else { return try next() }
      return try path.run(run, next)
    }
    for row in rows {
      run.restore(row, to: newSlots)
      for change in onMatch { try change.apply(run) }
      guard try next() else { return false }
    }
    return true
  }

  private func make(_ properties: [GQLMap], _ others: [GQLMap], _ run: PlanRun) throws {
    let key = try patternKey(properties, others, run)
    func elementKey(_ index: Int) -> [UInt8] {
      var element = key
      GQLValue.integer(Int64(index)).appendKey(to: &element)
      return element
    }
    for (index, node) in create.nodes.enumerated() where node.isNew {
      run.slots[node.slot] = .node(
        try run.createNode(
          node.labels, properties[index], key: elementKey(index), node.position))
    }
    for (index, one) in create.relationships.enumerated() {
      run.slots[one.slot] = .relationship(
        try run.createRelationship(
          one.type, one.from, one.to, others[index],
          key: elementKey(create.nodes.count + index), one.position))
    }
  }

  /// The bytes of the whole pattern with its values: equal exactly if the same thing is merged.
  private func patternKey(_ properties: [GQLMap], _ others: [GQLMap], _ run: PlanRun) throws
    -> [UInt8]
  {
    var key: [UInt8] = []
    for (index, node) in create.nodes.enumerated() {
      if newSlots.contains(node.slot) {
        let labels = node.labels.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let same = create.nodes.firstIndex { $0.slot == node.slot } ?? index
        GQLValue.list(
          [.integer(Int64(same)), .map(properties[index])] + labels.map { .string($0) }
        ).appendKey(to: &key)
      } else {
        run.slots[node.slot].appendKey(to: &key)
      }
    }
    for (index, one) in create.relationships.enumerated() {
      let isForward = one.from == create.nodes[index].slot
      GQLValue.list([
        .string(one.type), .boolean(isForward), .boolean(one.isEither), .map(others[index]),
      ]).appendKey(to: &key)
    }
    return key
  }

  func lines(_ view: PlanView) -> [String] {
    ["Merge"] + match.lines(view).map { "  \($0)" }
  }
}

/// `SET` and `REMOVE`.
struct ChangeOperator: PlanOperator {
  let changes: [GraphChange]

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    for change in changes { try change.apply(run) }
    return try next()
  }

  func lines(_ view: PlanView) -> [String] { ["Change \(changes.count) things"] }
}

/// One change of a node or relationship.
struct GraphChange {
  enum Kind {
    case property(Compiled, String, Compiled)
    case properties(Compiled, Compiled, replaces: Bool)
    case labels(Compiled, adding: [String], removing: [String])
  }

  var kind: Kind
  var position: GQLPosition

  func apply(_ run: PlanRun) throws {
    try run.budget.step()
    try GQLError.located(position) {
      switch kind {
      case .property(let target, let name, let value):
        let owner = try target.evaluate(run)
        let value = try Storable.value(try value.evaluate(run), of: name)
        try run.set(GQLMap([(name, value)]), of: owner)
      case .properties(let target, let source, let replaces):
        try replace(try target.evaluate(run), try source.evaluate(run), replaces, run)
      case .labels(let target, let adding, let removing):
        try run.setLabels(of: try target.evaluate(run), adding: adding, removing: removing)
      }
    }
  }

  private func replace(_ owner: GQLValue, _ source: GQLValue, _ replaces: Bool, _ run: PlanRun)
    throws
  {
    if owner.isNull { return }
    guard let given = try Self.given(source, replaces, run) else { return }
    var changes = GQLMap()
    if replaces {
      for key in try run.properties(of: owner).keys { changes[key: key] = .null }
    }
    for (key, value) in given.entries { changes[key: key] = value }
    try run.set(changes, of: owner)
  }

  /// Returns the properties that a value gives to an element; nil for none.
  private static func given(_ source: GQLValue, _ replaces: Bool, _ run: PlanRun) throws
    -> GQLMap?
  {
    let given: GQLMap
    switch source {
    case .map(let map): given = map
    case .node(let node): given = try run.current(node).properties
    case .relationship(let one): given = try run.current(one).properties
    case .null where !replaces: return nil
    default:
      throw GQLError(
        .type, "InvalidArgumentType", "SET takes a map, and not \(source.typeName)")
    }
    return GQLMap(
      unique: try given.entries.map { ($0.key, try Storable.value($0.value, of: $0.key)) })
  }

  /// Changes the properties of an element that is not made yet, as ``apply(_:)`` would afterwards.
  func apply(to properties: inout GQLMap, _ run: PlanRun) throws {
    try run.budget.step()
    try GQLError.located(position) {
      switch kind {
      case .property(_, let name, let value):
        let value = try Storable.value(try value.evaluate(run), of: name)
        try run.set(GQLMap([(name, value)]), in: &properties)
      case .properties(_, let source, let replaces):
        let source = try source.evaluate(run)
        guard let given = try Self.given(source, replaces, run) else { return }
        var changes = GQLMap()
        if replaces { for key in properties.keys { changes[key: key] = .null } }
        for (key, value) in given.entries { changes[key: key] = value }
        try run.set(changes, in: &properties)
      case .labels: break
      }
    }
  }
}

/// `DELETE` and `DETACH DELETE`.
struct DeleteOperator: PlanOperator {
  let targets: [(value: Compiled, position: GQLPosition)]
  let isDetaching: Bool

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    for target in targets {
      try run.budget.step()
      let value = try target.value.evaluate(run)
      try GQLError.located(target.position) { try delete(value, run) }
    }
    return try next()
  }

  private func delete(_ value: GQLValue, _ run: PlanRun) throws {
    switch value {
    case .null: break
    case .node(let node): try run.delete(node, isDetaching: isDetaching)
    case .relationship(let one): try run.delete(one)
    case .path(let path):
      for one in path.relationships { try run.delete(one) }
      for node in path.nodes { try run.delete(node, isDetaching: isDetaching) }
    default:
      throw GQLError(
        .type, "InvalidArgumentType", "DELETE does not take \(value.typeName)")
    }
  }

  func lines(_ view: PlanView) -> [String] { [isDetaching ? "Detach delete" : "Delete"] }
}
