import DaybookEventCore

/// Entities that many authors have written.
///
/// Such an entity's state grows with its authors. If it were read and written for each of the
/// writes that come from the log, as many authors would cost their square. So the writes to one of
/// them are gathered in memory, until something else has to see it, and at the latest until the
/// checkpoint.
extension Projector {
  /// An entity whose latest state is in memory only.
  struct Crowded {
    var record: EntityRecord
    /// What the stored state adds to the digest.
    var stored: Hash256?
  }

  /// The number of authors of one register from which an entity is crowded.
  private static let authors = 64
  /// The most entities in memory.
  private static let crowdedMax = 16

  /// Applies a write that came from the log, and that is no edit.
  func applyReceived(_ write: EntityWrite, to table: CollectionTable, _ id: String) throws {
    let key = StaleText(table: table.number, id: Array(id.utf8))
    if var held = crowded.removeValue(forKey: key) {
      currentWrites[write.ref] = write
      try note(write, in: &held.record)
      crowded[key] = held
      return
    }
    var record = try entities.load(table, id)
    // Rules between entities read the others' stored states, and so does the merge of a text.
    let isCrowded =
      record.state.lastWrites.map { $0.width >= Self.authors } ?? false
      && record.state.texts.isEmpty && !table.hasRules
    guard isCrowded else { return try apply(write, to: &record) }
    if crowded.count >= Self.crowdedMax { try writeCrowded() }
    let stored = contribution(of: record)
    currentWrites[write.ref] = write
    try note(write, in: &record)
    crowded[key] = Crowded(record: record, stored: stored)
  }

  /// Stores the entities that are in memory only.
  func writeCrowded() throws {
    guard !crowded.isEmpty else { return }
    let held = crowded
    crowded = [:]
    for (_, entity) in held.sorted(by: { $0.key < $1.key }) { try write(entity) }
  }

  /// Stores one entity, if it is in memory only.
  func writeCrowded(_ key: StaleText) throws {
    if let held = crowded.removeValue(forKey: key) { try write(held) }
  }

  private func write(_ held: Crowded) throws {
    var record = held.record
    try updateConflicts(record)
    replaceInDigest(held.stored, by: record)
    try entities.save(&record)
  }
}
