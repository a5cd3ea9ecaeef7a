import DaybookEventCore

/// The newest deletions before a place, as one pass over the deleted entities has found them.
///
/// Internal tables keep deleted entities by collection and id, not by time. So a list of them needs
/// such a pass, and a list that is read to its end goes on from what an earlier pass has found.
package struct DeletedScan: Sendable {
  /// The most deletions that a pass keeps.
  package static let keptMax = 32_768

  /// The place before which the deletions are; nil for the newest.
  private let start: Deletion.Place?
  /// Descending.
  let deletions: [Deletion]
  /// Whether there are no others before ``start``.
  let isComplete: Bool

  init(_ candidates: NewestDeletions) {
    start = candidates.start
    (deletions, isComplete) = candidates.finish()
  }

  /// Returns the deletions before a place; nil if the scan does not reach them.
  func deletions(before place: Deletion.Place?) -> ArraySlice<Deletion>? {
    guard let place else { return start == nil ? deletions[...] : nil }
    if let start, start < place { return nil }
    var (low, high) = (0, deletions.count)
    while low < high {
      let middle = (low + high) / 2
      if deletions[middle].place < place { high = middle } else { low = middle + 1 }
    }
    return low < deletions.count || isComplete ? deletions[low...] : nil
  }
}

/// The newest of the deletions that are added, in memory that does not grow with their number.
struct NewestDeletions {
  let start: Deletion.Place?
  private let countMax: Int
  private var kept: [Deletion] = []
  private var hasDropped = false

  init(before start: Deletion.Place?, countMax: Int) {
    self.start = start
    self.countMax = max(1, countMax)
  }

  mutating func add(_ deletion: Deletion) {
    if let start, deletion.place >= start { return }
    kept.append(deletion)
    if kept.count >= 2 * countMax { shrink() }
  }

  private mutating func shrink() {
    kept.sort(by: >)
    guard kept.count > countMax else { return }
    kept.removeLast(kept.count - countMax)
    hasDropped = true
  }

  /// Returns the newest deletions, descending, and whether these are all.
  func finish() -> (deletions: [Deletion], isAll: Bool) {
    var rest = self
    rest.shrink()
    return (rest.kept, !rest.hasDropped)
  }
}
