package import DaybookEventCore

/// What a replica holds of each origin, and on which branch: its version vector with chain values,
/// and the ranges beyond gaps.
///
/// Two replicas that hold the same events have equal digests. They find the origins in which they
/// differ by comparing 64 buckets. Digests and buckets are kept up to date.
///
/// Cost: a change costs two hashes, regardless of the number of origins.
package struct Knowledge: Hashable, Sendable {
  /// Consecutive events of one origin.
  package struct Run: Hashable, Sendable {
    /// The sequences of the events, within 1 …< `Int64.max`.
    package var range: ClosedRange<UInt64>
    /// The tag of the chain value after the last event.
    package var tag: ChainTag

    package init(_ range: ClosedRange<UInt64>, _ tag: ChainTag) {
      self.range = range
      self.tag = tag
    }
  }

  /// The runs held of one origin: disjoint, not adjacent, ascending, and at least one.
  package struct Entry: Hashable, Sendable {
    package private(set) var runs: [Run]

    package init(_ run: Run) { runs = [run] }

    /// Creates an entry of runs; nil if they are not valid.
    /// - Parameter runs: Disjoint, not adjacent, ascending runs, at least one. Otherwise the result
    ///   is nil.
    init?(_ runs: [Run]) {
      guard !runs.isEmpty,
        zip(runs, runs.dropFirst()).allSatisfy({
          $0.range.upperBound + 1 < $1.range.lowerBound
        })
      else { return nil }
      self.runs = runs
    }

    /// The highest sequence up to which no event is missing; 0 if the first is missing.
    package var through: UInt64 {
      runs[0].range.lowerBound == 1 ? runs[0].range.upperBound : 0
    }

    /// The tag of the chain value after ``through``; nil if that is 0.
    package var tag: ChainTag? { runs[0].range.lowerBound == 1 ? runs[0].tag : nil }

    /// The runs beyond the first gap.
    package var beyond: ArraySlice<Run> {
      runs[0].range.lowerBound == 1 ? runs.dropFirst() : runs[...]
    }

    /// The sequences of all runs, without their tags.
    package var sequences: SequenceRanges {
      var sequences = SequenceRanges()
      for run in runs { sequences.insert(run.range) }
      return sequences
    }

    package var highest: UInt64 { runs[runs.count - 1].range.upperBound }

    /// Returns whether an event is held, even beyond a gap.
    func holds(_ sequence: UInt64) -> Bool { run(with: sequence) != nil }

    /// Returns the run that holds an event, even beyond a gap; nil if the event is not held.
    ///
    /// Cost: a binary search among the runs.
    func run(with sequence: UInt64) -> Run? {
      var (low, high) = (0, runs.count)
      while low < high {
        let middle = low + (high - low) / 2
        if runs[middle].range.upperBound < sequence { low = middle + 1 } else { high = middle }
      }
      return low < runs.count && runs[low].range.contains(sequence) ? runs[low] : nil
    }

    /// Adds a run, and joins runs that overlap or are adjacent. A joined run keeps the tag of the
    /// later end.
    package mutating func insert(_ run: Run) {
      var joined = run
      var rest: [Run] = []
      for old in runs {
        if old.range.upperBound + 1 < joined.range.lowerBound
          || joined.range.upperBound + 1 < old.range.lowerBound
        {
          rest.append(old)
          continue
        }
        let ends = old.range.upperBound > joined.range.upperBound ? old : joined
        joined = Run(
          min(old.range.lowerBound, joined.range.lowerBound)...ends.range.upperBound, ends.tag)
      }
      let place = rest.firstIndex { $0.range.lowerBound > joined.range.lowerBound } ?? rest.count
      rest.insert(joined, at: place)
      runs = rest
    }

    /// Returns the parts of `range` that are not held.
    package func missing(in range: ClosedRange<UInt64>) -> [ClosedRange<UInt64>] {
      var known = SequenceRanges()
      for run in runs { known.insert(run.range) }
      return known.missing(in: range)
    }
  }

  package private(set) var entries: [ReplicaID: Entry] = [:]
  /// The sum of the entries' hashes in each bucket.
  package private(set) var sums = Array(repeating: UInt64(0), count: Knowledge.bucketCount)

  /// The number of runs of all origins.
  private(set) var runCount = 0

  /// The number of buckets. An origin's first six bits select its bucket.
  package static let bucketCount = 64

  package init() {}

  package init(_ entries: some Sequence<(ReplicaID, Entry)>) {
    for (origin, entry) in entries { self[origin] = entry }
  }

  package subscript(origin: ReplicaID) -> Entry? {
    get { entries[origin] }
    set {
      let bucket = Self.bucket(of: origin)
      if let old = entries[origin] { sums[bucket] &-= Self.hash(origin, old) }
      if let new = newValue { sums[bucket] &+= Self.hash(origin, new) }
      runCount += (newValue?.runs.count ?? 0) - (entries[origin]?.runs.count ?? 0)
      entries[origin] = newValue
    }
  }

  package mutating func insert(_ run: Run, of origin: ReplicaID) {
    guard var entry = self[origin] else {
      self[origin] = Entry(run)
      return
    }
    entry.insert(run)
    self[origin] = entry
  }

  package mutating func formUnion(_ other: Knowledge) {
    for (origin, entry) in other.entries { for run in entry.runs { insert(run, of: origin) } }
  }

  package var isEmpty: Bool { entries.isEmpty }
  package var count: Int { entries.count }

  /// The version vector: the end of each origin's contiguous prefix.
  package var vector: VersionVector { VersionVector(entries.map { ($0.key, $0.value.through) }) }

  // MARK: - Buckets

  package static func bucket(of origin: ReplicaID) -> Int { Int(origin.high >> 58) }

  /// The digest of everything held, 16 bytes. It finds differences and proves nothing; signatures
  /// do.
  package var digest: KnowledgeDigest { KnowledgeDigest(sums: sums) }

  /// Returns the buckets in which this and another replica's knowledge differ, one bit for each.
  /// - Parameter other: The other's ``sums``.
  package func differing(from other: [UInt64]) -> UInt64 {
    var mask: UInt64 = 0
    for (bucket, sum) in sums.enumerated() where sum != other[bucket] { mask |= 1 << bucket }
    return mask
  }

  /// Returns the entries in the buckets of `mask`, sorted by origin.
  package func entries(in mask: UInt64) -> [(origin: ReplicaID, entry: Entry)] {
    entries.filter { mask >> Self.bucket(of: $0.key) & 1 == 1 }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
  }

  /// Replaces the entries in the buckets of `mask` with those that another replica reports.
  package mutating func replace(
    _ mask: UInt64, with other: some Sequence<(origin: ReplicaID, entry: Entry)>
  ) {
    for (origin, _) in entries(in: mask) { self[origin] = nil }
    for (origin, entry) in other where mask >> Self.bucket(of: origin) & 1 == 1 {
      self[origin] = entry
    }
  }

  private static func hash(_ origin: ReplicaID, _ entry: Entry) -> UInt64 {
    var writer = ByteWriter(capacity: 48)
    writer.replicaID(origin)
    entry.encode(to: &writer)
    return Hash256.sha256(of: writer.bytes).withBytes {
      UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
    }
  }
}

