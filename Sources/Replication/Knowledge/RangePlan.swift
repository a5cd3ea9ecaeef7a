public import EventCore

/// Which events one replica holds that another lacks, range by range.
public struct RangePlan: Sendable {
  public struct Piece: Hashable, Sendable {
    public var origin: ReplicaID
    public var range: ClosedRange<UInt64>
    /// How far they go on here: beyond `range` the other holds them.
    public var end: UInt64
    /// Whether the other may not be able to tell the chain value before it.
    public var hasGap: Bool
  }

  /// By origin, the one that was asked for first; those beyond a gap after all others. A receiver may be unable to take them, and what it
  /// refuses must not keep it from what it can take: an answer has room for so much only.
  public private(set) var pieces: [Piece] = []

  /// - Parameters:
  ///   - mine: what there is to give.
  ///   - theirs: what the other holds.
  ///   - excluded: origins that are left out: those with two histories.
  ///   - mask: only origins in these buckets.
  ///   - first: the origin that comes before all others: the other replica itself. If that has forgotten what it
  ///     wrote, it has to learn so before it writes anything about the rest.
  public init(
    from mine: Knowledge, to theirs: Knowledge, excluding excluded: Set<ReplicaID> = [],
    mask: UInt64 = .max, takesGaps: Bool = true, first: ReplicaID? = nil
  ) {
    let differing = mine.differing(from: theirs.sums) & mask
    guard differing != 0 else { return }
    var beyondGaps: [Piece] = []
    for (origin, entry) in mine.entries(in: differing) where !excluded.contains(origin) {
      let other = theirs[origin]
      guard other != entry else { continue }
      for run in entry.runs {
        if run.range.lowerBound > 1, !takesGaps { break }
        for missing in other?.missing(in: run.range) ?? [run.range] {
          // What the other holds of the run before this tells it the chain value.
          let held = other?.through ?? 0
          let hasGap = missing.lowerBound > held + 1
          let piece = Piece(
            origin: origin, range: missing, end: run.range.upperBound, hasGap: hasGap)
          if hasGap { beyondGaps.append(piece) } else { pieces.append(piece) }
        }
      }
    }
    if let first {
      pieces = pieces.filter { $0.origin == first } + pieces.filter { $0.origin != first }
    }
    pieces += beyondGaps
  }

  public var isEmpty: Bool { pieces.isEmpty }

  /// Reads ranges as long as they fit so many bytes; at least one, where there is any
  /// and the limit is not 0.
  /// - Returns: the ranges, and whether there are more.
  public func ranges(from storage: any ReplicaStorage, bytes limit: Int) throws
    -> (ranges: [EventRange], hasMore: Bool)
  {
    var ranges: [EventRange] = []
    var bytes = 0
    for piece in pieces {
      var after = piece.range.lowerBound - 1
      while after < piece.range.upperBound {
        if bytes >= limit { return (ranges, true) }
        let hasGap = piece.hasGap && after + 1 == piece.range.lowerBound
        func range(through limit: UInt64) throws -> EventRange? {
          try storage.range(of: piece.origin, after: after, through: limit, hasGap: hasGap)
        }
        // Where no head closes what the other lacks, the next one does, and some is said twice.
        guard
          let range = try range(through: piece.range.upperBound) ?? range(through: piece.end)
        else { break }
        if !ranges.isEmpty, bytes + range.size > limit { return (ranges, true) }
        ranges.append(range)
        bytes += range.size
        after = range.last
      }
    }
    return (ranges, false)
  }
}
