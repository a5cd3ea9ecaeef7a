/// The scalars of a text while edits of several authors are merged: in the order that all replicas
/// agree on, deleted ones included.
///
/// The order is that of Fugue (Weidner and Kleppmann, “The Art of the Fugue”, 2023): the scalars
/// are the nodes of a tree, see ``ScalarTree``, and the list is the tree, read depth first. As in
/// eg-walker (Gentle and Kleppmann, “Collaborative Text Editing with Eg-walker”, 2025), the list
/// keeps apart whether an author sees a scalar and whether the merged text has it. It shows the
/// text as the author of the next edit saw it, and is moved from one author's view to another's.
///
/// Neighbors of one author in one state are one *item*. Items are in chunks, so an edit costs a
/// scan over counts of chunks.
struct ScalarList {
  /// Scalars of one author with consecutive numbers that stand beside one another.
  struct Item {
    /// The number of the author; the base text has the number after the last author's, and shared
    /// scalars have those after it.
    var author: Int
    /// The number of the first scalar among all that its author has inserted.
    var number: Int
    var count: Int
    /// The number of insertions of these scalars that the author of the next edit had seen: several
    /// edits may have inserted shared ones.
    var insertions: Int32
    /// The number of those insertions that do not count in its view.
    var undone: Int32 = 0
    /// The number of deletions of these scalars that the author of the next edit had seen.
    var deletions: Int32 = 0
    /// Whether any edit deletes the scalars.
    var isDeleted = false
    var chunk: Int

    /// Whether the author of the next edit had seen an insertion.
    var isSeen: Bool { insertions > 0 }
    var seenCount: Int { insertions > undone && deletions == 0 ? count : 0 }
    var shownCount: Int { isDeleted ? 0 : count }
  }

  private struct Chunk {
    var items: [Int]
    var seen = 0
    var shown = 0
    var place = 0
  }

  /// The items of an author, by the numbers of their scalars.
  private struct Pieces {
    var numbers: [Int] = []
    var items: [Int] = []

    /// The index of the piece that holds a number.
    func index(of number: Int) -> Int {
      var (low, high) = (0, numbers.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[middle] <= number { low = middle + 1 } else { high = middle }
      }
      return low - 1
    }

    mutating func insert(_ number: Int, _ item: Int) {
      let index = numbers.last.map { $0 < number } ?? true ? numbers.count : index(of: number) + 1
      numbers.insert(number, at: index)
      items.insert(item, at: index)
    }
  }

  private static let chunkLimit = 64

  private(set) var items: [Item] = []
  private var chunks: [Chunk] = [Chunk(items: [])]
  /// The indexes of chunks, in the order of the text.
  private var order = [0]
  private var pieces: [Pieces]
  /// The scalars that the author of the next edit sees.
  private(set) var seenCount: Int
  /// The scalars of the merged text.
  private(set) var shownCount: Int

  /// Makes a list of a base text that all authors see.
  ///
  /// - Parameter sharedCount: The number of different texts of shared scalars.
  init(authorCount: Int, baseCount: Int, sharedCount: Int) {
    pieces = Array(repeating: Pieces(), count: authorCount + 1 + sharedCount)
    seenCount = 0
    shownCount = 0
    if baseCount > 0 {
      append(
        Item(author: authorCount, number: 0, count: baseCount, insertions: 1, chunk: 0), at: 0,
        in: 0)
    }
  }

  // MARK: - Places

  /// The item of a scalar, and the scalar's index in it.
  func locate(_ scalar: ScalarID) -> (item: Int, offset: Int) {
    let own = pieces[scalar.author]
    let item = own.items[own.index(of: scalar.number)]
    return (item, scalar.number - items[item].number)
  }

  /// The item that holds the last of the first `count` scalars which the author sees, and the
  /// number of its scalars up to there.
  ///
  /// - Parameter count: 1 to ``seenCount``.
  func find(seen count: Int) -> (item: Int, offset: Int) {
    var left = count
    var place = 0
    while left > chunks[order[place]].seen {
      left -= chunks[order[place]].seen
      place += 1
    }
    for item in chunks[order[place]].items {
      let seen = items[item].seenCount
      if left <= seen { return (item, left) }
      left -= seen
    }
    return (chunks[order[place]].items.last ?? 0, 0)
  }

  private func index(of item: Int) -> (place: Int, index: Int) {
    let chunk = items[item].chunk
    return (chunks[chunk].place, chunks[chunk].items.firstIndex(of: item) ?? 0)
  }

  /// The first item whose insertion the author had seen, after an item or from the beginning.
  func nextSeen(after item: Int?) -> Int? {
    var (place, next) = item.map { index(of: $0) } ?? (0, -1)
    while place < order.count {
      let here = chunks[order[place]].items
      next += 1
      while next < here.count {
        if items[here[next]].isSeen { return here[next] }
        next += 1
      }
      place += 1
      next = -1
    }
    return nil
  }

  /// The number of scalars of the merged text before an item.
  func shownBefore(_ item: Int) -> Int {
    let (place, index) = index(of: item)
    var shown = 0
    for before in order[..<place] { shown += chunks[before].shown }
    for before in chunks[order[place]].items[..<index] { shown += items[before].shownCount }
    return shown
  }

  /// All items, in the order of the text.
  var ordered: some Sequence<Item> {
    order.lazy.flatMap { chunks[$0].items }.map { items[$0] }
  }

  // MARK: - Changes

  private mutating func change(_ item: Int, _ body: (inout Item) -> Void) {
    let (seen, shown) = (items[item].seenCount, items[item].shownCount)
    body(&items[item])
    let chunk = items[item].chunk
    chunks[chunk].seen += items[item].seenCount - seen
    chunks[chunk].shown += items[item].shownCount - shown
    seenCount += items[item].seenCount - seen
    shownCount += items[item].shownCount - shown
  }

