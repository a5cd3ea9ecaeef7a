import EventCore

/// Stamps: which server time counts for which event. Of several stamps that cover an event, the
/// smallest (time, hub) counts; the others are kept aside, for states of the past.
extension EventIndex {
  /// The stamp that counts for an event; nil while it is pending.
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

  /// The stamp that counted for an event when only the hubs' events of `vector` were known.
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

  /// Takes up a hub's stamp.
  /// - Returns: the ranges whose order changed.
  func add(_ stamp: Stamp, hub: Int, sequence: UInt64) throws(ProjectionError)
    -> [ClosedRange<UInt64>]
  {
    let number = number(of: stamp.origin)
    let new = StampPiece(
      range: stamp.from...stamp.through, time: stamp.time, hub: hub, sequence: sequence)
    let pieces = try pieces(number, overlapping: new.range)
    var effective: [StampPiece] = []
    var superseded: [StampPiece] = []
    var changed: [ClosedRange<UInt64>] = []
    func claim(_ range: ClosedRange<UInt64>) {
      effective.append(new.with(range))
      changed.append(range)
    }
    var next = stamp.from
    for piece in pieces {
      let (first, last) = (piece.range.lowerBound, piece.range.upperBound)
      if first < next { effective.append(piece.with(first...next - 1)) }
      let low = max(first, next)
      if low > next { claim(next...low - 1) }
      let high = min(last, stamp.through)
      if try ranks(new, before: piece) {
        claim(low...high)
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
    return changed
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
