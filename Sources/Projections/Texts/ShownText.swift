package import DaybookEventCore
package import DaybookTexts

/// A text as a snapshot shows it, with what is needed to tell later what has become of it.
package struct ShownText: Sendable {
  /// The write that the text begins with.
  package var base: EventID
  /// The index of that write within its event.
  package var operation: UInt32
  package var text: String
  /// The number of edits of the base that the text has.
  package var merged: Int
  /// The events that the snapshot shows, private ones included.
  package var vector: VersionVector

  /// Makes a text.
  package init(
    base: EventID, operation: UInt32, text: String, merged: Int, vector: VersionVector
  ) {
    self.base = base
    self.operation = operation
    self.text = text
    self.merged = merged
    self.vector = vector
  }

  /// Returns whether two texts begin with the same write.
  package func hasBase(of other: ShownText) -> Bool {
    base == other.base && operation == other.operation
  }
}

extension ReadModelView {
  /// Returns the text that a field of a live entity shows; nil if it is not live, or if the field
  /// holds a value that is no text. A field that was never written holds the empty text.
  ///
  /// Cost: a read of the entity.
  /// - Parameters:
  ///   - collection: the collection's name.
  ///   - id: the entity's id.
  ///   - field: the field's first name.
  package func shownText(_ collection: String, _ id: String, _ field: String) throws -> ShownText? {
    guard let record = try record(collection, id), record.state.isLive else { return nil }
    return shownText(of: record, field, wholeVector)
  }

  /// Returns the text that a field of a live entity shows; nil if it holds a value that is no text.
  /// - Parameters:
  ///   - record: a live entity.
  ///   - field: the field's first name.
  ///   - vector: the events that the snapshot shows, private ones included.
  func shownText(of record: EntityRecord, _ field: String, _ vector: VersionVector) -> ShownText? {
    // A field that no write has named has no number yet.
    let number = record.table.knownNumber(ofField: field)
    guard let base = number.map({ record.state.textBase($0) }) ?? record.state.firstInsertion
    else { return nil }
    let text: String
    switch number.flatMap({ record.values[$0] }) {
    case nil, .null?: text = ""
    case .text(let shown)?: text = shown
    default: return nil
    }
    return ShownText(
      base: EventID(index.origin(base.origin).id, base.sequence), operation: base.operation,
      text: text, merged: record.state.texts.first { $0.field == number }?.merged ?? 0,
      vector: vector)
  }

  /// Returns what turns a text that an earlier snapshot showed into the one that this snapshot
  /// shows: the edits that have come in since, merged.
  ///
  /// Cost: reads the new edits from the log, and those that their authors had not seen. The others
  /// are not read, however many the text has.
  /// - Parameters:
  ///   - old: the text in the earlier snapshot.
  ///   - new: the text in this one, which begins with the same write.
  ///   - collection: the collection's name.
  ///   - id: the entity's id.
  ///   - field: the field's first name.
  /// - Returns: the script; nil if the edits do not make the new text of the old one, which happens
  ///   if events that the earlier snapshot showed are not known any more.
  package func script(
    from old: ShownText, to new: ShownText, _ collection: String, _ id: String, _ field: String
  ) throws -> TextScript? {
    guard !new.text.isSame(as: old.text) else { return TextScript() }
    guard let edits = try edits(from: old, to: new, collection, id, field) else { return nil }
    let length = Array(old.text.utf8).withUnsafeBytes(UTF8Scalars.count)
    let reader = EditReader(index: index, events: projector.earlier)
    let (newScripts, knownScripts) = (
      try reader.scripts(of: edits.new), try reader.scripts(of: edits.known)
    )
    let script = try newScripts.withEdits { new throws(ProjectionError) -> TextScript? in
      try knownScripts.withEdits { known throws(ProjectionError) in
        try edits.fold.script(new, known: known, length: length)
      }
    }
    guard let script, script.applied(to: old.text)?.isSame(as: new.text) ?? false else {
      return nil
    }
    return script
  }

  /// Returns the edits that have come in between two snapshots of a text, and those among the
  /// earlier ones that the authors of the new ones had not seen.
  /// - Parameters: as of ``script(from:to:_:_:_:)``.
  /// - Returns: nil if undos or lost events stand between the snapshots.
  func edits(
    from old: ShownText, to new: ShownText, _ collection: String, _ id: String, _ field: String
  ) throws -> (fold: TextFold, new: [WriteRef], known: [WriteRef])? {
    guard new.vector.contains(old.vector), let record = try record(collection, id),
      let number = record.table.knownNumber(ofField: field),
      let base = record.state.textBase(number)
    else { return nil }
    // An undo changes parts of a text that no new edit has changed.
    for undo in record.state.undone?.last ?? [] {
      guard old.vector.contains(index.event(of: undo)) else { return nil }
    }
    let reading = NewEdits(field: number, base: base, record: record, view: self, old: old.vector)
    let refs = try reading.refs(count: new.merged - old.merged)
    var version = CommonVersion(index: index)
    for ref in refs { try version.include(ref) }
    let known = try version.known(
      number, base, record, entities: projector.entities, except: Set(refs), shown: old.vector)
    guard let known else { return nil }
    if let undone = record.state.undone {
      for undo in undone.last where try !version.has(undo) { return nil }
      for ref in known + refs where undone.contains(index.event(of: ref)) { return nil }
    }
    return (TextFold(index: index, base: base, assigned: .null), refs, known)
  }
}

/// The edits of a text that have come in since an earlier snapshot.
private struct NewEdits {
  let field: Int
  let base: WriteRef
  let record: EntityRecord
  let view: ReadModelView
  /// The events that the earlier snapshot shows.
  let old: VersionVector

  private func known(_ origin: Int) -> UInt64 { old[view.index.origin(origin).id] }

  /// Returns the edits, reading the history of the entity from its end, as far as necessary.
  /// - Parameter count: the number of edits, if none of them is unfit; the reading ends there.
  func refs(count: Int) throws -> [WriteRef] {
    var refs: [WriteRef] = []
    /// By origin, the first event that was read.
    var reached: [Int: UInt64] = [:]
    var chunksLeft = record.state.chunkCount
    var entries = record.state.recent
    while true {
      for entry in entries.reversed()
      where entry.isEdit && entry.base == base && entry.fields == [field] {
        reached[entry.ref.origin] = entry.ref.sequence
        if entry.ref.sequence > known(entry.ref.origin) { refs.append(entry.ref) }
      }
      guard chunksLeft > 0, refs.count != count, isMissing(reached) else { return refs }
      chunksLeft -= 1
      entries = try view.projector.entities.history.chunk(chunksLeft, of: record)
    }
  }

  /// Whether an origin may have new edits that were not read.
  private func isMissing(_ reached: [Int: UInt64]) -> Bool {
    let state = record.state
    if let sole = state.soleOrigin { return reached[sole].map { $0 > known(sole) } ?? true }
    return (state.lastWrites?.registers[field] ?? []).contains { last in
      (reached[last.ref.origin] ?? last.ref.sequence) > known(last.ref.origin)
    }
  }
}
