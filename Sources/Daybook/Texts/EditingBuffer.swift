import DaybookEngine
import DaybookEventCore
import DaybookProjections
import DaybookTexts

/// The text of an editing session: what the store shows, what was typed and is not written, and
/// what others have written and the editor has not taken.
///
/// All three begin with a common text, which is not kept:
///
/// ```
/// common text ── own ──▶ the session's text
///      └── remote ──▶ the text that the store shows
/// ```
/// What is written is `own`, moved over `remote`. What the editor takes is `remote`, moved over
/// `own`.
struct EditingBuffer {
  /// What was typed, to become one event.
  private struct Batch {
    var script = TextScript()
    /// The number of edits.
    var count = 0
    /// The UTF-8 bytes that were inserted, also those that were deleted again.
    var bytes = 0
    /// The number of the last edit in it.
    var last = 0
    var isBeingWritten = false
  }

  /// The session's text.
  private var editable: EditableText
  /// The text that the store shows, as far as this session knows.
  private(set) var known: ShownText
  private var remote = TextScript()
  /// What the editor has to take; nil if there is nothing.
  private var news: TextChange.Kind?
  /// Whether the store shows no text now.
  private(set) var isMissing = false
  private var own: [Batch] = []
  /// The number of edits so far.
  private(set) var typed = 0
  private var taken = 0
  /// The number of the last edit that is durable.
  private(set) var written = 0
  /// The most edits and bytes of a batch.
  private let limits: (edits: Int, bytes: Int)

  init(_ shown: ShownText, edits: Int, bytes: Int) {
    known = shown
    editable = EditableText(shown.text)
    limits = (edits, bytes)
  }

  /// The session's text.
  var text: String { editable.text }

  /// A number that is another one whenever the session's text has changed.
  var version: Int { typed + taken }

  /// The most bytes that a batch may insert. An event also holds names, the actor and the label.
  static let bytesMax = Body.eventBytesMax - (1 << 17)

  /// The number of edits that are not durable.
  var unsaved: Int { typed - written }

  /// Whether there is a batch that is to be written at once, because no more fits in it.
  var isFull: Bool {
    own.count > 1 && !own[0].isBeingWritten || own.first.map(isFull) ?? false
  }

  var hasNews: Bool { news != nil }

  private func isFull(_ batch: Batch) -> Bool {
    batch.count >= limits.edits || batch.bytes >= limits.bytes
  }

  // MARK: - The editor

  /// Changes the session's text.
  /// - Parameter bytes: the UTF-8 bytes that `change` inserts.
  mutating func edit(
    inserting bytes: Int, _ change: (inout EditableText) throws(StoreError) -> Void
  ) throws(StoreError) {
    defer { editable.makeWhole() }
    do { try change(&editable) } catch {
      editable.forgetChanges()
      throw error
    }
    let script = editable.script
    editable.forgetChanges()
    guard !script.isEmpty else { return }
    typed += 1
    let isRoom = own.last.map { batch in
      !batch.isBeingWritten && !isFull(batch) && batch.bytes + bytes <= Self.bytesMax
    }
    if !(isRoom ?? false) { own.append(Batch()) }
    let last = own.count - 1
    own[last].script = own[last].script.followed(by: script)
    own[last].count += 1
    own[last].bytes += bytes
    own[last].last = typed
  }

  /// Returns what others have written since, and changes the session's text by it; nil if there is
  /// nothing.
  mutating func take() -> TextChange? {
    guard let kind = news else { return nil }
    news = nil
    taken += 1
    let previous = text
    if kind == .missing { return TextChange(.missing, from: previous, to: nil, by: TextScript()) }
    var theirs = remote
    remote = TextScript()
    for index in own.indices {
      let mine = own[index].script
      own[index].script = mine.rebased(over: theirs, isFirst: true)
      theirs = theirs.rebased(over: mine, isFirst: false)
    }
    // The scripts fit each other, so the text is long enough.
    try? editable.apply(theirs)
    editable.forgetChanges()
    return TextChange(kind, from: previous, to: text, by: theirs)
  }

  // MARK: - The store

  /// Takes in what the store shows now.
  mutating func note(_ now: TextNews) {
    guard let text = now.text else {
      if !isMissing { news = .missing }
      isMissing = true
      return
    }
    let isReplaced = !text.hasBase(of: known)
    let edits = now.edits ?? TextScript(from: known.text, to: text.text)
    remote = remote.followed(by: edits)
    if isReplaced {
      news = .replaced
    } else if !edits.isEmpty || isMissing {
      news = news == .replaced ? .replaced : .edited
    }
    known = text
    isMissing = false
  }

  /// Begins to write the first batch.
  /// - Returns: a script for the text that the store shows; nil if there is no batch. An empty
  ///   script need not be written.
  mutating func beginWriting() -> TextScript? {
    guard !own.isEmpty else { return nil }
    own[0].isBeingWritten = true
    return own[0].script.rebased(over: remote, isFirst: true)
  }

  /// Notes that the first batch is durable.
  /// - Parameters:
  ///   - script: the script that was written.
  ///   - shown: the text that the store shows now.
  mutating func endWriting(_ shown: ShownText) {
    guard !own.isEmpty else { return }
    let batch = own.removeFirst()
    remote = remote.rebased(over: batch.script, isFirst: false)
    written = batch.last
    known = shown
  }

  /// Notes that the first batch could not be written.
  mutating func failWriting() {
    if !own.isEmpty { own[0].isBeingWritten = false }
  }
}

extension TextScript {
  /// The UTF-8 bytes of all insertions.
  var insertedBytes: Int {
    steps.reduce(0) { sum, step in
      if case .insert(let text) = step { sum + text.utf8.count } else { sum }
    }
  }
}
