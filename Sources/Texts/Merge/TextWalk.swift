/// One pass over the edits of a merge, in an order in which each comes after those that its author
/// had seen.
struct TextWalk {
  /// What an edit did to the list.
  struct Effect {
    var author: Int
    /// The numbers of its author's scalars.
    var inserted: Range<Int>
    /// All runs of an edit that was made by comparison, in the order of its script: shared ones,
    /// and those of `inserted`.
    var runs: [ScalarList.Run] = []
    var deleted: [ScalarList.Run] = []

    var own: ScalarList.Run {
      .init(author: author, number: inserted.lowerBound, count: inserted.count)
    }

    /// Calls `body` with each run that the edit has inserted.
    func forEachInserted(_ body: (ScalarList.Run) -> Void) {
      if !runs.isEmpty { return runs.forEach(body) }
      if !inserted.isEmpty { body(own) }
    }
  }

  let merge: TextMerge
  private var views: TextViews
  /// By author, the number of edits that were passed.
  var done: [Int]
  /// By author, the number of edits that are passed before the others.
  private let known: [Int]
  /// By author, those that wait until it has done a number of edits.
  private var waiting: [[(count: Int, author: Int)]]
  private var ready: [Int] = []
  var output: SpanList
  var unfit: [TextMerge.EditID] = []
  private var isPassingKnown = false
  /// The scalars of the list that stand for none of the text, because the length that the text had
  /// when the list begins is not known. No edit can reach them.
  var beyondEnd = 0

  // The list, and how far it goes back; nil if all have seen the text as it is.
  var list: ScalarList?
  var tree = ScalarTree(authorCount: 0, baseCount: 0, sharedCount: 0)
  /// The different texts that edits made by comparison insert, as ranges of the merge's scripts,
  /// ascending by their bytes; made when the first list is.
  var sharedTexts: [Range<Int>]?
  var effects: [[Effect]] = []
  /// By author, the number of edits that all have seen.
  var common: [Int]
  /// By author, the number of edits in the view of the list.
  var shown: [Int]
  /// By edit, the ranks of the toggles in the view of the list that name it, ascending.
  var toggled: [TextMerge.EditID: [Int]] = [:]
  /// By toggle, the edits that it names.
  private let targets: [[TextMerge.EditID]]
  /// By rank, whether a toggle makes its edits count no more.
  private let undoes: [Int: Bool]
  /// The author whose view the list shows, unless it has seen more since.
  private var viewer: Int?
  /// Whether the list is kept to the end, for ``parts()``.
  var keepsAll = false
  /// Whether the views of all authors are closed; see ``TextViews/areClosed``.
  ///
  /// If not, a scalar may be seen without the one that it was inserted behind, and its place
  /// depends on scalars that all have seen and that are deleted. Then the list goes back to the
  /// base, and no text in between stands for it.
  let isClosed: Bool

  /// The length of a base that is not known.
  private static let unknownLength = 1 << 40

  init<E: Error>(
    _ merge: TextMerge, length: Int, known: [Int]? = nil,
    sights: (_ author: Int, _ other: Int) throws(E) -> [TextMerge.Sight]
  ) throws(E) {
    let authors = merge.edits.count
    self.merge = merge
    targets = merge.toggles.indices.map(merge.targets)
    undoes = Dictionary(merge.toggles.map { ($0.rank, $0.isUndone) }) { first, _ in first }
    self.known = known ?? Array(repeating: 0, count: authors)
    done = Array(repeating: 0, count: authors)
    common = done
    shown = done
    waiting = Array(repeating: [], count: authors)
    output = SpanList(length: length)
    views = try TextViews(merge, sights: sights)
    isClosed = views.areClosed
    for author in 0..<authors { _ = views.advance(author, to: 0) }
  }

  // MARK: - The order of the walk

  /// Passes the edits that the text has already, without changing the text.
  ///
  /// - Returns: Whether they fit a text of that length.
  mutating func runKnown() -> Bool {
    isPassingKnown = true
    open(baseCount: Self.unknownLength)
    walk(through: known)
    isPassingKnown = false
    guard unfit.isEmpty, done == known, let list else { return false }
    beyondEnd = list.shownCount - output.length
    return beyondEnd >= 0
  }

  /// Passes all other edits.
  mutating func run() {
    if keepsAll || !isClosed, list == nil { open(baseCount: output.length) }
    walk(through: merge.edits.map(\.count))
    for author in merge.edits.indices {
      for index in done[author]..<merge.edits[author].count {
        unfit.append(.init(author: author, index: index))
      }
    }
  }

