import DaybookEventCore

/// A run of one origin's events that the same stamp covers.
struct StampPiece {
  var range: ClosedRange<UInt64>
  var time: HybridTime
  /// The number of the hub's origin.
  var hub: Int
  /// The sequence of the hub's event that holds the stamp.
  var sequence: UInt64

  func with(_ range: ClosedRange<UInt64>) -> StampPiece {
    StampPiece(range: range, time: time, hub: hub, sequence: sequence)
  }

  /// - Parameter query: a statement at a row of first, last, time, hub and sequence.
  /// - Throws: ``ProjectionError/Code/damagedReadModel`` if the range is not valid.
  init(_ query: Statement) throws(ProjectionError) {
    let (first, last) = (query.integer(0), query.integer(1))
    guard first > 0, first <= last else { throw .damaged("a stamp") }
    range = UInt64(bitPattern: first)...UInt64(bitPattern: last)
    time = HybridTime(rawValue: UInt64(bitPattern: query.integer(2)))
    hub = query.int(3)
    sequence = UInt64(bitPattern: query.integer(4))
  }

  init(range: ClosedRange<UInt64>, time: HybridTime, hub: Int, sequence: UInt64) {
    self.range = range
    self.time = time
    self.hub = hub
    self.sequence = sequence
  }
}
