import DaybookEventCore
import DaybookTexts

/// An entity with texts whose edits have to be merged.
struct StaleText: Hashable {
  /// The number of the collection.
  var table: Int
  /// The entity's id, as bytes: texts that Unicode holds to be equivalent are different ids.
  var id: [UInt8]
}

/// Edits of texts: an edit whose author had seen all others patches the text at once. Others are
/// merged before the next checkpoint, however many arrive until then.
extension Projector {
  /// Applies an edit to an entity whose history has it already.
  func applyEdit(_ write: EntityWrite, _ record: inout EntityRecord) throws {
    guard let edit = write.edit else { return }
    let number = place(of: edit.field, in: &record)
    let text = record.state.texts[number]
    guard edit.base == text.base else { return }
    let stale = StaleText(table: record.table.number, id: Array(record.id.utf8))
    if staleTexts[stale]?.contains(edit.field) ?? false { return }
    guard try index.hasSeen(write.ref, edit.base) else {
      return try noteUnfit(write.ref, edit, record)
    }
    guard try isAlone(write, in: record) else { return makeStale(edit.field, of: record) }
    guard let patched = TextFold.patch(record.values[edit.field] ?? .null, by: edit.script) else {
      return try noteUnfit(write.ref, edit, record)
    }
    record.values[edit.field] = patched
    record.state.texts[number].merged += 1
  }

  /// Replaces each text whose base has changed by the new base, without edits so far.
  ///
  /// Of a base, the history may have edits. A base that is being written here has none, unless
  /// another author has named it before it was written.
  func rebaseTexts(_ record: inout EntityRecord) throws {
    for number in record.state.texts.indices {
      let text = record.state.texts[number]
      let base = record.state.textBase(text.field)
      guard base != text.base else { continue }
      if record.state[field: text.field] == nil { record.values[text.field] = nil }
      record.state.texts[number] = .init(field: text.field, base: base, merged: 0)
      try forgetUnfit(text.field, record)
      guard let base else { continue }
      if localOrigins.contains(base.origin), currentWrites[base] != nil {
        // The transaction may read the text next, so it cannot wait for the checkpoint.
        try mergeNamedBefore(base, text.field, &record)
        continue
      }
      makeStale(text.field, of: record)
    }
  }

  /// Merges the edits of an entity's texts again, because an undo has changed which of them count.
  func remergeTexts(_ record: inout EntityRecord, after undo: WriteRef) throws {
    guard !record.state.texts.isEmpty else { return }
    record.isEdited = true
    guard localOrigins.contains(undo.origin) else {
      for text in record.state.texts { makeStale(text.field, of: record) }
      return
    }
    // The transaction may read the texts next, so they cannot wait for the checkpoint.
    let entries = try entities.history.entries(of: record)
    for text in record.state.texts { try mergeText(text.field, &record, entries) }
    staleTexts[StaleText(table: record.table.number, id: Array(record.id.utf8))] = nil
  }

  /// Notes that all edits of a text have to be merged before the next checkpoint.
  func makeStale(_ field: Int, of record: EntityRecord) {
    staleTexts[
      StaleText(table: record.table.number, id: Array(record.id.utf8)), default: []
    ].insert(field)
  }

  /// Merges those edits of a base that is being written here that name it nevertheless: their
  /// authors have guessed its event.
  private func mergeNamedBefore(_ base: WriteRef, _ field: Int, _ record: inout EntityRecord) throws
  {
    guard record.state.soleOrigin == nil else { return }
    let entries = try entities.history.entries(of: record)
    guard entries.contains(where: { $0.isEdit && $0.base == base && $0.fields == [field] }) else {
      return
    }
    try mergeText(field, &record, entries)
  }

  /// Merges the edits of all texts that wait for it.
  func mergeStaleTexts() throws {
    guard !staleTexts.isEmpty else { return }
    let stale = staleTexts
    staleTexts = [:]
    for (text, fields) in stale.sorted(by: { $0.key < $1.key }) {
      guard let table = table(number: text.table),
        var record = try entities.find(table, String(decoding: text.id, as: UTF8.self))
      else { continue }
      let old = record.contribution(index)
      record.isEdited = true
      let entries = try entities.history.entries(of: record)
      for field in fields.sorted() { try mergeText(field, &record, entries) }
      replaceInDigest(old, record.contribution(index))
      try entities.save(&record)
    }
  }

