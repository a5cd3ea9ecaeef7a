import DaybookEventCore

/// Searches for origins with one branch here and another at the other replica.
package struct ForkSearch {
  private let mine: Knowledge
  private let storage: any ReplicaStorage

  package init(mine: Knowledge, _ storage: any ReplicaStorage) {
    self.mine = mine
    self.storage = storage
  }

  /// The most reads for runs of the other replica that lie beyond a gap. Further runs are compared
  /// when their gaps are filled.
  private static let readsBeyondGaps = 1024

  /// Returns a refusal for each origin of which the other replica holds another branch.
  ///
  /// Compares the chain values at the end of each run that the other replica holds, if that event
  /// is held here too. So a gap hides no branch, neither a gap of the other replica nor one here: a
  /// chain value depends on all events before it, including those that are missing.
  ///
  /// Cost: one read for each run that ends within a run held here. Of these, at most 1,024 reads
  /// are for runs beyond gaps of the other replica. Nothing for equal entries.
  /// - Throws: Any error of the storage.
  package func forks(in theirs: Knowledge, mask: UInt64 = .max) throws -> [RangeRefusal] {
    let differing = mine.differing(from: theirs.sums) & mask
    guard differing != 0 else { return [] }
    var forks: [RangeRefusal] = []
    var reads = Self.readsBeyondGaps
    for (origin, entry) in theirs.entries(in: differing) {
      guard let own = mine[origin], own != entry else { continue }
      for run in entry.runs {
        let event = EventID(origin, run.range.upperBound)
        guard let ours = own.run(with: event.sequence) else { continue }
        var held: ChainTag? = ours.tag
        if ours.range.upperBound != event.sequence {
          if run.range.lowerBound > 1 {
            guard reads > 0 else { break }
            reads -= 1
          }
          held = try chainTag(after: event)
        }
        guard let held, held != run.tag else { continue }
        forks.append(RangeRefusal(.fork, event, tag: held))
        break
      }
    }
    return forks
  }

  private func chainTag(after event: EventID) throws -> ChainTag? {
    try storage.chain(after: event).map(ChainTag.init)
  }
}
