package import DaybookEventCore

/// Taking back the last writes of the event that is being written.
///
/// SQLite's savepoints would do it too, but its search index writes all that it has in memory at
/// each of them, and the state in memory knows none. An entity as it was before is all that is
/// needed: what other entities show follows from the states.
extension Projector {
  /// Brings entities back to what they were, as if the last operations of the current local event
  /// had not been written.
  ///
  /// Cost: a write for each of the entities, and the part of their histories that goes.
  /// - Parameters:
  ///   - operations: the numbers of the operations, none of which is a definition.
  ///   - id: the event.
  ///   - before: each entity that they have written to, once, as it was before the first of them.
  package func takeBack(
    _ operations: Range<Int>, of id: EventID, before: [EntityHandle]
  ) throws {
    let origin = index.number(of: id.origin)
    for operation in operations {
      currentWrites[
        WriteRef(origin: origin, sequence: id.sequence, operation: UInt32(operation))] = nil
    }
    for handle in before { try takeBack(to: handle.record) }
  }

  private func takeBack(to image: EntityRecord) throws {
    guard let table = knownTable(image.table.identity),
      var record = try entities.find(table, image.id)
    else { return }
    let old = record.contribution(index)
    try entities.history.drop(of: record, from: image.state.chunkCount)
    let hadConflicts = record.state.lastWrites != nil
    // The inexact values that the database holds until the record is saved.
    let inexactValues = record.state.inexactValues
    record.state = image.state
    record.state.inexactValues = inexactValues
    record.values = image.values
    if hadConflicts || image.state.lastWrites != nil { try updateConflicts(record) }
    if image.isStored {
      // The row has the time of a write that is none any more.
      record.facts = try entities.facts(of: image)
      replaceInDigest(old, record.contribution(index))
      try entities.save(&record, isReordered: true)
    } else {
      replaceInDigest(old, nil)
      try entities.save(&record, isReordered: true)
      try entities.forget(record)
    }
  }

  /// Whether ``takeBack(_:of:before:)`` can bring an entity back to what it is now.
  ///
  /// Cost: a look-up if the entity has a text that was edited.
  func canComeBack(_ record: EntityRecord) throws(ProjectionError) -> Bool {
    // Which edits did not fit a text is not part of the state.
    guard !record.state.texts.isEmpty else { return true }
    let unfit = try sql("SELECT 1 FROM _daybook_unfit WHERE collection = ? AND id = ? LIMIT 1")
    try unfit.bind(1, record.table.identity)
    try unfit.bind(2, record.id)
    defer { unfit.reset() }
    return try !unfit.step()
  }
}