  private mutating func append(_ item: Item, at index: Int, in chunk: Int) {
    let number = items.count
    items.append(item)
    items[number].chunk = chunk
    chunks[chunk].items.insert(number, at: index)
    chunks[chunk].seen += item.seenCount
    chunks[chunk].shown += item.shownCount
    seenCount += item.seenCount
    shownCount += item.shownCount
    pieces[item.author].insert(item.number, number)
    if chunks[chunk].items.count > Self.chunkLimit { halve(chunk) }
  }

  private mutating func halve(_ chunk: Int) {
    let new = chunks.count
    let half = Self.chunkLimit / 2
    let moved = Array(chunks[chunk].items[half...])
    chunks[chunk].items.removeSubrange(half...)
    var made = Chunk(items: moved)
    for item in moved {
      items[item].chunk = new
      made.seen += items[item].seenCount
      made.shown += items[item].shownCount
    }
    chunks[chunk].seen -= made.seen
    chunks[chunk].shown -= made.shown
    chunks.append(made)
    order.insert(new, at: chunks[chunk].place + 1)
    for place in chunks[chunk].place + 1..<order.count { chunks[order[place]].place = place }
  }

  /// Cuts an item in two.
  ///
  /// - Returns: The second part, or the item itself if `offset` is 0.
  private mutating func split(_ item: Int, at offset: Int) -> Int {
    guard offset > 0 else { return item }
    var tail = items[item]
    tail.number += offset
    tail.count -= offset
    change(item) { $0.count = offset }
    let (place, index) = index(of: item)
    append(tail, at: index + 1, in: order[place])
    return items.count - 1
  }

  /// A place for new scalars.
  enum Place {
    case start
    case before(ScalarID)
    case after(ScalarID)
    case end
  }

  /// Inserts scalars of one author.
  ///
  /// - Parameter continues: Whether each of the scalars, the first one too, is the right child of
  ///   the scalar with the number before it. They may then join its item.
  /// - Returns: The number of scalars of the merged text before them.
  mutating func insert(
    _ scalar: ScalarID, count: Int, at place: Place, continues: Bool
  ) -> Int {
    let new = Item(
      author: scalar.author, number: scalar.number, count: count, insertions: 1, chunk: 0)
    switch place {
    case .start:
      append(new, at: 0, in: order[0])
      return 0
    case .end:
      let chunk = order[order.count - 1]
      let shown = shownCount
      append(new, at: chunks[chunk].items.count, in: chunk)
      return shown
    case .before(let next):
      let (item, offset) = locate(next)
      let after = split(item, at: offset)
      let (place, index) = index(of: after)
      let shown = shownBefore(after)
      append(new, at: index, in: order[place])
      return shown
    case .after(let last):
      let (item, offset) = locate(last)
      if offset + 1 < items[item].count { _ = split(item, at: offset + 1) }
      let shown = shownBefore(item) + items[item].shownCount
      let old = items[item]
      if continues, old.isSeen, old.undone == 0, old.deletions == 0, !old.isDeleted {
        change(item) { $0.count += count }
        return shown
      }
      let (place, index) = index(of: item)
      append(new, at: index + 1, in: order[place])
      return shown
    }
  }

  /// Scalars of one author with consecutive numbers.
  struct Run: Hashable {
    var author: Int
    var number: Int
    var count: Int
  }

  /// Deletes scalars that the author sees.
  ///
  /// - Parameters:
  ///   - count: The number of scalars; the author must see as many from `start` on.
  ///   - start: The number of scalars that the author sees before them.
  ///   - shows: Called with each run, and with the number of scalars before it in the merged text;
  ///     that is nil if another edit has deleted them there.
  mutating func delete(_ count: Int, at start: Int, _ shows: (Run, Int?) -> Void) {
    var left = count
    while left > 0 {
      // What was deleted is no longer seen, so the next ones move to the same place.
      var (item, offset) = find(seen: start + 1)
      item = split(item, at: offset - 1)
      offset = min(left, items[item].count)
      if offset < items[item].count { _ = split(item, at: offset) }
      let run = Run(author: items[item].author, number: items[item].number, count: offset)
      shows(run, items[item].isDeleted ? nil : shownBefore(item))
      change(item) {
        $0.deletions += 1
        $0.isDeleted = true
      }
      left -= offset
    }
  }

  /// Moves the view: the author of the next edit had seen an insertion, or had not.
  mutating func addInsertion(_ run: Run, _ change: Int32) {
    forEachItem(of: run) { list, item in list.change(item) { $0.insertions += change } }
  }

  /// Moves the view: an insertion that the author of the next edit had seen counts no more, or
  /// counts again.
  mutating func addUndone(_ run: Run, _ change: Int32) {
    forEachItem(of: run) { list, item in list.change(item) { $0.undone += change } }
  }

  /// Moves the view: the author of the next edit had seen a deletion, or had not.
  mutating func addDeletion(_ run: Run, _ change: Int32) {
    forEachItem(of: run) { list, item in list.change(item) { $0.deletions += change } }
  }

  private mutating func forEachItem(of run: Run, _ body: (inout Self, Int) -> Void) {
    var number = run.number
    let end = run.number + run.count
    while number < end {
      let (found, offset) = locate(ScalarID(author: run.author, number: number))
      let item = split(found, at: offset)
      if items[item].count > end - number { _ = split(item, at: end - number) }
      body(&self, item)
      number += items[item].count
    }
  }
}
