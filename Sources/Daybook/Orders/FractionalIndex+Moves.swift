public import DaybookEngine
public import Foundation

extension FractionalIndex {
  /// Returns the indexes that a move of rows changes, which are as few as possible.
  ///
  /// It takes what `onMove` of a list in SwiftUI gives:
  /// ```swift
  /// let changes = FractionalIndex.moving(rows, to: place, in: tasks.map(\.position))
  /// ```
  /// Usually that is one index for each row that moves. If the rows beside the place have equal
  /// indexes, some of them get others. An index that is not ``isRegular`` is replaced.
  /// `WriteTransaction.move(_:to:in:by:)` writes what changes.
  /// - Parameters:
  ///   - rows: the places of the rows that move. Those outside of the list are left out.
  ///   - place: the place of the row, before the move, that they come in front of; the number of
  ///     rows for the end.
  ///   - indexes: the indexes of all rows as a query has them, in ascending order; nil for rows
  ///     without one, which are first.
  /// - Returns: the new index of each row that changes, by its place before the move.
  public static func moving(
    _ rows: IndexSet, to place: Int, in indexes: [FractionalIndex?]
  ) -> [Int: FractionalIndex] {
    Arrangement(moving: rows, to: place, in: indexes, isBefore: <).changes()
  }
}

extension WriteTransaction {
  /// Moves rows of a list, and writes the indexes that change, which are as few as possible.
  ///
  /// ```swift
  /// try await store.write(label: "move") { tx in
  ///   try tx.move(rows, to: place, in: tasks, by: \.position)
  /// }
  /// ```
  /// What counts is the list as it is given, which is what its user has seen. Where others have
  /// moved other rows meanwhile, those stay. A row that was deleted meanwhile is passed over.
  /// - Parameters:
  ///   - rows: the places of the rows that move. Those outside of the list are left out.
  ///   - place: the place of the row, before the move, that they come in front of; the number of
  ///     rows for the end.
  ///   - list: the rows in the order of a query with `order(by: \.position)`. A row that was just
  ///     inserted can be at the end, with any index.
  ///   - property: the property with the index.
  /// - Returns: the ids of the rows that got another index.
  @discardableResult
  public func move<E: Entity>(
    _ rows: IndexSet, to place: Int, in list: [E], by property: WritableKeyPath<E, FractionalIndex>
  ) throws -> [E.ID] {
    try move(rows, to: place, in: list, list.map { $0[keyPath: property] }) { id, index in
      try set(property, of: id, to: index)
    }
  }

  /// Moves rows of a list, some of which may have no index yet; they are first. Otherwise it is as
  /// the call for a property that always has one.
  @discardableResult
  public func move<E: Entity>(
    _ rows: IndexSet, to place: Int, in list: [E], by property: WritableKeyPath<E, FractionalIndex?>
  ) throws -> [E.ID] {
    try move(rows, to: place, in: list, list.map { $0[keyPath: property] }) { id, index in
      try set(property, of: id, to: index)
    }
  }

  private func move<E: Entity>(
    _ rows: IndexSet, to place: Int, in list: [E], _ indexes: [FractionalIndex?],
    _ write: (E.ID, FractionalIndex) throws -> Void
  ) throws -> [E.ID] {
    let arrangement = Arrangement(moving: rows, to: place, in: indexes) {
      list[$0].id < list[$1].id
    }
    var written: [E.ID] = []
    for (row, index) in arrangement.changes().sorted(by: { $0.key < $1.key }) {
      let id = list[row].id
      guard try fetch(E.collection, id.rawValue) != nil else { continue }
      try write(id, index)
      written.append(id)
    }
    return written
  }
}

/// Rows in the order that they shall have, and which of them can keep their indexes.
private struct Arrangement {
  /// The indexes before the move.
  private let indexes: [FractionalIndex?]
  /// The rows in their new order, by their places before the move.
  private let order: [Int]
  private let moved: IndexSet
  /// Whether one of two rows with equal indexes is before the other.
  private let isBefore: (Int, Int) -> Bool

  init(
    moving rows: IndexSet, to place: Int, in indexes: [FractionalIndex?],
    isBefore: @escaping (Int, Int) -> Bool
  ) {
    self.indexes = indexes
    self.isBefore = isBefore
    moved = rows.intersection(IndexSet(integersIn: indexes.indices))
    let place = min(max(0, place), indexes.count)
    let (moved, all) = (moved, indexes.indices)
    let stays = { !moved.contains($0) }
    order = all[..<place].filter(stays) + Array(moved) + all[place...].filter(stays)
  }

  /// Returns the new indexes, by the rows' places before the move.
  func changes() -> [Int: FractionalIndex] {
    var changes: [Int: FractionalIndex] = [:]
    var (low, start): (FractionalIndex?, Int) = (nil, leading)
    for end in kept() + [order.count] {
      let high = end < order.count ? indexes[order[end]] : nil
      for (row, index) in zip(order[start..<end], FractionalIndex.spread(end - start, low, high))
      where indexes[row] != index {
        changes[row] = index
      }
      (low, start) = (high, end + 1)
    }
    return changes
  }

  /// The number of rows at the beginning that have no index and need none: they are first anyway,
  /// in the order of their ids.
  private var leading: Int {
    var count = 0
    while count < order.count, indexes[order[count]] == nil,
      count == 0 || isBefore(order[count - 1], order[count])
    {
      count += 1
    }
    return count
  }

  /// What the best choice of rows that keep their indexes is worth, up to one row.
  private struct Choice {
    /// The number of rows that keep theirs, and then the number of these that are not moved.
    var worth = (kept: 0, unmoved: 0)
    /// The place of the last row.
    var last: Int?
  }

  /// Returns the places in the new order whose rows keep their indexes: as many as possible.
  ///
  /// Indexes that are kept ascend. Equal ones are kept only by rows that are neighbours before and
  /// after the move, because there is nothing between them; there the ids decide.
  private func kept() -> [Int] {
    let regular = order.map { row in
      indexes[row].flatMap { $0.isRegular ? $0 : nil }
    }
    let ranks = Dictionary(
      uniqueKeysWithValues: Set(regular.compactMap { $0 }).sorted().enumerated()
        .map { ($1, $0 + 1) })
    // A tree of prefixes (Fenwick): the best choice that ends with an index of at most a rank.
    var best = Array(repeating: Choice(), count: ranks.count + 1)
    var previous: [Int?] = Array(repeating: nil, count: order.count)
    var before: Choice?
    for place in leading..<order.count {
      guard let rank = regular[place].flatMap({ ranks[$0] }) else {
        before = nil
        continue
      }
      var choice = Choice()
      var prefix = rank - 1
      while prefix > 0 {
        if best[prefix].worth > choice.worth { choice = best[prefix] }
        prefix -= prefix & -prefix
      }
      if let before, regular[place - 1] == regular[place], before.worth > choice.worth,
        isBefore(order[place - 1], order[place])
      {
        choice = before
      }
      previous[place] = choice.last
      choice.worth.kept += 1
      choice.worth.unmoved += moved.contains(order[place]) ? 0 : 1
      choice.last = place
      before = choice
      var node = rank
      while node < best.count {
        if choice.worth > best[node].worth { best[node] = choice }
        node += node & -node
      }
    }
    var kept: [Int] = []
    var last = best.max { $0.worth < $1.worth }?.last
    while let place = last {
      kept.append(place)
      last = previous[place]
    }
    return kept.reversed()
  }
}