  private mutating func walk(through limits: [Int]) {
    for author in merge.edits.indices.reversed() where done[author] < limits[author] {
      ready.append(author)
    }
    while let author = ready.popLast() {
      // An author goes on as long as it can, so that the view changes rarely.
      while done[author] < limits[author] {
        if let missing = views.first(of: author, where: { $0.count > done[$0.author] }) {
          waiting[missing.author].append((missing.count, author))
          break
        }
        pass(author)
        let count = done[author]
        guard !waiting[author].isEmpty else { continue }
        ready += waiting[author].filter { $0.count <= count }.map(\.author)
        waiting[author].removeAll { $0.count <= count }
      }
    }
  }

  private mutating func pass(_ author: Int) {
    let index = done[author]
    let edit = merge.edits[author][index]
    if let toggle = edit.toggle {
      move(to: author)
      setSeen(toggle: toggle, true)
      shown[author] += 1
      return finishPass(author)
    }
    let isFit = merge.scripts.withUnsafeBytes { bytes in
      let script = UnsafeRawBufferPointer(rebasing: bytes[edit.script])
      if list == nil, isSeenByAll(author, index) { return output.patch(script) }
      if list == nil { open(baseCount: output.length) }
      move(to: author)
      return apply(script, author, isComparison: edit.isComparison, bytes)
    }
    if !isFit { unfit.append(.init(author: author, index: index)) }
    if list == nil {
      common[author] += 1
      shown[author] += 1
    } else {
      let last = effects[author].count - 1
      let start = effects[author][last].inserted.lowerBound
      effects[author][last].inserted = start..<tree.counts[author]
      shown[author] += 1
      // An author may claim to have seen what takes its edit back before it wrote it.
      let id = TextMerge.EditID(author: author, index: index)
      if isUndone(id) { flip(effects[author][last], isUndone: true) }
    }
    finishPass(author)
  }

  private mutating func finishPass(_ author: Int) {
    done[author] += 1
    if views.advance(author, to: done[author]), viewer == author { viewer = nil }
    closeIfSeenByAll()
  }

  // MARK: - What all have seen

  /// Returns whether the authors of all edits still to come had seen an edit.
  private func isSeenByAll(_ author: Int, _ index: Int) -> Bool {
    merge.edits.indices.allSatisfy { other in
      other == author || done[other] == merge.edits[other].count
        || views.count(of: author, seenBy: other) > index
    }
  }

  /// Forgets the list if the authors of all edits still to come had seen the text as it is.
  private mutating func closeIfSeenByAll() {
    guard list != nil, !keepsAll, isClosed, !isPassingKnown else { return }
    for author in merge.edits.indices where done[author] < merge.edits[author].count {
      for other in merge.edits.indices where other != author && done[other] > common[other] {
        if views.count(of: other, seenBy: author) < done[other] { return }
      }
    }
    list = nil
    beyondEnd = 0
    effects = []
    common = done
    shown = done
    viewer = nil
  }

  private mutating func open(baseCount: Int) {
    let shared = sharedTexts ?? SharedTexts.ranges(of: merge)
    sharedTexts = shared
    list = ScalarList(
      authorCount: done.count, baseCount: baseCount, sharedCount: shared.count)
    tree = ScalarTree(
      authorCount: done.count, baseCount: baseCount, sharedCount: shared.count)
    effects = Array(repeating: [], count: done.count)
    common = done
    shown = done
    viewer = nil
  }

  // MARK: - Views

  /// Moves the list to what the author of an author's next edit had seen.
  private mutating func move(to author: Int) {
    effects[author].append(
      Effect(author: author, inserted: tree.counts[author]..<tree.counts[author]))
    guard viewer != author else { return }
    for other in done.indices {
      let target =
        other == author ? done[other] : max(common[other], views.count(of: other, seenBy: author))
      while shown[other] > target {
        shown[other] -= 1
        setSeen(other, shown[other], false)
      }
      while shown[other] < target {
        setSeen(other, shown[other], true)
        shown[other] += 1
      }
    }
    viewer = author
  }

  private mutating func setSeen(_ author: Int, _ index: Int, _ isSeen: Bool) {
    if let toggle = merge.edits[author][index].toggle { return setSeen(toggle: toggle, isSeen) }
    let effect = effects[author][index - common[author]]
    // What counts is worked out while the list has the edit in its view.
    let isUndone = isUndone(.init(author: author, index: index))
    if isUndone, !isSeen { flip(effect, isUndone: false) }
    defer { if isUndone, isSeen { flip(effect, isUndone: true) } }
    effect.forEachInserted { list?.addInsertion($0, isSeen ? 1 : -1) }
    for run in effect.deleted { list?.addDeletion(run, isSeen ? 1 : -1) }
  }

  // MARK: - Edits that do not count

  private func isUndone(_ edit: TextMerge.EditID) -> Bool {
    guard !toggled.isEmpty, let rank = toggled[edit]?.last else { return false }
    return undoes[rank] ?? false
  }

