import DaybookEventCore

/// Stamps: which server time counts for which event. Of several stamps that cover an event, the
/// smallest (time, hub) counts; the others are kept for states of the past.
extension EventIndex {
  /// Returns the stamp that counts for an event; nil while the event is pending.
  func stamp(_ number: Int, _ sequence: UInt64) throws(ProjectionError) -> StampPiece? {
    guard origin(number).hasStamps else { return nil }
    if let read = readStamp, read.origin == number, read.piece.range.contains(sequence) {
      return read.piece
    }
    let query = try sql(
      """
      SELECT first, last, time, hub, sequence FROM _daybook_stamps
      WHERE origin = ? AND first <= ? ORDER BY first DESC LIMIT 1
      """)
    try query.bind(1, number)
    try query.bind(2, Int64(bitPattern: sequence))
    defer { query.reset() }
    guard try query.step() else { return nil }
    let piece = try StampPiece(query)
    guard isKnown(piece.hub) else { throw .damaged("a stamp of an unknown hub") }
    guard piece.range.contains(sequence) else { return nil }
    readStamp = (number, piece)
    return piece
  }

  /// Returns the stamp that counted for an event when only the hubs' events in `vector` were known.
  func stamp(_ number: Int, _ sequence: UInt64, within vector: VersionVector)
    throws(ProjectionError) -> StampPiece?
  {
    guard let effective = try stamp(number, sequence) else { return nil }
    func isKnownThen(_ piece: StampPiece) -> Bool {
      isKnown(piece.hub) && vector[origin(piece.hub).id] >= piece.sequence
    }
    if isKnownThen(effective) { return effective }
    let query = try sql(
      """
      SELECT first, last, time, hub, sequence FROM _daybook_superseded_stamps
      WHERE origin = ?1 AND first <= ?2 AND last >= ?2
      """)
    try query.bind(1, number)
    try query.bind(2, Int64(bitPattern: sequence))
    defer { query.reset() }
    var best: StampPiece?
    while try query.step() {
      let piece = try StampPiece(query)
      guard isKnownThen(piece) else { continue }
      if let known = best, try !ranks(piece, before: known) { continue }
      best = piece
    }
    return best
  }

  /// Events that have received their first stamp, or an earlier one.
  struct Lowered {
    var origin: Int
    var range: ClosedRange<UInt64>
    var time: HybridTime
    var hub: Int
    /// Whether the events had no stamp, and the new one is later than all known stamps.
    var isLatest: Bool
  }

  /// Adds a hub's stamp. One that does not count is only noted with its hub.
  /// - Parameters:
  ///   - stamp: the stamp.
  ///   - hub: the number of the hub's origin.
  ///   - sequence: the sequence of the hub's event that holds the stamp.
  /// - Returns: the ranges of events whose order changed.
  func add(_ stamp: Stamp, hub: Int, sequence: UInt64) throws(ProjectionError) -> [Lowered] {
    guard stamp.counts else {
      markFarStamps(hub)
      return []
    }
    let latest = try latestKnownStamp()
    latestStamp = max(latest, stamp.time)
    let number = number(of: stamp.origin)
    let new = StampPiece(
      range: stamp.from...stamp.through, time: stamp.time, hub: hub, sequence: sequence)
    let pieces = try pieces(number, overlapping: new.range)
    var effective: [StampPiece] = []
    var superseded: [StampPiece] = []
    var changed: [Lowered] = []
    func claim(_ range: ClosedRange<UInt64>, wasPending: Bool = true) {
      effective.append(new.with(range))
      changed.append(
        Lowered(
          origin: number, range: range, time: stamp.time, hub: hub,
          isLatest: wasPending && stamp.time > latest))
    }
    var next = stamp.from
    for piece in pieces {
      let (first, last) = (piece.range.lowerBound, piece.range.upperBound)
      if first < next { effective.append(piece.with(first...next - 1)) }
      let low = max(first, next)
      if low > next { claim(next...low - 1) }
      let high = min(last, stamp.through)
      if try ranks(new, before: piece) {
        claim(low...high, wasPending: false)
        superseded.append(piece.with(low...high))
      } else {
        effective.append(piece.with(low...high))
        superseded.append(new.with(low...high))
      }
      if last > high { effective.append(piece.with(high + 1...last)) }
      next = high + 1
    }
    if next <= stamp.through { claim(next...stamp.through) }
    for piece in superseded { try insert(piece, number, into: "_daybook_superseded_stamps") }
    guard !changed.isEmpty else { return [] }
    for piece in pieces { try remove(number, first: piece.range.lowerBound) }
    for piece in effective { try insert(piece, number, into: "_daybook_stamps") }
    markStamped(number)
    if let through = stampedThrough[number], stamp.from <= through + 1, stamp.through > through {
      stampedThrough[number] = try stampedThrough(number, from: stamp.through)
    }
    return changed
  }

  // MARK: - What a stamp moves

