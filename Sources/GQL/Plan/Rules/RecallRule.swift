extension PlanRules {
  /// Looks nodes up once for values that come again.
  ///
  /// Before, of `UNWIND $rows AS row MATCH (a:A {x: row.x})`: a look-up for each row. After, one
  /// for each value, until the statement changes a node. Each scan keeps at most 1 MiB.
  static let recall = PlanRules(rawValue: 512)
}

/// What a scan has found for values, until the statement changes nodes.
///
/// The first look-up of a run is not kept: most statements have only that one.
struct FoundNodes {
  /// The nodes that one look-up finds.
  struct List {
    /// The most nodes that are kept.
    private static let countMax = 16

    /// Nil if there are too many.
    private(set) var nodes: [GQLNode]? = []

    mutating func append(_ node: GQLNode) {
      guard let count = nodes?.count else { return }
      if count < Self.countMax { nodes?.append(node) } else { nodes = nil }
    }
  }

  /// The most bytes that are kept, keys included. Beyond that, all is forgotten.
  private static let bytesMax = 1 << 20

  private var isFirst = true
  private var lists: [[UInt8]: [GQLNode]] = [:]
  private var bytes = 0
  /// How often nodes had changed when the lists were made.
  private var changes = 0

  /// Returns what was found before.
  /// - Parameters:
  ///   - key: the bytes of the values.
  ///   - changes: how often nodes have changed by now.
  /// - Returns: nil if it has to be looked up.
  mutating func nodes(for key: [UInt8], after changes: Int) -> [GQLNode]? {
    if changes != self.changes {
      forget()
      self.changes = changes
    }
    return lists[key]
  }

  /// Keeps what was found for the values that ``nodes(for:after:)`` did not know. No node may have
  /// changed meanwhile.
  mutating func keep(_ list: List, for key: [UInt8]) {
    if isFirst {
      isFirst = false
      return
    }
    guard let nodes = list.nodes else { return }
    let more = nodes.reduce(64 + key.count) { $0 + GQLValue.node($1).bytes }
    guard more <= Self.bytesMax else { return }
    if bytes + more > Self.bytesMax { forget() }
    bytes += more
    lists[key] = nodes
  }

  private mutating func forget() {
    lists.removeAll(keepingCapacity: true)
    bytes = 0
  }
}
