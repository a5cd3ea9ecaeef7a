internal import EventCore

/// The search for origins of which another replica holds another branch.
package struct ForkSearch {
  private let mine: Knowledge
  private let storage: any ReplicaStorage

  package init(mine: Knowledge, _ storage: any ReplicaStorage) {
    self.mine = mine
    self.storage = storage
  }

  /// Returns a refusal for each origin of which the other replica holds another branch.
  ///
  /// Compares the chain values at the end of the other's prefix of an origin, if that event is held
  /// here too, even beyond a gap.
  ///
  /// Cost: one read for each origin of which this replica holds the event at the end of the other's
  /// prefix, and more; nothing for equal entries.
  /// - Throws: Any error of the storage.
  package func forks(in theirs: Knowledge, mask: UInt64 = .max) throws -> [RangeRefusal] {
    let differing = mine.differing(from: theirs.sums) & mask
    guard differing != 0 else { return [] }
    var forks: [RangeRefusal] = []
    for (origin, entry) in theirs.entries(in: differing) {
      guard let tag = entry.tag, let own = mine[origin], own != entry,
        own.holds(entry.through)
      else { continue }
      let event = EventID(origin, entry.through)
      let held = own.through == entry.through ? own.tag : try chainTag(after: event)
      if let held, held != tag { forks.append(RangeRefusal(.fork, event, tag: held)) }
    }
    return forks
  }

  private func chainTag(after event: EventID) throws -> ChainTag? {
    try storage.chain(after: event).map(ChainTag.init)
  }
}
