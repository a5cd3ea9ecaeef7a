/// A text that several authors edit, in the slow and obvious way: all scalars in a tree, and each
/// edit applied to the list of those that its author had seen.
///
/// It follows docs/read-model.md, “Texts”, and shares no code with the product.
package struct ReferenceText {
  /// A step of a script.
  package enum Step {
    case retain(Int)
    case insert([Unicode.Scalar])
    case delete(Int)
  }

  package struct Edit {
    package var author: Int
    /// By author, the number of edits that the author had seen; its own earlier ones are all seen.
    package var seen: [Int]
    package var steps: [Step]
    /// Whether the steps come from comparing two texts.
    package var isComparison: Bool
    /// What an undo or a redo names, which has no steps.
    var toggle: Toggle?

    package init(author: Int, seen: [Int], steps: [Step], isComparison: Bool = false) {
      self.init(
        author: author, seen: seen, steps: steps, isComparison: isComparison, toggle: nil)
    }

    package init(
      author: Int, seen: [Int], steps: [Step], isComparison: Bool = false, toggle: Toggle?
    ) {
      self.author = author
      self.seen = seen
      self.steps = steps
      self.isComparison = isComparison
      self.toggle = toggle
    }
  }

  /// Edits that stop to count, or count again.
  package struct Toggle {
    var isUndone: Bool
    /// Of several that name an edit, the one with the greatest rank decides.
    var rank: Int
    var edits: Set<Writer>

    package init(isUndone: Bool, rank: Int, edits: Set<Writer>) {
      self.isUndone = isUndone
      self.rank = rank
      self.edits = edits
    }
  }

  /// An edit by its author and its index among the author's edits; the base has no author.
  package struct Writer: Hashable {
    package var author: Int
    package var index: Int

    package init(author: Int, index: Int) {
      self.author = author
      self.index = index
    }
  }

  private struct Node {
    var scalar: Unicode.Scalar
    /// By edit that inserted it, its index among the scalars of that edit; empty for the base.
    var writers: [Writer: Int]
    var parent: Int?
    var isLeft: Bool
    /// The text of the run, if several edits made by comparison may insert it.
    var shared: [Unicode.Scalar]?
    var deletedBy: Set<Writer> = []

    /// The first of the edits that inserted it and for which a condition holds.
    func writer(where holds: (Writer) -> Bool) -> Writer? {
      writers.keys.filter(holds).min { ($0.author, $0.index) < ($1.author, $1.index) }
    }
  }

  private var nodes: [Node] = []
  /// The toggles, each by its place among its author's edits.
  private var toggles: [Writer: Toggle] = [:]
  /// By author, how many edits were applied.
  private var applied: [Int]

  /// The edits that did not fit.
  package private(set) var unfit: Set<Writer> = []

  /// - Parameters:
  ///   - base: The text that all authors had seen.
  ///   - edits: By author, the edits in the order in which they were written.
  package init(base: [Unicode.Scalar], edits: [[Edit]]) {
    applied = Array(repeating: 0, count: edits.count)
    for (index, scalar) in base.enumerated() {
      nodes.append(
        Node(scalar: scalar, writers: [:], parent: index == 0 ? nil : index - 1, isLeft: false))
    }
    var goesOn = true
    while goesOn {
      goesOn = false
      for author in edits.indices where applied[author] < edits[author].count {
        let edit = edits[author][applied[author]]
        // An author may have seen edits that are not known here.
        let isReady = edits.indices.allSatisfy {
          $0 == author || min(edit.seen[$0], edits[$0].count) <= applied[$0]
        }
        guard isReady else { continue }
        apply(edit, Writer(author: author, index: applied[author]))
        applied[author] += 1
        goesOn = true
      }
    }
    for author in edits.indices {
      for index in applied[author]..<edits[author].count {
        unfit.insert(Writer(author: author, index: index))
      }
    }
  }

  /// The merged text.
  package var text: [Unicode.Scalar] { text(without: []) }

  /// By scalar of the merged text, the edit that inserted it; nil for the base.
  package var writers: [Writer?] {
    order().filter(isShown).map { nodes[$0].writer { !isUndone($0) } }
  }

  /// The merged text without some edits: what they inserted is not there, and what they alone have
  /// deleted is.
  package func text(without edits: Set<Writer>) -> [Unicode.Scalar] {
    shown { isUndone($0) || edits.contains($0) }.map(\.scalar)
  }

  /// The scalars of the merged text if some edits do not count.
  func shown(isUndone: (Writer) -> Bool) -> [(scalar: Unicode.Scalar, writer: Writer?)] {
    order().filter { isShown($0, isUndone) }
      .map { index in (nodes[index].scalar, nodes[index].writer { !isUndone($0) }) }
  }

  /// Whether an edit does not count in the end.
  package func isUndone(_ edit: Writer) -> Bool { isUndone(edit) { _ in true } }

  /// Whether an edit does not count, by the toggles for which `hasSeen` holds.
  private func isUndone(_ edit: Writer, _ hasSeen: (Writer) -> Bool) -> Bool {
    let known = toggles.filter { hasSeen($0.key) && $0.value.edits.contains(edit) }
    return known.max { $0.value.rank < $1.value.rank }?.value.isUndone ?? false
  }

  private func isShown(_ index: Int) -> Bool { isShown(index) { isUndone($0) } }

  private func isShown(_ index: Int, _ isUndone: (Writer) -> Bool) -> Bool {
    (nodes[index].writers.isEmpty || !nodes[index].writers.keys.allSatisfy(isUndone))
      && nodes[index].deletedBy.allSatisfy(isUndone)
  }

  /// By scalar of the merged text, the edit that inserted it, and its index among the scalars of
  /// that edit.
  package var origins: [(writer: Writer?, offset: Int)] {
    order().filter(isShown).map { index in
      let writer = nodes[index].writer { !isUndone($0) }
      return (writer, writer.flatMap { nodes[index].writers[$0] } ?? index)
    }
  }

  /// Returns the number of scalars of the merged text before one that an edit inserted, and whether
  /// that one is in the text.
  package func place(of writer: Writer?, _ offset: Int) -> (before: Int, isShown: Bool) {
    let own = nodes.indices.first { index in
      writer.map { nodes[index].writers[$0] == offset } ?? (index == offset)
    }
    let before = order().prefix { $0 != own }
    return (before.count(where: isShown), own.map(isShown) ?? false)
  }

  private func order() -> [Int] {
    var children: [Int?: [Int]] = [:]
    for index in nodes.indices { children[nodes[index].parent, default: []].append(index) }
    func visit(_ node: Int?) -> [Int] {
      let all = children[node] ?? []
      // Nodes of one author were made one after another; the base comes after them, and then the
      // shared ones by their texts.
      func rank(_ index: Int) -> (Int, Int) {
        (nodes[index].writers.keys.first?.author ?? .max, index)
      }
      let sorted = all.sorted { a, b in
        switch (nodes[a].shared, nodes[b].shared) {
        case (let a?, let b?): a.lexicographicallyPrecedes(b)
        case (nil, nil): rank(a) < rank(b)
        case (let first, _): first == nil
        }
      }
      let left = sorted.filter { nodes[$0].isLeft }.flatMap(visit)
      let right = sorted.filter { !nodes[$0].isLeft }.flatMap(visit)
      return left + (node.map { [$0] } ?? []) + right
    }
    return visit(nil)
  }

  private mutating func apply(_ edit: Edit, _ writer: Writer) {
    func hasSeen(_ other: Writer) -> Bool {
      other.author == writer.author
        ? other.index <= writer.index : other.index < edit.seen[other.author]
    }
    if let toggle = edit.toggle {
      toggles[writer] = toggle
      return
    }
    // What the author had seen: inserted scalars, and among them the ones not deleted.
    let known = order().filter {
      nodes[$0].writers.isEmpty || nodes[$0].writers.keys.contains(where: hasSeen)
    }
    let visible = known.filter { index in
      let writers = nodes[index].writers.keys
      return
        (writers.isEmpty || writers.contains { hasSeen($0) && !isUndone($0, hasSeen) })
        && !nodes[index].deletedBy.contains { hasSeen($0) && !isUndone($0, hasSeen) }
    }
    var needed = 0
    for step in edit.steps {
      switch step {
      case .retain(let count), .delete(let count): needed += count
      case .insert: break
      }
    }
    guard needed <= visible.count else {
      unfit.insert(writer)
      return
    }
    var at = 0
    var inserted = 0
    for step in edit.steps {
      switch step {
      case .retain(let count): at += count
      case .delete(let count):
        for index in at..<at + count { nodes[visible[index]].deletedBy.insert(writer) }
        at += count
      case .insert(let scalars):
        insert(
          scalars, writer, inserted, at == 0 ? nil : visible[at - 1], known,
          isComparison: edit.isComparison)
        inserted += scalars.count
      }
    }
  }

  private mutating func insert(
    _ scalars: [Unicode.Scalar], _ writer: Writer, _ offset: Int, _ left: Int?, _ known: [Int],
    isComparison: Bool
  ) {
    let hasRightChild = known.contains { nodes[$0].parent == left && !nodes[$0].isLeft }
    let next = left.flatMap { known.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    var parent = left
    var isLeft = false
    if hasRightChild { (parent, isLeft) = (known[next], true) }
    var shared = isComparison ? scalars : nil
    let equal = nodes.indices.first {
      isComparison && nodes[$0].shared == scalars && nodes[$0].parent == parent
        && nodes[$0].isLeft == isLeft
    }
    if let equal, known.contains(equal) {
      shared = nil
    } else if let equal {
      for index in scalars.indices { nodes[equal + index].writers[writer] = offset + index }
      return
    }
    for (index, scalar) in scalars.enumerated() {
      nodes.append(
        Node(
          scalar: scalar, writers: [writer: offset + index], parent: parent, isLeft: isLeft,
          shared: shared))
      (parent, isLeft) = (nodes.count - 1, false)
    }
  }
}
