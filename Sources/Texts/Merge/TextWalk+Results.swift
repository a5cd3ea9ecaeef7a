import DaybookEventCore

/// What a walk has made of the edits.
extension TextWalk {
  func result() -> MergedText { MergedText(spans: output, unfit: unfit) }

  /// The edits that changed nothing, toggles excepted.
  func unfitEdits() -> [TextMerge.EditID] {
    unfit.filter { merge.edits[$0.author][$0.index].toggle == nil }
  }

  /// The parts of the text, those that were deleted included; after a run that keeps the list.
  func parts() -> [TextPart] {
    guard let list else { return [] }
    let owners = done.count + 1 + (sharedTexts?.count ?? 0)
    var deleters: [[(run: ScalarList.Run, edit: TextMerge.EditID)]] = Array(
      repeating: [], count: owners)
    /// By author, its edits by the number of the first scalar that each has inserted. Of shared
    /// scalars, the edits that have inserted each run.
    var insertions: [[(number: Int, insertion: TextPart.Insertion)]] = Array(
      repeating: [], count: owners)
    for author in done.indices {
      for (index, effect) in effects[author].enumerated() {
        let edit = TextMerge.EditID(author: author, index: index)
        for run in effect.deleted { deleters[run.author].append((run, edit)) }
        var offset = 0
        effect.forEachInserted { run in
          insertions[run.author].append((run.number, .init(edit: edit, offset: offset)))
          offset += run.count
        }
      }
    }
    for author in deleters.indices {
      deleters[author].sort { $0.run.number < $1.run.number }
      // Those of authors are ascending. The sort keeps edits of one run in their order.
      if author > done.count { insertions[author].sort { $0.number < $1.number } }
    }
    return list.ordered.flatMap { item in
      split(item, insertions[item.author])
        .flatMap { withDeleters($0, deleters[item.author]) }
    }
  }

  /// Cuts an item where an insertion of its author ends.
  private func split(
    _ item: ScalarList.Item, _ insertions: [(number: Int, insertion: TextPart.Insertion)]
  ) -> [(run: ScalarList.Run, insertions: [TextPart.Insertion], first: Int)] {
    let end = item.number + item.count
    guard item.author != done.count else {
      return [(.init(author: item.author, number: item.number, count: item.count), [], 0)]
    }
    var parts: [(run: ScalarList.Run, insertions: [TextPart.Insertion], first: Int)] = []
    var number = item.number
    var next = insertions.indices.partitioningIndex { insertions[$0].number > number }
    while number < end, next > 0 {
      let first = insertions[next - 1].number
      let start = insertions[..<next].lastIndex { $0.number != first }.map { $0 + 1 } ?? 0
      let through = next < insertions.count ? min(insertions[next].number, end) : end
      parts.append(
        (
          .init(author: item.author, number: number, count: through - number),
          insertions[start..<next].map(\.insertion), first
        ))
      number = through
      while next < insertions.count, insertions[next].number <= number { next += 1 }
    }
    return parts
  }

  private func withDeleters(
    _ part: (run: ScalarList.Run, insertions: [TextPart.Insertion], first: Int),
    _ deleters: [(run: ScalarList.Run, edit: TextMerge.EditID)]
  ) -> [TextPart] {
    let end = part.run.number + part.run.count
    let over = deleters.filter {
      $0.run.number < end && $0.run.number + $0.run.count > part.run.number
    }
    // An item has one number of deletions, but not necessarily the same ones all over.
    var cuts: Set<Int> = [part.run.number, end]
    for deleter in over {
      for cut in [deleter.run.number, deleter.run.number + deleter.run.count]
      where cut > part.run.number && cut < end { cuts.insert(cut) }
    }
    let sorted = cuts.sorted()
    return zip(sorted, sorted.dropFirst()).map { from, through in
      TextPart(
        insertions: part.insertions.map {
          .init(edit: $0.edit, offset: $0.offset + from - part.first)
        }, baseOffset: from, count: through - from,
        deletedBy:
          over
          .filter { $0.run.number <= from && $0.run.number + $0.run.count >= through }
          .map(\.edit))
    }
  }
}
