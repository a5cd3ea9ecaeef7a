import DaybookEventCore

/// When events were authored, in blocks.
extension EventIndex {
  /// Stores the open block in a row of its own, if it is not empty, and begins a new one.
  func closeBlock(_ number: Int) throws(ProjectionError) {
    let origin = origins[number - 1]
    guard !origin.openTimes.isEmpty else { return }
    let insert = try sql("INSERT OR REPLACE INTO _daybook_authored VALUES (?, ?, ?)")
    try insert.bind(1, number)
    try insert.bind(2, Int64(bitPattern: origin.openBlock))
    try insert.bind(3, Self.encode(origin.openTimes))
    try insert.run()
    origins[number - 1].openTimes.removeAll(keepingCapacity: true)
  }

  static func encode(_ times: [HybridTime]) -> [UInt8] {
    var writer = ByteWriter(capacity: times.count * 6)
    var previous: UInt64 = 0
    for time in times {
      writer.signedVarint(Int64(bitPattern: time.rawValue &- previous))
      previous = time.rawValue
    }
    return writer.bytes
  }

  func loadBlock(_ number: Int, _ block: UInt64) throws(ProjectionError) -> [HybridTime] {
    let query = try sql("SELECT times FROM _daybook_authored WHERE origin = ? AND block = ?")
    try query.bind(1, number)
    try query.bind(2, Int64(bitPattern: block))
    defer { query.reset() }
    guard try query.step() else { throw .damaged("authored times are missing") }
    return try Self.decode(query.blob(0))
  }

  static func decode(_ bytes: [UInt8]) throws(ProjectionError) -> [HybridTime] {
    try bytes.withRawBytes { raw throws(ProjectionError) in
      var reader = ByteReader(raw)
      var times: [HybridTime] = []
      var previous: UInt64 = 0
      while !reader.isAtEnd {
        guard let delta = try? reader.signedVarint() else { throw .damaged("authored times") }
        previous = previous &+ UInt64(bitPattern: delta)
        times.append(HybridTime(rawValue: previous))
      }
      return times
    }
  }

  /// Returns the authored time of an applied event.
  /// - Parameters:
  ///   - number: the origin's number.
  ///   - sequence: the event's sequence.
  func authored(_ number: Int, _ sequence: UInt64) throws(ProjectionError) -> HybridTime {
    guard sequence > 0 else { throw .damaged("an event of number 0") }
    let block = (sequence - 1) / Self.blockSize
    let index = Int((sequence - 1) % Self.blockSize)
    if origins[number - 1].openBlock == block, index < origins[number - 1].openTimes.count {
      return origins[number - 1].openTimes[index]
    }
    if readBlock?.origin != number || readBlock?.block != block
      || index >= (readBlock?.times.count ?? 0)
    {
      readBlock = (number, block, try loadBlock(number, block))
    }
    guard let times = readBlock?.times, index < times.count else {
      throw .damaged("authored times are missing")
    }
    return times[index]
  }
}
