import DaybookEventCore

/// The write that deleted an entity, in the order in which deletions are listed: by time, then by
/// event and operation.
struct Deletion: Comparable, Sendable {
  /// The place of a deletion among all. An operation deletes one entity, so there are no two of
  /// one place.
  struct Place: Hashable, Comparable, Sendable {
    /// The earlier of the times at which the event was authored and stamped.
    var time: HybridTime
    var event: EventID
    var operation: UInt32

    static func < (a: Place, b: Place) -> Bool {
      if a.time != b.time { return a.time < b.time }
      return a.event != b.event ? a.event < b.event : a.operation < b.operation
    }
  }

  var place: Place
  var times: EventTimes
  /// The identity of the entity's collection.
  var collection: String
  /// The entity's number in the read model that the deletion was found in.
  var number: Int64

  static func < (a: Deletion, b: Deletion) -> Bool { a.place < b.place }
  static func == (a: Deletion, b: Deletion) -> Bool { a.place == b.place }
}

extension Deletion.Place {
  init?(_ key: [Cell]) {
    guard key.count == 4, case .integer(let time) = key[0], case .blob(let origin) = key[1],
      origin.count == 16, case .integer(let sequence) = key[2],
      case .integer(let operation) = key[3], let operation = UInt32(exactly: operation)
    else { return nil }
    self.time = HybridTime(rawValue: UInt64(bitPattern: time))
    event = EventID(
      origin.withUnsafeBytes { ReplicaID(bytes: $0) }, UInt64(bitPattern: sequence))
    self.operation = operation
  }

  var key: [Cell] {
    [
      .integer(Int64(bitPattern: time.rawValue)), .blob(event.origin.bytes),
      .integer(Int64(bitPattern: event.sequence)), .integer(Int64(operation)),
    ]
  }
}
