import EventCore
import Texts

/// The texts of an entity while its writes are passed in the total order, for its history.
struct TextReplay {
  private struct Text {
    var base: WriteRef
    var assigned: Value
    var shown: Value
    /// The edits so far, with their scripts.
    var edits: [(ref: WriteRef, script: [UInt8])] = []
  }

  let index: EventIndex
  let source: any EventSource
  private var texts: [Int: Text] = [:]
  private var firstInsertion: WriteRef?

  init(index: EventIndex, source: any EventSource) {
    self.index = index
    self.source = source
  }

  mutating func assign(_ field: Int, _ ref: WriteRef, _ value: Value) {
    texts[field] = Text(base: ref, assigned: value, shown: value)
  }

  mutating func insert(_ ref: WriteRef) { firstInsertion = firstInsertion ?? ref }

  mutating func erase() {
    texts = [:]
    firstInsertion = nil
  }

  /// Passes an edit.
  ///
  /// Cost: a copy of the text if its author had seen all edits before it; else a merge of them.
  /// - Returns: The text after it; nil if it changes nothing here.
  mutating func edit(_ entry: HistoryEntry, _ script: [UInt8]) throws -> Value? {
    guard let field = entry.fields.first, let base = entry.base else { return nil }
    if texts[field] == nil, base == firstInsertion { assign(field, base, .null) }
    guard var text = texts[field], text.base == base else { return nil }
    text.edits.append((entry.ref, script))
    let fold = TextFold(index: index, base: base, assigned: text.assigned)
    var bytes: [UInt8] = []
    let ranges = text.edits.map { edit in
      let start = bytes.count
      bytes += edit.script
      return start..<bytes.count
    }
    let result = try bytes.withRawBytes { raw throws(ProjectionError) in
      try fold.merge(
        zip(text.edits, ranges).map {
          .init(ref: $0.ref, script: UnsafeRawBufferPointer(rebasing: raw[$1]))
        })
    }
    if let merged = result.text { text.shown = .text(String(decoding: merged, as: UTF8.self)) }
    texts[field] = text
    return result.unfit.contains(entry.ref) ? nil : text.shown
  }
}

extension EntityState {
  /// Whether a field shows a write: its winner, or an edit of the text that it shows.
  func shows(_ entry: HistoryEntry, in field: Int) -> Bool {
    guard entry.isEdit else { return self[field: field] == entry.ref }
    return entry.base == textBase(field)
  }
}