  /// Moves the view: the author of the next edit had seen a toggle, or had not.
  private mutating func setSeen(toggle: Int, _ isSeen: Bool) {
    let rank = merge.toggles[toggle].rank
    for edit in targets[toggle] {
      let wasUndone = isUndone(edit)
      var ranks = toggled[edit] ?? []
      let place = ranks.indices.partitioningIndex { ranks[$0] >= rank }
      if isSeen { ranks.insert(rank, at: place) } else { ranks.remove(at: place) }
      toggled[edit] = ranks.isEmpty ? nil : ranks
      let isUndone = isUndone(edit)
      if isUndone != wasUndone, edit.index < shown[edit.author] {
        flip(effects[edit.author][edit.index], isUndone: isUndone)
      }
    }
  }

  /// Takes an edit out of the view, or puts it back: its insertions count no more, and what it
  /// deleted is deleted once less.
  private mutating func flip(_ effect: Effect, isUndone: Bool) {
    effect.forEachInserted { list?.addUndone($0, isUndone ? 1 : -1) }
    for run in effect.deleted { list?.addDeletion(run, isUndone ? -1 : 1) }
  }

  // MARK: - Edits

  /// An insertion, and the scalars that its author saw beside it.
  private struct Insertion {
    var text: UnsafeRawBufferPointer
    var scalars: Int
    var left: ScalarID?
    var right: ScalarID?
  }

  /// Applies an edit to the list, which shows what its author had seen, and to the text.
  ///
  /// - Parameters:
  ///   - script: The edit's script.
  ///   - author: The edit's author.
  ///   - isComparison: Whether the edit was made by comparison.
  ///   - scripts: All scripts of the merge.
  /// - Returns: Whether the script fits what the author had seen.
  private mutating func apply(
    _ script: UnsafeRawBufferPointer, _ author: Int, isComparison: Bool,
    _ scripts: UnsafeRawBufferPointer
  ) -> Bool {
    guard var list, TextScript.lengthNeeded(script) <= list.seenCount - beyondEnd
    else { return false }
    self.list = nil
    defer { self.list = list }
    // All places are those before the edit. An author who claims to have seen an insertion, and not
    // the ones before it, may see what it inserts elsewhere than it said.
    var insertions: [Insertion] = []
    var deletions: [(at: Int, count: Int)] = []
    var steps = TextScript.RawSteps(script)
    var at = 0
    while let step = steps.next() {
      switch step {
      case .retain(let count): at += count
      case .delete(let count):
        deletions.append((at, count))
        at += count
      case .insert(let text, let scalars):
        let (left, right) = neighbors(at, in: list)
        insertions.append(Insertion(text: text, scalars: scalars, left: left, right: right))
      }
    }
    var runs: [ScalarList.Run] = []
    for deletion in deletions.reversed() {
      list.delete(deletion.count, at: deletion.at) { run, shown in
        runs.append(run)
        if let shown, !isPassingKnown { output.delete(run.count, at: shown) }
      }
    }
    effects[author][effects[author].count - 1].deleted = runs
    for insertion in insertions {
      let shared =
        isComparison
        ? sharedTexts.map {
          done.count + 1 + SharedTexts.index(of: insertion.text, in: $0, scripts)
        } : nil
      let inserted = tree.insert(
        author: author, shared: shared, count: insertion.scalars, after: insertion.left,
        before: insertion.right, in: list)
      let run = ScalarList.Run(
        author: inserted.scalar.author, number: inserted.scalar.number, count: insertion.scalars)
      if isComparison { effects[author][effects[author].count - 1].runs.append(run) }
      guard let place = inserted.place else {
        // The text has them, or what deletes them.
        list.addInsertion(run, 1)
        continue
      }
      let shown = list.insert(
        inserted.scalar, count: insertion.scalars, at: place, continues: inserted.continues)
      if !isPassingKnown {
        output.insert(insertion.text, scalars: insertion.scalars, at: shown)
      }
    }
    return true
  }

  /// The scalar before a place in the author's text, and the one that follows it in the list of all
  /// that the author had seen, deleted ones included.
  private func neighbors(_ position: Int, in list: ScalarList) -> (ScalarID?, ScalarID?) {
    guard position > 0 else { return (nil, list.nextSeen(after: nil).map { list.items[$0].first }) }
    let (item, offset) = list.find(seen: position)
    let found = list.items[item]
    let left = ScalarID(author: found.author, number: found.number + offset - 1)
    if offset < found.count {
      return (left, ScalarID(author: found.author, number: left.number + 1))
    }
    return (left, list.nextSeen(after: item).map { list.items[$0].first })
  }
}

extension ScalarList.Item {
  var first: ScalarID { ScalarID(author: author, number: number) }
}
