import DaybookEventCore

/// One write to one register.
struct ReferenceWrite {
  let key: OrderKey
  /// The value; null means absent.
  let value: Value
  /// The events of other origins that its author had seen.
  let seen: VersionVector
  /// The number of the migration that a write to a definition is part of.
  var migration: Int64 = 0

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

  /// The write that a register of a definition shows.
  func winner(of register: DefinitionRegister) -> ReferenceWrite? {
    register.isFixed
      ? self.min { $0.key < $1.key }
      : filter { write in allSatisfy { $0.migration <= write.migration } }.winner
  }

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
