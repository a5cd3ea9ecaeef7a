import DaybookEventCore

/// The rooms that stamps have left for late events, by the origins of these events.
struct StampingRooms: Sendable {
  /// The most rooms in all. Beyond that, late events rank by the time they arrive.
  static let countMax = 1 << 17
  /// The most rooms for the events of one origin.
  private static let countOfOriginMax = 1024

  /// Ascending by time.
  private var rooms: [ReplicaID: [StampingRoom]] = [:]
  private(set) var count = 0

  var isEmpty: Bool { rooms.isEmpty }

  /// The rooms for the events of an origin, ascending by time.
  subscript(origin: ReplicaID) -> [StampingRoom] { rooms[origin, default: []] }

  /// The milliseconds in which rooms end.
  var endingMilliseconds: Set<Int64> { Set(rooms.values.joined().map(\.end.milliseconds)) }

  /// Keeps room that ends at `end` for the events of an origin.
  /// - Parameter through: The last of these events.
  /// - Returns: The events that the room was not kept for before; nil if there are none, or if
  ///   there are too many rooms.
  mutating func keep(
    for origin: ReplicaID, through: UInt64, before end: HybridTime
  ) -> ClosedRange<UInt64>? {
    let known = self[origin]
    let place = Self.place(of: end, in: known)
    if place < known.count, known[place].end == end {
      let first = known[place].through + 1
      guard first <= through else { return nil }
      rooms[origin]?[place].through = through
      return first...through
    }
    guard count < Self.countMax, known.count < Self.countOfOriginMax else { return nil }
    rooms[origin, default: []].insert(StampingRoom(through: through, end: end), at: place)
    count += 1
    return 1...max(through, 1)
  }

  /// Returns the index of the first room that does not end before a time.
  private static func place(of end: HybridTime, in rooms: [StampingRoom]) -> Int {
    var (low, high) = (0, rooms.count)
    while low < high {
      let middle = (low + high) / 2
      if rooms[middle].end < end { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Drops rooms that no event can use any more.
  /// - Parameter through: Returns the event of an origin through which all have stamps.
  mutating func drop(_ through: (ReplicaID) -> UInt64) {
    for origin in Array(rooms.keys) {
      let last = through(origin)
      rooms[origin]?.removeAll { $0.through <= last }
      if rooms[origin]?.isEmpty == true { rooms[origin] = nil }
    }
    count = rooms.values.reduce(0) { $0 + $1.count }
  }
}