  private func mergeText(_ field: Int, _ record: inout EntityRecord, _ entries: [HistoryEntry])
    throws
  {
    let number = place(of: field, in: &record)
    try forgetUnfit(field, record)
    guard let base = record.state.texts[number].base else { return }
    let winner = record.state[field: field]
    let reader = WriteReader(projector: self, table: record.table)
    let assigned = try winner.map { try reader.value($0, field) } ?? .null
    let fold = TextFold(index: index, base: base, assigned: assigned)
    let refs = entries.filter { $0.isEdit && $0.base == base && $0.fields == [field] }.map(\.ref)
    let undos = record.state.undone == nil ? nil : try undoHistory(entries)
    let result = try EditReader(index: index, events: earlier).scripts(of: refs)
      .withEdits { edits throws(ProjectionError) in try fold.merge(edits, undos: undos) }
    record.state.texts[number].merged = result.merged
    if let text = result.text {
      record.values[field] = .text(String(decoding: text, as: UTF8.self))
    } else {
      record.values[field] = winner == nil ? nil : assigned
    }
    for ref in result.unfit { try noteUnfit(ref, field, record) }
  }

  func place(of field: Int, in record: inout EntityRecord) -> Int {
    let number = record.state.texts.firstIndex { $0.field >= field } ?? record.state.texts.count
    if number == record.state.texts.count || record.state.texts[number].field != field {
      record.state.texts.insert(
        .init(field: field, base: record.state.textBase(field), merged: 0), at: number)
    }
    return number
  }

  /// Returns whether the author of an edit had seen all other writes to the field and all undos,
  /// and none of their authors claims to have seen the edit.
  private func isAlone(_ write: EntityWrite, in record: EntityRecord) throws(ProjectionError)
    -> Bool
  {
    guard let edit = write.edit, let last = record.state.lastWrites else { return true }
    for entry in last.registers[edit.field] ?? [] where entry.ref.origin != write.ref.origin {
      guard try index.hasSeen(write.ref, entry.ref), try !index.hasSeen(entry.ref, write.ref)
      else { return false }
    }
    for undo in record.state.undone?.last ?? [] {
      guard try index.hasSeen(write.ref, undo) else { return false }
    }
    return true
  }

  // MARK: - Edits that change nothing

  private func noteUnfit(_ ref: WriteRef, _ edit: EntityWrite.Edit, _ record: EntityRecord)
    throws(ProjectionError)
  { try noteUnfit(ref, edit.field, record) }

  /// Lists an edit that changes nothing.
  func noteUnfit(_ ref: WriteRef, _ field: Int, _ record: EntityRecord) throws(ProjectionError) {
    let insert = try sql("INSERT OR REPLACE INTO _daybook_unfit VALUES (?, ?, ?, ?, ?, ?)")
    try insert.bind(1, record.table.identity)
    try insert.bind(2, record.id)
    try insert.bind(3, record.table.fieldNames[field])
    try insert.bind(4, ref.origin)
    try insert.bind(5, Int64(bitPattern: ref.sequence))
    try insert.bind(6, Int64(ref.operation))
    try insert.run()
  }

  private func forgetUnfit(_ field: Int, _ record: EntityRecord) throws(ProjectionError) {
    let delete = try sql(
      "DELETE FROM _daybook_unfit WHERE collection = ? AND id = ? AND field = ?")
    try delete.bind(1, record.table.identity)
    try delete.bind(2, record.id)
    try delete.bind(3, record.table.fieldNames[field])
    try delete.run()
  }
}

extension StaleText: Comparable {
  static func < (a: StaleText, b: StaleText) -> Bool {
    a.table != b.table ? a.table < b.table : a.id.lexicographicallyPrecedes(b.id)
  }
}