  /// Returns whether the events stamped by one event of a hub keep their places: after all stamped
  /// events, in the same order among each other, and before all pending ones. Then nothing has to
  /// be folded again.
  ///
  /// Cost: a look-up for each origin, however much was written.
  func keepTheirPlaces(_ lowered: [Lowered]) throws(ProjectionError) -> Bool {
    var pieces: [(new: EventOrder, first: EventOrder, last: EventOrder)] = []
    for piece in lowered {
      let origin = origin(piece.origin)
      // Events that have not arrived have no place.
      guard piece.range.lowerBound <= origin.sequence else { continue }
      guard piece.isLatest, origin.isMonotone else { return false }
      let range = piece.range.lowerBound...min(piece.range.upperBound, origin.sequence)
      pieces.append(
        (
          new: EventOrder(
            stamped: piece.time, hub: self.origin(piece.hub).id,
            id: EventID(origin.id, range.lowerBound)),
          first: try pendingOrder(piece.origin, range.lowerBound),
          last: try pendingOrder(piece.origin, range.upperBound)
        ))
    }
    pieces.sort { $0.new < $1.new }
    for (a, b) in zip(pieces, pieces.dropFirst()) where b.first < a.last { return false }
    guard let last = pieces.last?.last else { return true }
    for number in origins.indices.map({ $0 + 1 }) {
      let origin = origin(number)
      // Private events write other entities.
      guard origin.hasWrites, !origin.id.isPrivate else { continue }
      let through = try wholeStamped(number)
      guard through < origin.sequence else { continue }
      guard origin.isMonotone, try last < pendingOrder(number, through + 1) else { return false }
    }
    return true
  }

  /// Returns the last sequence up to which every event of an origin has a stamp.
  func wholeStamped(_ number: Int) throws(ProjectionError) -> UInt64 {
    if let known = stampedThrough[number] { return known }
    let through = origin(number).hasStamps ? try stampedThrough(number, from: 0) : 0
    stampedThrough[number] = through
    return through
  }

  /// Returns the last sequence up to which every event of an origin has a stamp. Cost: a look at
  /// each stamp after `known`.
  /// - Parameters:
  ///   - number: the origin's number.
  ///   - known: a sequence up to which all events are known to have stamps.
  private func stampedThrough(_ number: Int, from known: UInt64) throws(ProjectionError) -> UInt64 {
    let query = try sql(
      """
      SELECT first, last, time, hub, sequence FROM _daybook_stamps
      WHERE origin = ? AND first > ? ORDER BY first
      """)
    try query.bind(1, number)
    try query.bind(2, Int64(bitPattern: known))
    defer { query.reset() }
    var through = known
    while try query.step() {
      // A damaged read model may hold any numbers; StampPiece checks them.
      let piece = try StampPiece(query)
      guard piece.range.lowerBound == through + 1 else { break }
      through = piece.range.upperBound
    }
    return through
  }

  private func latestKnownStamp() throws(ProjectionError) -> HybridTime {
    if let latestStamp { return latestStamp }
    let query = try sql("SELECT max(time) FROM _daybook_stamps")
    defer { query.reset() }
    guard try query.step(), !query.isNull(0) else { return .zero }
    return HybridTime(rawValue: UInt64(clamping: query.integer(0)))
  }

  private func ranks(_ a: StampPiece, before b: StampPiece) throws(ProjectionError) -> Bool {
    guard isKnown(a.hub), isKnown(b.hub) else { throw .damaged("a stamp of an unknown hub") }
    return a.time != b.time ? a.time < b.time : origin(a.hub).id < origin(b.hub).id
  }

  private func pieces(_ number: Int, overlapping range: ClosedRange<UInt64>)
    throws(ProjectionError) -> [StampPiece]
  {
    let query = try sql(
      """
      SELECT first, last, time, hub, sequence FROM _daybook_stamps
      WHERE origin = ?1 AND first <= ?3
        AND first >= coalesce(
          (SELECT max(first) FROM _daybook_stamps WHERE origin = ?1 AND first <= ?2), ?2)
        AND last >= ?2
      ORDER BY first
      """)
    try query.bind(1, number)
    try query.bind(2, Int64(bitPattern: range.lowerBound))
    try query.bind(3, Int64(bitPattern: range.upperBound))
    defer { query.reset() }
    var pieces: [StampPiece] = []
    while try query.step() { pieces.append(try StampPiece(query)) }
    return pieces
  }

  private func remove(_ number: Int, first: UInt64) throws(ProjectionError) {
    let delete = try sql("DELETE FROM _daybook_stamps WHERE origin = ? AND first = ?")
    try delete.bind(1, number)
    try delete.bind(2, Int64(bitPattern: first))
    try delete.run()
  }

  private func insert(_ piece: StampPiece, _ number: Int, into table: String)
    throws(ProjectionError)
  {
    let insert = try sql("INSERT OR REPLACE INTO \(table) VALUES (?, ?, ?, ?, ?, ?)")
    try insert.bind(1, number)
    try insert.bind(2, Int64(bitPattern: piece.range.lowerBound))
    try insert.bind(3, Int64(bitPattern: piece.range.upperBound))
    try insert.bind(4, Int64(bitPattern: piece.time.rawValue))
    try insert.bind(5, piece.hub)
    try insert.bind(6, Int64(bitPattern: piece.sequence))
    try insert.run()
  }
}
