import DaybookEventCore

/// What a check of one message's ranges, in order, has found. The session stores those to take.
struct MessageCheck {
  /// The ranges to store.
  private(set) var taken: [CheckedRange] = []
  /// The ranges whose events are held once those to take are stored.
  private(set) var accepted: [EventRange] = []
  /// The ranges that brought nothing new, or that belong to another history than the one held, and
  /// those that follow a range of another history.
  private(set) var ofHeld: [EventRange] = []
  private(set) var refusals: [RangeRefusal] = []
  /// The number of events to store.
  var takenCount: UInt64 { taken.reduce(0) { $0 + $1.count } }

  /// Checks the ranges. Reads the storage, and changes nothing.
  ///
  /// Later ranges of a refused origin are skipped. They would be refused as a gap, which says less
  /// than the first reason. After ``SyncProtocol/refusalsMax`` refusals, the other ranges are
  /// refused unchecked.
  ///
  /// - Parameter instead: Returns another reason to refuse a range that its origin has not signed;
  ///   nil if there is none.
  /// - Throws: Any error of the storage.
  init(
    _ ranges: [EventRange], _ storage: any ReplicaStorage, _ knowledge: Knowledge,
    instead: (EventRange) throws -> RangeRefusal? = { _ in nil }
  ) throws {
    guard !ranges.isEmpty else { return }
    var check = RangeCheck(storage, knowledge: knowledge)
    var refused: Set<ReplicaID> = []
    var forked: Set<ReplicaID> = []
    /// The number of ranges that brought nothing new, by origin. Each costs a read of the log.
    var known: [ReplicaID: Int] = [:]
    for range in ranges {
      if refused.contains(range.origin) {
        if forked.contains(range.origin) { ofHeld.append(range) }
        continue
      }
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
        if refusal.code == .fork {
          forked.insert(range.origin)
          ofHeld.append(range)
        }
        refusals.append(
          refusal.code == .badSignature ? try instead(range) ?? refusal : refusal)
      }
    }
  }
}
