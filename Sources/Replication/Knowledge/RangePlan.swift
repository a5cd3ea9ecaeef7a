package import DaybookEventCore

/// The ranges of events that one replica holds and another lacks.
package struct RangePlan: Sendable {
  package struct Piece: Hashable, Sendable {
    package var origin: ReplicaID
    package var range: ClosedRange<UInt64>
    /// The end of the run held here. The other replica holds the events between `range` and it.
    package var end: UInt64
    /// Whether the other replica may not know the chain value before the range.
    package var hasGap: Bool
  }

  /// The ranges by origin: the origin asked for first leads, and ranges beyond a gap come last.
  ///
  /// A receiver may refuse ranges beyond a gap. As a message has limited room, these must not
  /// displace the ranges that it can take.
  package private(set) var pieces: [Piece] = []

  /// Plans the ranges that the other replica lacks.
  /// - Parameters:
  ///   - mine: What this replica can give.
  ///   - theirs: What the other replica holds.
  ///   - excluded: Origins to leave out, because they have two histories.
  ///   - mask: The buckets of the origins to include, one bit for each.
  ///   - takesGaps: Whether to include ranges beyond a gap of this replica.
  ///   - first: The origin to put first: the other replica itself. If that replica has forgotten
  ///     events that it wrote, it must learn them before it writes anything about the others.
  package init(
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
          // The other replica knows the chain value if it holds the run up to this point.
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

  package var isEmpty: Bool { pieces.isEmpty }

  /// The size below which no range is made shorter. Each has a signature of its own.
  private static let partBytes = 4 << 10

  /// Reads ranges while they fit into a number of bytes: at least one range, if there is any and
  /// the limit is not 0. If the first is larger, it is made shorter, unless its events were signed
  /// elsewhere.
  /// - Parameters:
  ///   - storage: The replica that holds the ranges.
  ///   - limit: The most bytes on the wire.
  /// - Returns: The ranges, and whether there are more.
  package func ranges(from storage: any ReplicaStorage, bytes limit: Int) throws
    -> (ranges: [EventRange], hasMore: Bool)
  {
    var ranges: [EventRange] = []
    var bytes = 0
    for piece in pieces {
      var after = piece.range.lowerBound - 1
      while after < piece.range.upperBound {
        if bytes >= limit { return (ranges, true) }
        let hasGap = piece.hasGap && after + 1 == piece.range.lowerBound
        func read(through limit: UInt64) throws -> EventRange? {
          try storage.range(of: piece.origin, after: after, through: limit, hasGap: hasGap)
        }
        // If no head closes the missing range, use the next head, and repeat some events.
        guard
          var range = try read(through: piece.range.upperBound) ?? read(through: piece.end)
        else { break }
        let room = max(limit, Self.partBytes)
        if ranges.isEmpty, range.size > room, range.count > 1 {
          let part = max(1, UInt64(range.count) * UInt64(room) / UInt64(range.size))
          if let shorter = try read(through: after + part) { range = shorter }
        }
        if !ranges.isEmpty, bytes + range.size > limit { return (ranges, true) }
        ranges.append(range)
        bytes += range.size
        after = range.last
      }
    }
    return (ranges, false)
  }
}
