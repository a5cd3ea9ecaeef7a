import EventCore

/// One write to one register.
struct ReferenceWrite {
  let key: OrderKey
  /// The value; null means absent.
  let value: Value
  /// The events of other origins that its author had seen.
  let seen: VersionVector

  var reference: OperationReference {
    OperationReference(event: key.event.id, operation: key.operation)
  }

  func hasSeen(_ other: ReferenceWrite) -> Bool {
    let (mine, its) = (reference, other.reference)
    if mine.event.origin == its.event.origin { return its < mine }
    return seen[its.event.origin] >= its.event.sequence
  }
}

extension [ReferenceWrite] {
  var winner: ReferenceWrite? { self.max { $0.key < $1.key } }

  /// The writes that no other write's author had seen.
  var frontier: [ReferenceWrite] {
    filter { write in !contains { $0.hasSeen(write) } }
  }

  /// The frontier, ascending, if its writes have different values; otherwise nil.
  var clash: [OperationReference]? {
    let frontier = frontier
    let values = Set(frontier.map(\.value.canonicalBytes))
    return values.count > 1 ? frontier.map(\.reference).sorted() : nil
  }
}
