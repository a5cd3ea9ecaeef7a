/// What the authors of a merge had seen of each other's edits, each when it made its next edit.
struct TextViews {
  /// What an author had seen of another one.
  struct Other {
    var author: Int
    /// The number of the other author's edits that were seen.
    var count = 0
    fileprivate var sights: [TextMerge.Sight]
    fileprivate var next = 0
  }

  private struct View {
    var others: [Other] = []
    /// The index in `others`, by author.
    var index: [Int: Int] = [:]
  }

  private let edits: [[TextMerge.Edit]]
  private var views: [View]

  /// Makes the views of authors that have seen nothing yet.
  ///
  /// - Parameter sights: As in ``TextMerge/merged(length:sights:)``.
  init<E: Error>(
    _ merge: TextMerge, sights: (_ author: Int, _ other: Int) throws(E) -> [TextMerge.Sight]
  ) throws(E) {
    edits = merge.edits
    views = Array(repeating: View(), count: edits.count)
    guard edits.count > 1 else { return }
    for author in edits.indices where !edits[author].isEmpty {
      for other in edits.indices where other != author && !edits[other].isEmpty {
        let seen = try sights(author, other)
        guard !seen.isEmpty else { continue }
        views[author].index[other] = views[author].others.count
        views[author].others.append(.init(author: other, sights: seen))
      }
    }
  }

  /// Returns how many edits of an author another one had seen when it made its next edit.
  func count(of other: Int, seenBy author: Int) -> Int {
    views[author].index[other].map { views[author].others[$0].count } ?? 0
  }

  /// Returns the first of those of whom an author had seen edits for which a condition holds.
  func first(of author: Int, where condition: (Other) -> Bool) -> Other? {
    views[author].others.first(where: condition)
  }

  /// Brings the view of an author up to its next edit.
  ///
  /// - Parameters:
  ///   - author: The author's number.
  ///   - next: The index of the author's next edit; not less than in the call before.
  /// - Returns: Whether the view has changed.
  mutating func advance(_ author: Int, to next: Int) -> Bool {
    guard next < edits[author].count else { return false }
    let sequence = edits[author][next].sequence
    var changed = false
    for index in views[author].others.indices {
      var at = views[author].others[index].next
      let sights = views[author].others[index].sights
      guard at < sights.count, sights[at].from <= sequence else { continue }
      while at < sights.count, sights[at].from <= sequence { at += 1 }
      let through = sights[at - 1].through
      let theirs = edits[views[author].others[index].author]
      let known = views[author].others[index].count
      let count = (known..<theirs.count).partitioningIndex { theirs[$0].sequence > through }
      views[author].others[index].next = at
      changed = changed || known != count
      views[author].others[index].count = count
    }
    return changed
  }

  // MARK: - Closed views

  /// Whether each author claims to have seen all that was seen by the authors of what it claims to
  /// have seen.
  ///
  /// Cost: looks at each sight, and from there at each author.
  var areClosed: Bool {
    // Two authors have seen no third one's edits.
    guard edits.count > 2 else { return true }
    return edits.indices.allSatisfy { author in
      views[author].others.allSatisfy { other in
        other.sights.allSatisfy { isClosed($0, of: author, on: other.author) }
      }
    }
  }

  /// Returns whether an author, once it had seen another one's edits, had seen all that the other
  /// had seen when it wrote them.
  private func isClosed(_ sight: TextMerge.Sight, of author: Int, on other: Int) -> Bool {
    let (own, theirs) = (edits[author], edits[other])
    let first = own.indices.partitioningIndex { own[$0].sequence >= sight.from }
    let count = theirs.indices.partitioningIndex { theirs[$0].sequence > sight.through }
    guard first < own.count, count > 0 else { return true }
    return edits.indices.allSatisfy { third in
      let needed = self.count(of: third, seenBy: other, at: theirs[count - 1].sequence)
      if third == author { return needed <= first }
      return third == other
        || needed <= self.count(of: third, seenBy: author, at: own[first].sequence)
    }
  }

  /// Returns how many edits of an author another one had seen when it wrote an event.
  private func count(of other: Int, seenBy author: Int, at sequence: UInt64) -> Int {
    guard let index = views[author].index[other] else { return 0 }
    let sights = views[author].others[index].sights
    let at = sights.indices.partitioningIndex { sights[$0].from > sequence }
    guard at > 0 else { return 0 }
    let theirs = edits[other]
    return theirs.indices.partitioningIndex { theirs[$0].sequence > sights[at - 1].through }
  }
}
