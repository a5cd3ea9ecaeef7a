import DaybookEventCore

/// The index of the records of one segment, in the order of the file.
struct SegmentIndex: Sendable {
  /// A record of a kind that this version does not know.
  struct Other: Hashable, Sendable {
    var kind: UInt8
    var offset: UInt64
    /// The size of the record in bytes.
    var length: Int
  }

  private(set) var entries: [RecordEntry] = []
  private(set) var heads: [HeadEntry] = []
  var others: [Other] = []
  /// The indices into `entries` of each origin, ordered by first sequence.
  private var byOrigin: [ReplicaID: [Int32]] = [:]
  /// The indices into `heads` of each origin, ordered by sequence, then by offset.
  private var headsByOrigin: [ReplicaID: [Int32]] = [:]
  /// The origins of frames, in the order of their first frame.
  private(set) var origins: [ReplicaID] = []

  /// Adds a frame.
  ///
  /// - Parameter entry: the entry; it must not overlap another one of its origin.
  mutating func append(_ entry: RecordEntry) {
    let index = Int32(clamping: entries.count)
    entries.append(entry)
    if byOrigin[entry.origin] == nil { origins.append(entry.origin) }
    let place = self.place(of: entry.firstSequence, in: byOrigin[entry.origin, default: []])
    byOrigin[entry.origin, default: []].insert(index, at: place)
  }

  mutating func append(_ head: HeadEntry) {
    let index = Int32(clamping: heads.count)
    heads.append(head)
    let origin = head.event.origin
    let place = self.place(
      after: head.event.sequence, in: headsByOrigin[origin, default: []])
    headsByOrigin[origin, default: []].insert(index, at: place)
  }

  var events: Int { entries.reduce(0) { $0 + $1.count } }
  var records: Int { entries.count + heads.count + others.count }

  /// Returns the entries with events of `origin` in `range`, ascending by sequence.
  ///
  /// - Parameter limit: only the first `limit` of ``entries`` count.
  func entries(of origin: ReplicaID, in range: ClosedRange<UInt64>, limit: Int) -> [RecordEntry] {
    guard let indices = byOrigin[origin] else { return [] }
    var found: [RecordEntry] = []
    // The entry before the first that begins within the range may reach into it.
    var i = max(0, place(of: range.lowerBound, in: indices) - 1)
    while i < indices.count {
      let index = Int(indices[i])
      let entry = entries[index]
      if entry.firstSequence > range.upperBound { break }
      if index < limit, entry.lastSequence >= range.lowerBound { found.append(entry) }
      i += 1
    }
    return found
  }

  /// Returns the heads of `origin` in `range`, ascending by sequence, then by offset.
  ///
  /// Cost: a search. The heads are looked up lazily.
  /// - Parameter limit: only the first `limit` of ``heads`` count.
  func heads(of origin: ReplicaID, in range: ClosedRange<UInt64>, limit: Int)
    -> some BidirectionalCollection<HeadEntry>
  {
    let indices = headsByOrigin[origin] ?? []
    let first = range.lowerBound == 0 ? 0 : place(after: range.lowerBound - 1, in: indices)
    let end = place(after: range.upperBound, in: indices)
    return indices[first..<end].lazy.filter { $0 < limit }.map { heads[Int($0)] }
  }

  /// Returns the place in `indices` after the last head at `sequence` or an earlier event.
  private func place(after sequence: UInt64, in indices: [Int32]) -> Int {
    guard let last = indices.last, heads[Int(last)].event.sequence > sequence else {
      return indices.count
    }
    var low = 0
    var high = indices.count
    while low < high {
      let middle = (low + high) / 2
      if heads[Int(indices[middle])].event.sequence <= sequence {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// Whether `entry` is one of the first `limit` entries.
  func contains(_ entry: RecordEntry, limit: Int) -> Bool {
    var low = 0
    var high = min(limit, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].position.offset < entry.position.offset {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low < min(limit, entries.count) && entries[low] == entry
  }

  /// Returns the place in `indices` of the first entry that begins at or after `sequence`.
  private func place(of sequence: UInt64, in indices: [Int32]) -> Int {
    guard let last = indices.last, entries[Int(last)].firstSequence >= sequence else {
      return indices.count
    }
    var low = 0
    var high = indices.count
    while low < high {
      let middle = (low + high) / 2
      if entries[Int(indices[middle])].firstSequence < sequence {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}

extension SegmentIndex {
  /// Makes the index of the records that a scan found.
  init(_ records: [SegmentScanner.Record], segment: UInt64) {
    self.init()
    for record in records { append(record, segment: segment) }
  }

  mutating func append(_ record: SegmentScanner.Record, segment: UInt64) {
    let position = LogPosition(segment: segment, offset: record.header.offset)
    switch record.content {
    case .frame(let frame): append(RecordEntry(frame, at: position))
    case .head(let event): append(HeadEntry(position: position, event: event))
    case .other, .footer:
      others.append(
        Other(
          kind: record.header.kind, offset: record.header.offset, length: Int(record.header.total)))
    }
  }

  func without(_ excluded: Set<RecordEntry>) -> SegmentIndex {
    var index = SegmentIndex()
    for entry in entries where !excluded.contains(entry) { index.append(entry) }
    for head in heads { index.append(head) }
    index.others = others
    return index
  }
}
