import DaybookEventCore
import DaybookTexts

/// Edits that come from the log: those of one entity are applied together, before the next
/// checkpoint or another write to the entity, so that a text is read, merged and written once.
extension Projector {
  /// Keeps a received edit until ``applyReceivedEdits()``.
  func receive(_ edit: EntityWrite, of table: CollectionTable, _ id: String) throws {
    receivedEdits[StaleText(table: table.number, id: Array(id.utf8)), default: []].append(edit)
    receivedBytes += edit.edit?.script.count ?? 0
    if receivedBytes >= Self.receivedBytesMax { try applyReceivedEdits() }
  }

  /// The bytes of scripts in memory from which they are applied.
  private static var receivedBytesMax: Int { 16 << 20 }

  /// Applies the edits of all entities that were received.
  func applyReceivedEdits() throws {
    guard !receivedEdits.isEmpty else { return }
    let received = receivedEdits
    receivedEdits = [:]
    receivedBytes = 0
    for (text, writes) in received.sorted(by: { $0.key < $1.key }) {
      try apply(writes, to: text)
    }
  }

  /// Applies the edits of one entity that were received, if there are any.
  func applyReceivedEdits(of table: CollectionTable, _ id: String) throws {
    guard !receivedEdits.isEmpty else { return }
    let text = StaleText(table: table.number, id: Array(id.utf8))
    guard let writes = receivedEdits.removeValue(forKey: text) else { return }
    receivedBytes -= writes.reduce(0) { $0 + ($1.edit?.script.count ?? 0) }
    try apply(writes, to: text)
  }

  private func apply(_ writes: [EntityWrite], to text: StaleText) throws {
    guard let table = table(number: text.table) else { return }
    try writeCrowded(text)
    var record = try entities.load(table, String(decoding: text.id, as: UTF8.self))
    let old = contribution(of: record)
    var fields: [Int: [EntityWrite]] = [:]
    for write in writes {
      guard let edit = write.edit else { continue }
      try note(write, in: &record)
      fields[edit.field, default: []].append(write)
    }
    record.isEdited = true
    for field in fields.keys.sorted() {
      let number = place(of: field, in: &record)
      let base = record.state.texts[number].base
      guard let new = fields[field]?.filter({ $0.edit?.base == base }), !new.isEmpty,
        !(staleTexts[text]?.contains(field) ?? false)
      else { continue }
      if try !merge(new, into: &record, number) { staleTexts[text, default: []].insert(field) }
    }
    if record.state.lastWrites != nil { try updateConflicts(record) }
    replaceInDigest(old, by: record)
    try entities.save(&record)
  }

  // MARK: - New edits into a text that has others

  /// Merges edits into the text that a field shows, which has all others of its base. They are in
  /// the entity's history already.
  ///
  /// Cost: the edits since the last version that all of their authors, and those of the edits after
  /// that version, had seen; a copy of the text.
  /// - Returns: false if all edits of the base have to be merged: if some of them do not fit, if
  ///   the field shows no text, or if authors claim to have seen what they cannot have.
  private func merge(_ new: [EntityWrite], into record: inout EntityRecord, _ number: Int) throws
    -> Bool
  {
    let state = record.state.texts[number]
    guard let base = state.base, case .text(let shown)? = record.values[state.field] ?? .text(""),
      try !hasUnfit(state.field, record)
    else { return false }
    var version = CommonVersion(index: index)
    for write in new { try version.include(write.ref) }
    let known = try version.known(
      state.field, base, record, entities: entities, except: Set(new.map(\.ref)))
    guard let known else { return false }
    if let undone = record.state.undone {
      // What an author has seen of undos is taken into account only if all edits are merged.
      for undo in undone.last where try !version.has(undo) { return false }
      for ref in known + new.map(\.ref) where undone.contains(index.event(of: ref)) {
        return false
      }
    }
    let text = Array(shown.utf8)
    let scripts = try EditReader(index: index, events: earlier).scripts(of: known)
    var newBytes: [UInt8] = []
    let ranges = new.map { write in
      let start = newBytes.count
      newBytes += write.edit?.script ?? []
      return start..<newBytes.count
    }
    let fold = TextFold(index: index, base: base, assigned: .text(shown))
    let result = try scripts.withEdits { known throws(ProjectionError) in
      try newBytes.withRawBytes { raw throws(ProjectionError) in
        try fold.merge(
          zip(new, ranges).map {
            TextFold.Edit(
              ref: $0.ref, script: UnsafeRawBufferPointer(rebasing: raw[$1]),
              isComparison: $0.edit?.isComparison ?? false)
          }, known: known, into: text)
      }
    }
    guard let result else { return false }
    if let text = result.text {
      record.values[state.field] = .text(String(decoding: text, as: UTF8.self))
    }
    record.state.texts[number].merged += result.merged
    for ref in result.unfit { try noteUnfit(ref, state.field, record) }
    return true
  }

  private func hasUnfit(_ field: Int, _ record: EntityRecord) throws(ProjectionError) -> Bool {
    let query = try sql(
      "SELECT 1 FROM _daybook_unfit WHERE collection = ? AND id = ? AND field = ? LIMIT 1")
    try query.bind(1, record.table.identity)
    try query.bind(2, record.id)
    try query.bind(3, record.table.fieldNames[field])
    defer { query.reset() }
    return try query.step()
  }
}
