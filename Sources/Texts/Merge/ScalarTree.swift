/// A scalar: its author's number, and its number among all scalars that its author has inserted.
struct ScalarID: Hashable {
  var author: Int
  var number: Int

  /// The order of children on one side of one scalar.
  static func precedes(_ a: ScalarID, _ b: ScalarID) -> Bool {
    (a.author, a.number) < (b.author, b.number)
  }
}

/// The tree whose nodes are the scalars of a text.
///
/// The children of a node are on its left or on its right, and those on one side are ordered by
/// their authors. A scalar that was inserted behind another is its right child if that one had none
/// yet in its author's view. Otherwise it is a left child of the scalar that followed. The scalars
/// of one insertion are each the right child of the one before.
///
/// Most scalars continue a run of their author, so only the first one of a run is stored.
struct ScalarTree {
  /// The first scalar of a run.
  private struct Head {
    var number: Int
    /// Nil for the beginning of the text.
    var parent: ScalarID?
    var isLeft: Bool
  }

  private struct Side: Hashable {
    var parent: ScalarID?
    var isLeft: Bool
  }

  /// By author, ascending by number.
  private var heads: [[Head]]
  /// Children that begin a run, by parent and side, in their order.
  private var children: [Side: [ScalarID]] = [:]
  /// By author, the numbers of the scalars that have such children on their right, ascending.
  private var rightParents: [[Int]]
  /// By author, the number of scalars that it has inserted; last, the length of the base.
  private(set) var counts: [Int]
  private var base: Int { counts.count - 1 }

  init(authorCount: Int, baseCount: Int) {
    heads = Array(repeating: [], count: authorCount + 1)
    rightParents = Array(repeating: [], count: authorCount + 1)
    counts = Array(repeating: 0, count: authorCount) + [baseCount]
    if baseCount > 0 { heads[authorCount] = [Head(number: 0, parent: nil, isLeft: false)] }
  }

  /// Returns the scalar that continues the run of another one; nil if its run ends there.
  private func continuation(of scalar: ScalarID?) -> ScalarID? {
    guard let scalar else { return counts[base] > 0 ? ScalarID(author: base, number: 0) : nil }
    let next = scalar.number + 1
    guard next < counts[scalar.author] else { return nil }
    let heads = heads[scalar.author]
    let index = heads.indices.partitioningIndex { heads[$0].number >= next }
    if index < heads.count, heads[index].number == next { return nil }
    return ScalarID(author: scalar.author, number: next)
  }

  /// Inserts the first scalar of an insertion, and those that follow it.
  ///
  /// - Parameters:
  ///   - author: The author, whose next numbers the scalars get.
  ///   - count: The number of scalars.
  ///   - left: The scalar before them in the author's view; nil at the beginning.
  ///   - right: The scalar that follows `left` in the author's view of the list, deleted ones
  ///     included; nil at the end.
  ///   - list: The list of all scalars, which tells what the author had seen.
  /// - Returns: The first scalar, its place in the list, and whether it continues the run of
  ///   `left`.
  mutating func insert(
    author: Int, count: Int, after left: ScalarID?, before right: ScalarID?, in list: ScalarList
  ) -> (scalar: ScalarID, place: ScalarList.Place, continues: Bool) {
    let scalar = ScalarID(author: author, number: counts[author])
    let following = continuation(of: left)
    let onRight = children[Side(parent: left, isLeft: false)] ?? []
    func isSeen(_ child: ScalarID) -> Bool { list.items[list.locate(child).item].isSeen }
    let hasSeenChild = following.map(isSeen) ?? false || onRight.contains(where: isSeen)
    let place: ScalarList.Place
    var isContinuation = false
    if hasSeenChild, let right {
      let siblings = children[Side(parent: right, isLeft: true)] ?? []
      let next = siblings.first { ScalarID.precedes(scalar, $0) }
      place = .before(next.map(leftmost) ?? right)
      add(scalar, Side(parent: right, isLeft: true))
    } else {
      let siblings = (onRight + (following.map { [$0] } ?? [])).sorted(by: ScalarID.precedes)
      if let next = siblings.first(where: { ScalarID.precedes(scalar, $0) }) {
        place = .before(leftmost(of: next))
      } else if !siblings.isEmpty {
        place = successor(ofSubtree: left)
      } else {
        place = left.map { .after($0) } ?? .start
      }
      if let left, left.author == author, left.number + 1 == scalar.number {
        isContinuation = true
      } else {
        add(scalar, Side(parent: left, isLeft: false))
      }
    }
    counts[author] += count
    return (scalar, place, isContinuation)
  }

  private mutating func add(_ scalar: ScalarID, _ side: Side) {
    heads[scalar.author].append(
      Head(number: scalar.number, parent: side.parent, isLeft: side.isLeft))
    var siblings = children[side] ?? []
    let index = siblings.firstIndex { ScalarID.precedes(scalar, $0) } ?? siblings.count
    siblings.insert(scalar, at: index)
    children[side] = siblings
    guard !side.isLeft, siblings.count == 1, let parent = side.parent else { return }
    let numbers = rightParents[parent.author]
    rightParents[parent.author].insert(
      parent.number, at: numbers.indices.partitioningIndex { numbers[$0] > parent.number })
  }

  /// Returns the first scalar in the list of a scalar and all its descendants.
  private func leftmost(of scalar: ScalarID) -> ScalarID {
    var scalar = scalar
    while let first = children[Side(parent: scalar, isLeft: true)]?.first { scalar = first }
    return scalar
  }

  /// Returns the place behind a scalar and all its descendants.
  private func successor(ofSubtree scalar: ScalarID?) -> ScalarList.Place {
    guard var node = scalar else { return .end }
    while true {
      let author = node.author
      let own = heads[author]
      let head = own[own.indices.partitioningIndex { own[$0].number > node.number } - 1]
      // Scalars before the node in its run, from the last on: a later child than the run itself?
      let parents = rightParents[author]
      var index = parents.indices.partitioningIndex { parents[$0] >= node.number } - 1
      while index >= 0, parents[index] >= head.number {
        let parent = ScalarID(author: author, number: parents[index])
        let continued = ScalarID(author: author, number: parents[index] + 1)
        let later = children[Side(parent: parent, isLeft: false)]?
          .first { ScalarID.precedes(continued, $0) }
        if let later { return .before(leftmost(of: later)) }
        index -= 1
      }
      // The first scalar of the run: its next sibling?
      let first = ScalarID(author: author, number: head.number)
      var later = children[Side(parent: head.parent, isLeft: head.isLeft)]?
        .first { ScalarID.precedes(first, $0) }
      if !head.isLeft, let following = continuation(of: head.parent),
        ScalarID.precedes(first, following),
        later.map({ ScalarID.precedes(following, $0) }) ?? true
      {
        later = following
      }
      if let later { return .before(leftmost(of: later)) }
      guard let parent = head.parent else { return .end }
      if head.isLeft { return .before(parent) }
      node = parent
    }
  }
}