extension Knowledge.Entry {
  /// Encodes the entry.
  ///
  /// ```
  /// varint (through << 1 | has more) · [16 tag, if through > 0]
  /// [varint n · n × (varint gap · varint length − 1 · 16 tag)]
  /// ```
  /// A gap is the number of events missing before the run. At most ``SyncProtocol/runsMax`` runs
  /// are encoded.
  func encode(to writer: inout ByteWriter) {
    let beyond = beyond
    writer.varint(through << 1 | (beyond.isEmpty ? 0 : 1))
    tag?.encode(to: &writer)
    guard !beyond.isEmpty else { return }
    let told = beyond.prefix(SyncProtocol.runsMax)
    writer.varint(told.count)
    var end = through
    for run in told {
      writer.varint(run.range.lowerBound - end - 1)
      writer.varint(run.range.upperBound - run.range.lowerBound)
      run.tag.encode(to: &writer)
      end = run.range.upperBound
    }
  }

  init(from reader: inout ByteReader) throws(EventError) {
    let start = reader.offset
    func fail(_ what: String) -> EventError { EventError(.malformed, what, offset: start) }
    let first = try reader.varint()
    let through = first >> 1
    guard through < UInt64(Int64.max) else { throw fail("a sequence over what there can be") }
    var runs: [Knowledge.Run] = []
    if through > 0 { runs.append(.init(1...through, try ChainTag(from: &reader))) }
    if first & 1 == 1 {
      var end = through
      let count = try reader.count()
      guard count <= SyncProtocol.runsMax else {
        throw EventError(.tooLarge, "an origin that is held in \(count) runs", offset: start)
      }
      for _ in 0..<count {
        let gap = try reader.varint()
        let length = try reader.varint()
        let limit = UInt64(Int64.max) - 2
        guard gap > 0, gap < limit, length < limit, end < limit, end + gap < limit,
          end + gap + 1 + length < limit
        else { throw fail("a range over what there can be") }
        let lower = end + gap + 1
        runs.append(.init(lower...lower + length, try ChainTag(from: &reader)))
        end = lower + length
      }
      guard runs.count > (through > 0 ? 1 : 0) else { throw fail("no ranges beyond a gap") }
    }
    guard let entry = Knowledge.Entry(runs) else {
      throw fail("an origin of which nothing is held")
    }
    self = entry
  }
}
