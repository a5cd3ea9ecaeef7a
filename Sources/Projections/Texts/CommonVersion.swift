import DaybookEventCore

/// A version of a text that the authors of some edits had all seen.
struct CommonVersion {
  let index: EventIndex
  /// By origin, the first of the edits that are not in the version.
  private var first: [Int: WriteRef] = [:]
  /// By origin, the last event in the version, as far as it was asked for.
  private var through: [Int: UInt64] = [:]

  init(index: EventIndex) { self.index = index }

  /// Makes the version one that the author of an edit had seen, and that does not have the edit.
  mutating func include(_ ref: WriteRef) throws(ProjectionError) {
    // An author's first edit had seen the least.
    if let known = first[ref.origin], !ref.isEarlier(than: known) { return }
    first[ref.origin] = ref
    for (other, known) in through where known > 0 {
      through[other] = min(known, try seen(by: ref, of: other))
    }
  }

  private func seen(by ref: WriteRef, of other: Int) throws(ProjectionError) -> UInt64 {
    ref.origin == other
      ? ref.sequence - 1 : try index.seen(by: ref.origin, at: ref.sequence, of: other)
  }

  /// Returns whether the version has a write.
  mutating func has(_ ref: WriteRef) throws(ProjectionError) -> Bool {
    try through(ref.origin) >= ref.sequence
  }

  private mutating func through(_ origin: Int) throws(ProjectionError) -> UInt64 {
    if let known = through[origin] { return known }
    var least = UInt64.max
    for ref in first.values where least > 0 { least = min(least, try seen(by: ref, of: origin)) }
    through[origin] = least
    return least
  }

  /// Returns the edits of a base that a text has and this version does not, and makes this version
  /// one that their authors had seen too.
  ///
  /// Cost: reads the history back to the version.
  /// - Parameters:
  ///   - field: the number of the text's field.
  ///   - base: the write that the text begins with.
  ///   - record: the entity.
  ///   - entities: the entities of the read model, which have the entity's history.
  ///   - new: the edits that the text does not have.
  ///   - shown: the events that the text shows, if it is one of an earlier snapshot; nil for the
  ///     text that the entity has now.
  /// - Returns: nil if an author claims to have seen one of the new edits before it was there.
  mutating func known(
    _ field: Int, _ base: WriteRef, _ record: EntityRecord, entities: EntityStore,
    except new: Set<WriteRef>, shown: VersionVector? = nil
  ) throws -> [WriteRef]? {
    // Of one origin, each edit had seen all before it.
    guard let last = record.state.lastWrites?.registers[field] else { return [] }
    let news = first
    let sequences = first.mapValues(\.sequence)
    for entry in last {
      let origin = entry.ref.origin
      // An event before the first new edit may have seen other new edits, without being an edit.
      let before =
        shown.map { $0[index.origin(origin).id] } ?? news[origin].map { $0.sequence - 1 }
        ?? entry.ref.sequence
      guard try index.seen(by: origin, at: before, among: sequences).isEmpty else { return nil }
    }
    /// By origin, the edits read so far, the latest first.
    var read: [Int: [WriteRef]] = [:]
    var chunk = record.state.chunkCount
    var entries = record.state.recent
    while true {
      for entry in entries.reversed()
      where entry.isEdit && entry.base == base && entry.fields == [field]
        && !new.contains(entry.ref)
      {
        read[entry.ref.origin, default: []].append(entry.ref)
      }
      try absorb(read)
      guard chunk > 0, try reachesFurther(last, read, news) else { break }
      chunk -= 1
      entries = try entities.history.chunk(chunk, of: record)
    }
    var known: [WriteRef] = []
    for (origin, refs) in read {
      let through = try through(origin)
      known += refs.prefix { $0.sequence > through }
    }
    return known
  }

  /// Takes edits that are beyond the version into account until none is left.
  private mutating func absorb(_ read: [Int: [WriteRef]]) throws(ProjectionError) {
    var isDone = false
    while !isDone {
      isDone = true
      for origin in read.keys.sorted() {
        let through = try through(origin)
        guard let oldest = read[origin]?.prefix(while: { $0.sequence > through }).last,
          first[origin].map({ oldest.isEarlier(than: $0) }) ?? true
        else { continue }
        try include(oldest)
        isDone = false
      }
    }
  }

  /// Whether an origin may have edits beyond the version that were not read.
  private mutating func reachesFurther(
    _ last: [LastWrites.Entry], _ read: [Int: [WriteRef]], _ news: [Int: WriteRef]
  ) throws(ProjectionError) -> Bool {
    for entry in last {
      let origin = entry.ref.origin
      let latest = news[origin].map { $0.sequence - 1 } ?? entry.ref.sequence
      let reached = read[origin]?.last?.sequence ?? latest
      if reached > (try through(origin)) { return true }
    }
    return false
  }
}
