import DaybookEventCore

/// The order of events without a stamp, also if an author's clock is far in the future.
extension EventIndex {
  func pendingOrder(_ number: Int, _ sequence: UInt64) throws(ProjectionError) -> EventOrder {
    try pendingOrder(number, sequence) { self.origin($0).sequence }
  }

  /// Returns the place in the order of an event without a stamp.
  ///
  /// Cost: a look-up of its authored time. While any event far in the future is known, also a
  /// look-up for each origin that its author had seen, and for the contexts of those.
  /// - Parameters:
  ///   - number: the origin's number.
  ///   - sequence: the event's sequence.
  ///   - known: returns the sequence up to which an origin counts as known.
  func pendingOrder(_ number: Int, _ sequence: UInt64, known: (Int) -> UInt64)
    throws(ProjectionError) -> EventOrder
  {
    let id = EventID(origin(number).id, sequence)
    guard !farOrigins.isEmpty else {
      return EventOrder(pending: try authored(number, sequence), id: id)
    }
    let seen = try closure(number, sequence, known: known)
    let isFar = farOrigins.contains { far in
      origin(far).firstFar <= known(far) && seen[far, default: 0] >= origin(far).firstFar
    }
    guard isFar else { return EventOrder(pending: try authored(number, sequence), id: id) }
    return EventOrder(
      far: seen.reduce(0) { $0 + min($1.value, known($1.key)) },
      authored: try authored(number, sequence), id: id)
  }

  /// Returns an event, all that its author had seen, and what the authors of those events had seen,
  /// by origin number.
  ///
  /// An author may hold an event without its context. With the closure, an event's count is greater
  /// than that of each event in it.
  func closure(_ number: Int, _ sequence: UInt64, known: (Int) -> UInt64)
    throws(ProjectionError) -> [Int: UInt64]
  {
    var seen = [number: sequence]
    var rest = [number]
    while let author = rest.popLast() {
      let last = author == number ? seen[author] ?? 0 : min(seen[author] ?? 0, known(author))
      guard last > 0 else { continue }
      for (id, through) in try vector(at: author, min(last, known(author))).entries {
        guard let other = numbers[id], other != author, through > seen[other] ?? 0 else { continue }
        seen[other] = through
        rest.append(other)
      }
    }
    return seen
  }

  /// Notes that an event has arrived which may change the places of events whose
  /// authors had seen it.
  func noteFar(_ number: Int, _ sequence: UInt64) throws(ProjectionError) {
    guard !farOrigins.isEmpty else { return }
    if seenThrough == nil {
      var through: [Int: UInt64] = [:]
      let query = try sql("SELECT seen, max(through) FROM _daybook_mentions GROUP BY seen")
      while try query.step() { through[query.int(0)] = UInt64(clamping: query.integer(1)) }
      query.reset()
      seenThrough = through
    }
    if seenThrough?[number] ?? 0 >= sequence { hasFarMoved = true }
  }

  /// Returns the ranges of events that rank by what their authors had seen, if that order has
  /// changed, and resets the change.
  /// - Returns: a range for each such origin; empty if nothing has changed.
  func takeFarMoved() throws(ProjectionError) -> [(origin: Int, range: ClosedRange<UInt64>)] {
    guard hasFarMoved else { return [] }
    hasFarMoved = false
    var pieces: [(Int, ClosedRange<UInt64>)] = []
    for number in origins.indices.map({ $0 + 1 }) where origin(number).sequence > 0 {
      // A binary search works, since what an author has seen only grows.
      let last = origin(number).sequence
      var (low, high): (UInt64, UInt64) = (1, last + 1)
      while low < high {
        let middle = low + (high - low) / 2
        if try isFar(number, middle) { high = middle } else { low = middle + 1 }
      }
      if low <= last { pieces.append((number, low...last)) }
    }
    return pieces
  }

  func isFar(_ number: Int, _ sequence: UInt64) throws(ProjectionError) -> Bool {
    let seen = try closure(number, sequence) { self.origin($0).sequence }
    return farOrigins.contains {
      origin($0).firstFar <= origin($0).sequence && seen[$0, default: 0] >= origin($0).firstFar
    }
  }
}
