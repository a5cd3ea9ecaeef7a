import DaybookEventCore
import DaybookTexts

/// The texts of an entity while its writes are passed in the total order, for its history.
struct TextReplay {
  private struct Text {
    var base: WriteRef
    var assigned: Value
    var shown: Value
    /// The edits so far.
    var edits: [Edit] = []
    /// By origin, the last of its edits.
    var last: [Int: WriteRef] = [:]
    /// Whether the text has edits that it does not show yet.
    var isStale = false
  }

  private struct Edit {
    var ref: WriteRef
    var script: [UInt8]
    var isComparison: Bool
  }

  let index: EventIndex
  let source: any EventSource
  /// The undos that are taken into account; nil if there are none.
  let undos: UndoHistory?
  private var texts: [Int: Text] = [:]
  /// By field and base, edits that came before their base: hubs may stamp events in any order.
  private var early: [Int: [WriteRef: [Edit]]] = [:]
  private var firstInsertion: WriteRef?

  init(index: EventIndex, source: any EventSource, undos: UndoHistory? = nil) {
    self.index = index
    self.source = source
    self.undos = undos
  }

  mutating func assign(_ field: Int, _ ref: WriteRef, _ value: Value) {
    var text = Text(base: ref, assigned: value, shown: value)
    text.edits = (early[field]?[ref] ?? []).sorted { $0.ref < $1.ref }
    for edit in text.edits { text.last[edit.ref.origin] = edit.ref }
    text.isStale = !text.edits.isEmpty
    texts[field] = text
  }

  mutating func insert(_ ref: WriteRef) {
    guard firstInsertion == nil else { return }
    firstInsertion = ref
    // It is the base of edits of fields that it does not name, also of those that came early.
    for (field, edits) in early where edits[ref] != nil && texts[field] == nil {
      assign(field, ref, .null)
    }
  }

  mutating func erase() {
    texts = [:]
    firstInsertion = nil
  }

  /// Passes an edit.
  ///
  /// Cost: a copy of the text if its author had seen all edits before it; else a merge of them.
  /// - Returns: The text after it; nil if the field has none.
  mutating func edit(_ entry: HistoryEntry, _ edit: TextEdit) throws -> Value? {
    guard let field = entry.fields.first else { return nil }
    var patches = false
    if let text = texts[field], text.base == entry.base, !text.isStale {
      patches = try isAlone(entry.ref, in: text)
    }
    note(entry, edit)
    guard patches, var text = texts[field] else { return try current(field) }
    text.shown = TextFold.patch(text.shown, by: edit.script) ?? text.shown
    text.isStale = false
    texts[field] = text
    return text.shown
  }

  /// Passes an edit without merging it; ``current(_:)`` does that.
  mutating func note(_ entry: HistoryEntry, _ edit: TextEdit) {
    guard let field = entry.fields.first, let base = entry.base else { return }
    let edit = Edit(ref: entry.ref, script: edit.script, isComparison: edit.isComparison)
    if texts[field] == nil, base == firstInsertion { assign(field, base, .null) }
    guard var text = texts[field], text.base == base else {
      early[field, default: [:]][base, default: []].append(edit)
      return
    }
    // By the order of events, stamps may put an origin's later edits before earlier ones.
    let place = text.edits.firstIndex { entry.ref < $0.ref } ?? text.edits.count
    text.edits.insert(edit, at: place)
    text.last[entry.ref.origin] = max(text.last[entry.ref.origin] ?? entry.ref, entry.ref)
    text.isStale = true
    texts[field] = text
  }

  /// Returns whether the author of an edit had seen the base and all edits before it, and none of
  /// their authors claims to have seen the edit.
  private func isAlone(_ ref: WriteRef, in text: Text) throws(ProjectionError) -> Bool {
    guard try index.hasSeen(ref, text.base), text.last[ref.origin].map({ $0 < ref }) ?? true else {
      return false
    }
    for (origin, last) in text.last where origin != ref.origin {
      guard try index.hasSeen(ref, last), try !index.hasSeen(last, ref) else { return false }
    }
    guard let undone = undos?.undone else { return true }
    if undone.contains(index.event(of: ref)) { return false }
    for undo in undone.last where try !index.hasSeen(ref, undo) { return false }
    return true
  }

  /// Returns the text that a field shows, with the edits that came before their base.
  mutating func current(_ field: Int) throws -> Value? {
    guard var text = texts[field], text.isStale else { return texts[field]?.shown }
    text.shown = try merged(text)
    text.isStale = false
    texts[field] = text
    return text.shown
  }

  private func merged(_ text: Text) throws -> Value {
    let fold = TextFold(index: index, base: text.base, assigned: text.assigned)
    var bytes: [UInt8] = []
    let ranges = text.edits.map { edit in
      let start = bytes.count
      bytes += edit.script
      return start..<bytes.count
    }
    let result = try bytes.withRawBytes { raw throws(ProjectionError) in
      try fold.merge(
        zip(text.edits, ranges).map {
          .init(
            ref: $0.ref, script: UnsafeRawBufferPointer(rebasing: raw[$1]),
            isComparison: $0.isComparison)
        }, undos: undos)
    }
    return result.text.map { .text(String(decoding: $0, as: UTF8.self)) } ?? text.assigned
  }
}

extension EntityState {
  /// Whether a field shows a write: its winner, or an edit of the text that it shows.
  func shows(_ entry: HistoryEntry, in field: Int) -> Bool {
    guard entry.isEdit else { return self[field: field] == entry.ref }
    return entry.base == textBase(field)
  }
}
