package import EventCore
package import Texts

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
      vector: wholeVector)
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
    guard new.vector.contains(old.vector), let record = try record(collection, id),
      let number = record.table.knownNumber(ofField: field),
      let base = record.state.textBase(number)
    else { return nil }
    var edits = EditsSince(
      view: self, record: record, field: number, base: base, old: old,
      newCount: new.merged - old.merged)
    let refs = try edits.needed()
    let fold = TextFold(index: index, base: base, assigned: .null)
    let length = Array(old.text.utf8).withUnsafeBytes(UTF8Scalars.count)
    let first = edits.first
    let script = try EditReader(index: index, source: projector.source).scripts(of: refs)
      .withEdits { edits throws(ProjectionError) -> TextScript? in
        let plan = try fold.plan(edits)
        let known = plan.refs.map { refs in
          refs.filter { old.vector[index.origin($0.origin).id] >= $0.sequence }.count
        }
        let merged = try plan.merge.merged(known: known, length: length) {
          author, other throws(ProjectionError) in
          let (author, other) = (plan.authors[author], plan.authors[other])
          return try index.sights(author, of: other, since: first[author]?.sequence ?? 0)
            .map { .init(from: $0.from, through: $0.through) }
        }
        return merged?.script(length: length)
      }
    guard let script, script.applied(to: old.text)?.isSame(as: new.text) ?? false else {
      return nil
    }
    return script
  }
}

/// The edits of a text that have come in since an earlier snapshot, and those before them that
/// their authors had not seen.
///
/// The history of the entity is read from its end, as far as necessary.
private struct EditsSince {
  let view: ReadModelView
  let record: EntityRecord
  let field: Int
  let base: WriteRef
  let old: ShownText
  /// The number of new edits, if none of them is unfit.
  let newCount: Int

  /// By origin, the edits that were read so far, the latest first.
  private var edits: [Int: [WriteRef]] = [:]
  /// The number of chunks of the history that were not read.
  private var chunksLeft: Int
  /// By origin, the first edit that is needed.
  private(set) var first: [Int: WriteRef] = [:]

  init(
    view: ReadModelView, record: EntityRecord, field: Int, base: WriteRef, old: ShownText,
    newCount: Int
  ) {
    self.view = view
    self.record = record
    self.field = field
    self.base = base
    self.old = old
    self.newCount = newCount
    chunksLeft = record.state.chunkCount
    take(record.state.recent)
  }

  private mutating func take(_ entries: [HistoryEntry]) {
    for entry in entries.reversed()
    where entry.isEdit && entry.base == base && entry.fields == [field] {
      edits[entry.ref.origin, default: []].append(entry.ref)
    }
  }

  /// By origin, its last write to the field, as far as it is known without the whole history.
  private var last: [Int: UInt64] {
    var last = edits.mapValues { $0.first?.sequence ?? 0 }
    for entry in record.state.lastWrites?.registers[field] ?? [] {
      last[entry.ref.origin] = max(last[entry.ref.origin] ?? 0, entry.ref.sequence)
    }
    return last
  }

  private func known(_ origin: Int) -> UInt64 { old.vector[view.index.origin(origin).id] }

  private var countOfNew: Int {
    edits.reduce(0) { sum, own in
      sum + own.value.prefix { $0.sequence > known(own.key) }.count
    }
  }

  /// Reads the history back until it has all edits of each origin behind an event.
  private mutating func read(behind through: [Int: UInt64], enough: (EditsSince) -> Bool)
    throws(ProjectionError)
  {
    while chunksLeft > 0, !enough(self) {
      let isMissing = last.contains { origin, last in
        guard let through = through[origin], last > through else { return false }
        return edits[origin]?.last.map { $0.sequence > through } ?? true
      }
      guard isMissing else { return }
      chunksLeft -= 1
      take(try view.projector.entities.chunk(chunksLeft, of: record))
    }
  }

  /// Returns the edits that a merge needs, by origin and ascending.
  mutating func needed() throws(ProjectionError) -> [WriteRef] {
    var through: [Int: UInt64] = [:]
    for origin in last.keys { through[origin] = known(origin) }
    let newCount = newCount
    try read(behind: through) { $0.countOfNew == newCount }
    for origin in last.keys { through[origin] = known(origin) }
    for (origin, own) in edits {
      first[origin] = own.prefix { $0.sequence > through[origin] ?? 0 }.last
    }
    // The edits that an author of a needed edit had not seen are needed, too.
    var waiting = first
    while let (author, edit) = waiting.popFirst() {
      for (origin, last) in last where origin != author {
        let seen = try view.index.seen(by: author, at: edit.sequence, of: origin)
        guard seen < min(through[origin] ?? 0, last) else { continue }
        through[origin] = seen
        try read(behind: [origin: seen]) { _ in false }
        let earliest = edits[origin]?.prefix { $0.sequence > seen }.last
        guard let earliest, earliest != first[origin] else { continue }
        first[origin] = earliest
        waiting[origin] = earliest
      }
    }
    return edits.flatMap { origin, own in
      own.prefix { $0.sequence > through[origin] ?? 0 }.reversed()
    }
  }
}

extension EntityStore {
  /// Returns a chunk of an entity's history.
  /// - Parameters:
  ///   - position: the number of chunks before it.
  ///   - record: the entity.
  func chunk(_ position: Int, of record: EntityRecord) throws(ProjectionError) -> [HistoryEntry] {
    let query = try sql("SELECT entries FROM _daybook_history WHERE entity = ? AND chunk = ?")
    try query.bind(1, record.number)
    try query.bind(2, position)
    defer { query.reset() }
    guard try query.step() else { throw .damaged("an entity's history has a hole") }
    let entries: [HistoryEntry]
    do throws(EventError) {
      entries = try query.blob(0).withRawBytes { raw throws(EventError) in
        try HistoryEntry.decode(chunk: raw)
      }
    } catch { throw .damaged("an entity's history: \(error)") }
    let fieldCount = record.table.fieldNames.count
    guard entries.allSatisfy({ $0.makesSense(index, fieldCount: fieldCount) }) else {
      throw .damaged("the history of “\(record.id)” names what there is not")
    }
    return entries
  }
}

extension EventIndex {
  /// Returns how much an origin had seen of another at an event, and from which later events on it
  /// had seen more, ascending.
  func sights(_ author: Int, of other: Int, since sequence: UInt64) throws(ProjectionError)
    -> [(from: UInt64, through: UInt64)]
  {
    let seen = try seen(by: author, at: sequence, of: other)
    var sights: [(from: UInt64, through: UInt64)] = seen > 0 ? [(sequence, seen)] : []
    let query = try sql(
      """
      SELECT sequence, through FROM _daybook_context
      WHERE author = ? AND seen = ? AND sequence > ? ORDER BY sequence
      """)
    try query.bind(1, author)
    try query.bind(2, other)
    try query.bind(3, Int64(bitPattern: sequence))
    defer { query.reset() }
    while try query.step() {
      sights.append(
        (UInt64(bitPattern: query.integer(0)), UInt64(bitPattern: query.integer(1))))
    }
    return sights
  }
}
