internal import EventCore

/// Judges the ranges of one message, in order, and stores what is taken.
struct MessageCheck {
  /// What is held now, by this message or from before.
  private(set) var accepted: [EventRange] = []
  /// Those that told nothing new, or are of another history than the one held.
  private(set) var ofHeld: [EventRange] = []
  private(set) var refusals: [RangeRefusal] = []
  /// Events that were stored.
  private(set) var stored: UInt64 = 0

  /// What follows a refused range of its origin would be a gap, which says less than the first reason, and is left
  /// out. After ``SyncProtocol/refusalsMax`` refusals, the rest is refused without a look.
  ///
  /// - Parameter instead: given a range that its origin has not signed, another reason to refuse it.
  /// - Throws: what the storage throws. Nothing was stored then.
  init(
    _ ranges: [EventRange], _ storage: any ReplicaStorage, _ knowledge: Knowledge,
    instead: (EventRange) throws -> RangeRefusal? = { _ in nil }
  ) throws {
    guard !ranges.isEmpty else { return }
    var check = RangeCheck(storage, knowledge: knowledge)
    var taken: [CheckedRange] = []
    var refused: Set<ReplicaID> = []
    /// By origin, ranges that told nothing new: each costs a look at the log.
    var known: [ReplicaID: Int] = [:]
    for range in ranges where !refused.contains(range.origin) {
      let isTooMuch =
        refusals.count >= SyncProtocol.refusalsMax
        || known[range.origin, default: 0] >= SyncProtocol.knownMax
      let verdict =
        isTooMuch
        ? .refuse(RangeRefusal(.tooMuch, EventID(range.origin, range.first)))
        : try check.judge(range)
      switch verdict {
      case .take(let checked):
        taken.append(checked)
        accepted.append(range)
      case .known:
        known[range.origin, default: 0] += 1
        accepted.append(range)
        ofHeld.append(range)
      case .refuse(let refusal):
        refused.insert(range.origin)
        if refusal.code == .fork { ofHeld.append(range) }
        refusals.append(
          refusal.code == .badSignature ? try instead(range) ?? refusal : refusal)
      }
    }
    if !taken.isEmpty { try storage.store(taken) }
    stored = taken.reduce(0) { $0 + $1.count }
  }
}
