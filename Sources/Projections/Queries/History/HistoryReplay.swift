import DaybookEventCore

/// What an entity shows while its writes are passed in the total order, for its history.
struct HistoryReplay {
  let projector: Projector
  let table: CollectionTable
  /// The undos of the entity, by the write.
  private let undos: [WriteRef: UndoHistory.Entry]
  /// The writes so far; empty if the entity has no undos.
  private var passed: [(entry: HistoryEntry, operation: Operation)] = []
  /// The undos so far; nil if there are none.
  private var passedUndos: UndoHistory?
  private var texts: TextReplay
  /// The values that the fields show, by the fields' first names.
  private(set) var shown: [String: Value] = [:]

  init(_ projector: Projector, _ table: CollectionTable, _ undos: UndoHistory?) {
    self.projector = projector
    self.table = table
    self.undos = Dictionary(
      (undos?.entries ?? []).map { ($0.ref, $0) }, uniquingKeysWith: { first, _ in first })
    texts = TextReplay(index: projector.index, source: projector.source)
  }

  /// Passes the next write.
  ///
  /// Cost: that of the write, and of a merge for a concurrent edit; for an undo, a pass over all
  /// writes so far.
  /// - Returns: the fields that it has written or that it changes, each with its new value.
  mutating func pass(_ entry: HistoryEntry, _ operation: Operation) throws -> [String: Value] {
    if !undos.isEmpty { passed.append((entry, operation)) }
    guard let undo = undos[entry.ref] else { return try take(entry, operation) }
    passedUndos = UndoHistory((passedUndos?.entries ?? []) + [undo])
    let before = shown
    try replay()
    var changed: [String: Value] = [:]
    for name in Set(before.keys).union(shown.keys) {
      let value = shown[name] ?? .null
      if value != before[name] ?? .null { changed[name] = value }
    }
    return changed
  }

  /// Folds all writes so far, without those that were undone.
  private mutating func replay() throws {
    shown = [:]
    texts = TextReplay(index: projector.index, source: projector.source, undos: passedUndos)
    var edited: Set<Int> = []
    for (entry, operation) in passed where !entry.isUndo {
      if case .edit(let edit) = operation {
        // The place of an edit depends on undone edits, too.
        texts.note(entry, edit)
        edited.formUnion(entry.fields)
      } else {
        _ = try take(entry, operation)
      }
    }
    for field in edited.sorted() {
      if let text = try texts.current(field) { shown[table.fieldNames[field]] = text }
    }
  }

  private mutating func take(_ entry: HistoryEntry, _ operation: Operation) throws
    -> [String: Value]
  {
    var values: [String: Value] = [:]
    switch operation {
    case .insert(_, _, let fields), .update(_, _, let fields): values = fields
    case .edit(let edit):
      values = [edit.field: try texts.edit(entry, edit) ?? shown[edit.field] ?? .null]
    default: break
    }
    let event = projector.index.event(of: entry.ref)
    if entry.canBeUndone, passedUndos?.isUndone(event) ?? false { return values }
    for (name, value) in values {
      shown[name] = value
      if let field = table.knownNumber(ofField: name), !entry.isEdit {
        texts.assign(field, entry.ref, value)
      }
    }
    switch operation {
    case .erase:
      shown = [:]
      texts.erase()
    case .insert: texts.insert(entry.ref)
    default: break
    }
    return values
  }
}
