/// A scalar: its author's number, and its number among all scalars that its author has inserted.
///
/// The numbers of authors follow the order of their ids. The base has the number after them. Shared
/// scalars, which edits made by comparison insert, have the numbers after that one: one number for
/// each text that is inserted so, in the order of the texts' bytes.
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
  /// By author, the number of scalars that it has inserted; then the length of the base, and the
  /// numbers of shared scalars.
  private(set) var counts: [Int]
  private let base: Int

  init(authorCount: Int, baseCount: Int, sharedCount: Int) {
    let count = authorCount + 1 + sharedCount
    base = authorCount
    heads = Array(repeating: [], count: count)
    rightParents = Array(repeating: [], count: count)
    counts = Array(repeating: 0, count: count)
    counts[base] = baseCount
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

  /// Scalars that were inserted.
  struct Inserted {
    var scalar: ScalarID
    /// The place of the scalars in the list; nil if they are there, as others have inserted them.
    var place: ScalarList.Place?
    /// Whether they continue the run of the scalar before them.
    var continues = false
  }

  /// Inserts the first scalar of an insertion, and those that follow it.
  ///
  /// - Parameters:
  ///   - author: The author, whose next numbers the scalars get.
  ///   - shared: The number of shared scalars with this text; nil for an insertion that was typed.
  ///     If others have inserted the same text at the same place, and the author had seen none of
  ///     that, the scalars are theirs, too.
  ///   - count: The number of scalars.
  ///   - left: The scalar before them in the author's view; nil at the beginning.
  ///   - right: The scalar that follows `left` in the author's view of the list, deleted ones
  ///     included; nil at the end.
  ///   - list: The list of all scalars, which tells what the author had seen.
  mutating func insert(
    author: Int, shared: Int? = nil, count: Int, after left: ScalarID?, before right: ScalarID?,
    in list: ScalarList
  ) -> Inserted {
    let following = continuation(of: left)
    let onRight = children[Side(parent: left, isLeft: false)] ?? []
    func isSeen(_ child: ScalarID) -> Bool { list.items[list.locate(child).item].isSeen }
    let hasSeenChild = following.map(isSeen) ?? false || onRight.contains(where: isSeen)
    let isLeft = hasSeenChild && right != nil
    let side = Side(parent: isLeft ? right : left, isLeft: isLeft)
    let siblings = isLeft ? children[side] ?? [] : onRight
    var author = author
    if let shared {
      let equal = siblings.first { $0.author == shared }
      if let equal, !isSeen(equal) { return Inserted(scalar: equal) }
      // An author who has seen these scalars does not insert at their place again, unless it claims
      // not to have seen what is before them.
      if equal == nil { author = shared }
    }
    let scalar = ScalarID(author: author, number: counts[author])
    defer { counts[author] += count }
    if let right, isLeft {
      let next = siblings.first { ScalarID.precedes(scalar, $0) }
      add(scalar, side)
      return Inserted(scalar: scalar, place: .before(next.map(leftmost) ?? right))
    }
    let all = (siblings + (following.map { [$0] } ?? [])).sorted(by: ScalarID.precedes)
    let place: ScalarList.Place
    if let next = all.first(where: { ScalarID.precedes(scalar, $0) }) {
      place = .before(leftmost(of: next))
    } else if !all.isEmpty {
      place = successor(ofSubtree: left)
    } else {
      place = left.map { .after($0) } ?? .start
    }
    // Each insertion of shared scalars is a run of its own, which others can find.
    if let left, left.author == author, left.number + 1 == scalar.number, author <= base {
      return Inserted(scalar: scalar, place: place, continues: true)
    }
    add(scalar, side)
    return Inserted(scalar: scalar, place: place)
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
