package import DaybookEventCore

extension ReadModelView {
  /// Returns when the first and the last event were authored, in milliseconds since 1970, apart
  /// from times that are far in the future; nil if there is no event.
  ///
  /// Cost: reads the authored times of all events.
  package func authoredSpan() throws -> ClosedRange<Int64>? {
    var span: ClosedRange<Int64>?
    try forEachAuthored { _, times in
      for time in times where time < .farFuture {
        let moment = time.milliseconds
        guard let known = span else {
          span = moment...moment
          continue
        }
        if moment < known.lowerBound { span = moment...known.upperBound }
        if moment > known.upperBound { span = known.lowerBound...moment }
      }
    }
    return span
  }

  /// Returns for each origin how many of its events were authored in each of some equal parts of a
  /// time.
  ///
  /// Cost: reads the authored times of all events.
  /// - Parameters:
  ///   - span: the time, in milliseconds since 1970.
  ///   - parts: the number of parts, at least 1.
  package func authoredCounts(in span: ClosedRange<Int64>, parts: Int) throws
    -> [(origin: ReplicaID, counts: [Int])]
  {
    let length = Double(span.upperBound) - Double(span.lowerBound) + 1
    var counts = index.origins.map { _ in [Int](repeating: 0, count: parts) }
    try forEachAuthored { number, times in
      guard counts.indices.contains(number - 1) else { return }
      for time in times where span.contains(time.milliseconds) {
        let share = (Double(time.milliseconds) - Double(span.lowerBound)) / length
        counts[number - 1][min(parts - 1, Int(saturating: share * Double(parts)))] += 1
      }
    }
    return zip(index.origins, counts).map { ($0.id, $1) }
  }

  /// Calls `body` with the authored times of each block of each origin, by the origin's number.
  private func forEachAuthored(_ body: (Int, [HybridTime]) throws -> Void) throws {
    let query = try sql("SELECT origin, times FROM _daybook_authored")
    defer { query.reset() }
    while try query.step() {
      try body(query.int(0), try EventIndex.decode(query.blob(1)))
    }
    for (offset, origin) in index.origins.enumerated() where !origin.openTimes.isEmpty {
      try body(offset + 1, origin.openTimes)
    }
  }

  /// Returns ids of entities of a collection, live or not, in their order.
  ///
  /// Cost: proportional to the ids returned.
  /// - Parameters:
  ///   - collection: the name of a collection that is shown.
  ///   - id: the id behind which to begin; nil for the beginning.
  ///   - limit: the most ids.
  /// - Throws: ``ProjectionError`` `unknownName` if the collection is not shown.
  package func knownIDs(of collection: String, after id: String?, limit: Int) throws -> [String] {
    guard let shown = schema[collection], let table = projector.knownTable(shown.identity) else {
      throw unknown(collection)
    }
    // Both parts come in the order of an index, so SQLite merges them without a sort.
    let query = try sql(
      """
      SELECT id FROM \(table.quotedName) WHERE id > ?1
      UNION ALL SELECT id FROM _daybook_entities WHERE collection = ?2 AND id > ?1
      ORDER BY 1 LIMIT ?3
      """)
    defer { query.reset() }
    try query.bind(1, id ?? "")
    try query.bind(2, table.number)
    try query.bind(3, limit)
    var ids: [String] = []
    while try query.step() { ids.append(query.text(0)) }
    return ids
  }
}
