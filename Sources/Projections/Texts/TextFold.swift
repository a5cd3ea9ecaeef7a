import DaybookEventCore
import DaybookTexts

/// The merged text of one field, folded from the write that it begins with and all edits of it.
struct TextFold {
  /// An edit of the base, with its encoded script.
  struct Edit {
    var ref: WriteRef
    var script: UnsafeRawBufferPointer
    /// Whether the edit was made by comparing two texts.
    var isComparison: Bool
  }

  struct Result {
    /// The merged text; nil if no edit counts, so that the field shows what was assigned.
    var text: [UInt8]?
    /// The number of edits that the text has.
    var merged = 0
    /// The edits that change nothing, ascending.
    var unfit: [WriteRef] = []
  }

  let index: EventIndex
  let base: WriteRef
  /// What was assigned; NULL counts as the empty text.
  let assigned: Value

  /// Merges all edits of the base that count.
  ///
  /// - Parameter edits: The edits, in the order of each origin, in any order among origins. Their
  ///   scripts must be valid while this runs. They are read more than once.
  /// - Parameter undos: The undos of the entity; nil if there are none.
  /// - Throws: ``ProjectionError`` if the read model cannot be read.
  func merge(_ edits: some Collection<Edit>, undos: UndoHistory? = nil) throws(ProjectionError)
    -> Result
  {
    guard let first = edits.first else { return Result() }
    if let undos, edits.contains(where: { undos.names(index.event(of: $0.ref)) }) {
      return try merge(edits, undos)
    }
    if edits.allSatisfy({ $0.ref.origin == first.ref.origin }) { return try patch(edits) }
    let plan = try plan(edits)
    var result = Result(unfit: plan.unfit)
    if let text = assignedText {
      let length = text.withUnsafeBytes(UTF8Scalars.count)
      let merged = try plan.merge.merged(length: length, sights: plan.sights)
      result.merged = plan.merge.count - merged.unfit.count
      result.unfit += merged.unfit.map(plan.ref)
      if result.merged > 0 { result.text = text.withUnsafeBytes { merged.text(base: $0) } }
    } else {
      result.unfit = edits.map(\.ref)
    }
    result.unfit.sort()
    return result
  }

  /// Merges edits of which some were undone, or undone and redone.
  private func merge(_ edits: some Collection<Edit>, _ undos: UndoHistory) throws(ProjectionError)
    -> Result
  {
    var result = Result()
    let written = try written(edits, undos)
    result.unfit = written.unfit
    let isUnfit = Set(written.unfit)
    result.merged = edits.reduce(0) { count, edit in
      let counts = !isUnfit.contains(edit.ref) && !undos.isUndone(index.event(of: edit.ref))
      return count + (counts ? 1 : 0)
    }
    guard result.merged > 0, let base = assignedText else { return result }
    var scalars: [WriteRef: [Unicode.Scalar]] = [:]
    for edit in edits { scalars[edit.ref] = TextScript.inserted(edit.script) }
    let assigned = Array(String(decoding: base, as: UTF8.self).unicodeScalars)
    var text = String.UnicodeScalarView()
    for part in written.parts where part.isShown {
      let source = part.edit.flatMap { scalars[$0] } ?? assigned
      text.append(contentsOf: source[part.offset..<part.offset + part.count])
    }
    result.text = Array(String(text).utf8)
    return result
  }

  /// A part of a text, whether the text shows it or not.
  struct Part {
    /// The edit that inserted it; nil for the base. Of several, the first one that counts, by
    /// origin and sequence.
    var edit: WriteRef?
    /// The index of its first scalar among those that the edit inserted, or in the base.
    var offset: Int
    /// The other edits that inserted it, and the index of its first scalar in each.
    var others: [(edit: WriteRef, offset: Int)]
    var count: Int
    /// Whether no edit that inserted it counts.
    var isUndone: Bool
    /// The edits that count and delete it.
    var deletedBy: [WriteRef]

    var isShown: Bool { !isUndone && deletedBy.isEmpty }
  }

  /// Returns all that was ever written in the text, in its order, and the edits that change
  /// nothing.
  ///
  /// - Parameters:
  ///   - edits: as in ``merge(_:undos:)``.
  ///   - undos: the undos of the entity; nil if there are none.
  func written(_ edits: some Collection<Edit>, _ undos: UndoHistory?) throws(ProjectionError)
    -> (parts: [Part], unfit: [WriteRef])
  {
    guard let text = assignedText else { return ([], edits.map(\.ref).sorted()) }
    let plan = try plan(edits, undos: undos)
    let length = text.withUnsafeBytes(UTF8Scalars.count)
    let merged = try plan.merge.parts(length: length, sights: plan.sights)
    func isUndone(_ ref: WriteRef) -> Bool { undos?.isUndone(index.event(of: ref)) ?? false }
    let parts = merged.parts.filter { $0.count > 0 }.map { part in
      var insertions = part.insertions.map { (edit: plan.ref($0.edit), offset: $0.offset) }
      let counting = insertions.firstIndex { !isUndone($0.edit) }
      let first = insertions.isEmpty ? nil : insertions.remove(at: counting ?? 0)
      return Part(
        edit: first?.edit, offset: first?.offset ?? part.baseOffset, others: insertions,
        count: part.count, isUndone: first != nil && counting == nil,
        deletedBy: part.deletedBy.map(plan.ref).filter { !isUndone($0) })
    }
    return (parts, (plan.unfit + merged.unfit.map(plan.ref)).sorted())
  }

  /// Applies all edits of the base, which are one author's, one after another.
  private func patch(_ edits: some Collection<Edit>) throws(ProjectionError) -> Result {
    var result = Result()
    let text = assignedText
    var merged = MergedText(length: text?.withUnsafeBytes(UTF8Scalars.count) ?? 0)
    var sights: [Int: UInt64] = [:]
    for edit in edits {
      guard text != nil, try isUsable(edit, &sights), merged.patch(edit.script) else {
        result.unfit.append(edit.ref)
        continue
      }
      result.merged += 1
    }
    if result.merged > 0 { result.text = text?.withUnsafeBytes { merged.text(base: $0) } }
    result.unfit.sort()
    return result
  }

  /// Merges new edits into a text that already contains others.
  ///
  /// - Parameters:
  ///   - new: the edits, in the order of each origin.
  ///   - known: edits that the text contains, in the order of each origin. At least one author of
  ///     a `new` edit, or of another `known` one, had not seen them.
  ///   - text: the text, in UTF-8.
  /// - Returns: nil if the known edits do not fit this text; the text is nil if none of the
  ///   new edits counts.
  func merge(_ new: [Edit], known: [Edit], into text: [UInt8]) throws(ProjectionError) -> Result? {
    let length = text.withUnsafeBytes(UTF8Scalars.count)
    guard let (merged, plan) = try merged(new, known: known, length: length) else { return nil }
    var result = Result(unfit: plan.unfit)
    result.merged = plan.merge.count - known.count - merged.unfit.count
    result.unfit += merged.unfit.map(plan.ref)
    if result.merged > 0 { result.text = text.withUnsafeBytes { merged.text(base: $0) } }
    result.unfit.sort()
    return result
  }

  /// Returns what edits change in a text that has others already.
  ///
  /// - Parameters:
  ///   - new: as in ``merge(_:known:into:)``.
  ///   - known: as in ``merge(_:known:into:)``.
  ///   - length: the number of scalars of the text.
  /// - Returns: nil if the known edits cannot be those of the text.
  func script(_ new: [Edit], known: [Edit], length: Int) throws(ProjectionError) -> TextScript? {
    try merged(new, known: known, length: length)?.text.script(length: length)
  }

  private func merged(_ new: [Edit], known: [Edit], length: Int) throws(ProjectionError)
    -> (text: MergedText, plan: Plan)?
  {
    let plan = try plan(known + new)
    let isKnown = Set(known.map(\.ref))
    let counts = plan.authors.indices.map { author in
      (0..<plan.merge.count(of: author))
        .prefix { isKnown.contains(plan.ref(.init(author: author, index: $0))) }.count
    }
    guard counts.reduce(0, +) == known.count else { return nil }
    let merged = try plan.merge.merged(known: counts, length: length, sights: plan.sights)
    return merged.map { ($0, plan) }
  }

  /// The text that was assigned; nil if it is no text.
  var assignedText: [UInt8]? {
    switch assigned {
    case .null: []
    case .text(let text): Array(text.utf8)
    default: nil
    }
  }

  /// Returns a text after an edit by an author who had seen it; nil if there is no text, or if the
  /// script does not fit it.
  static func patch(_ value: Value, by script: [UInt8]) -> Value? {
    var text: String
    switch value {
    case .null: text = ""
    case .text(let shown): text = shown
    default: return nil
    }
    return script.withUnsafeBytes { script -> Value? in
      guard (try? TextScript.check(script)) != nil else { return nil }
      return text.withUTF8 { old in
        TextScript.apply(script, to: UnsafeRawBufferPointer(old)).map {
          .text(String(decoding: $0, as: UTF8.self))
        }
      }
    }
  }

  /// The edits by author, as a merge wants them.
  struct Plan {
    var merge: TextMerge
    /// The numbers of the authors' origins, in the order of their ids.
    var authors: [Int]
    /// The edits whose authors had not seen the base, and those without a script.
    var unfit: [WriteRef] = []
    fileprivate let index: EventIndex
    /// For each author, the others that it ever mentioned.
    fileprivate var mentions: [Set<Int>] = []

    /// Returns the write that is an edit of the merge.
    func ref(_ edit: TextMerge.EditID) -> WriteRef {
      WriteRef(
        origin: authors[edit.author], sequence: merge.sequence(of: edit),
        operation: merge.operation(of: edit))
    }

    /// Returns what an author had seen of another at its first edit of the merge, and from which
    /// later events on it had seen more.
    func sights(_ author: Int, _ other: Int) throws(ProjectionError) -> [TextMerge.Sight] {
      guard merge.count(of: author) > 0 else { return [] }
      // Of many authors, most may not know each other.
      guard mentions[author].contains(other) else { return [] }
      let first = merge.sequence(of: .init(author: author, index: 0))
      return try index.sights(authors[author], of: authors[other], since: first)
    }
  }

  /// - Parameters:
  ///   - edits: in the order of each origin.
  ///   - undos: those of the entity; the merge has the ones that name an edit.
  ///   - guests: the number of authors that have no events, whose edits the caller adds. Their
  ///     numbers follow those of the others.
  func plan(_ edits: some Collection<Edit>, undos: UndoHistory? = nil, guests: Int = 0)
    throws(ProjectionError) -> Plan
  {
    var counts: [Int: Int] = [:]
    for edit in edits { counts[edit.ref.origin, default: 0] += 1 }
    let toggles = try toggles(undos, counts.keys.sorted(), edits)
    for toggle in toggles { counts[toggle.ref.origin, default: 0] += 1 }
    // By origin, those that are not in the plan yet, the last one first.
    var waiting = Dictionary(grouping: toggles.sorted { $0.ref > $1.ref }) { $0.ref.origin }
    let authors = counts.keys.sorted { index.origin($0).id < index.origin($1).id }
    let number = Dictionary(uniqueKeysWithValues: zip(authors, authors.indices))
    var plan = Plan(
      merge: TextMerge(authorCount: authors.count + guests), authors: authors, index: index)
    for (place, author) in authors.enumerated() {
      plan.merge.reserve(counts[author] ?? 0, by: place)
      let mentioned = try index.context(of: author).mentioned
      plan.mentions.append(
        Set(mentioned.compactMap { index.knownNumber(of: $0).flatMap { number[$0] } }))
    }
    func addToggles(of origin: Int, before ref: WriteRef?) {
      while let (toggle, undo) = waiting[origin]?.last, ref.map({ toggle < $0 }) ?? true,
        let author = number[origin]
      {
        waiting[origin]?.removeLast()
        plan.merge.add(
          author: author, sequence: toggle.sequence, operation: toggle.operation,
          toggle: .init(
            isUndone: undo.isUndone, rank: undo.rank,
            events: undo.events.compactMap { run in
              number[run.origin].map { ($0, run.sequences) }
            }))
      }
    }
    var sights: [Int: UInt64] = [:]
    for edit in edits {
      if !waiting.isEmpty { addToggles(of: edit.ref.origin, before: edit.ref) }
      guard let author = number[edit.ref.origin], try isUsable(edit, &sights) else {
        plan.unfit.append(edit.ref)
        continue
      }
      plan.merge.add(
        author: author, sequence: edit.ref.sequence, operation: edit.ref.operation,
        isComparison: edit.isComparison, script: edit.script)
    }
    for origin in authors { addToggles(of: origin, before: nil) }
    return plan
  }

  /// An undo as a merge wants it.
  private struct NamedEdits {
    var isUndone: Bool
    var rank: Int
    /// The named events of the authors of edits.
    var events: [(origin: Int, sequences: ClosedRange<UInt64>)]
  }

  /// Returns the undos that name an edit.
  private func toggles(_ undos: UndoHistory?, _ authors: [Int], _ edits: some Collection<Edit>)
    throws(ProjectionError) -> [(ref: WriteRef, undo: NamedEdits)]
  {
    guard let undos else { return [] }
    var sequences: [Int: [UInt64]] = [:]
    for edit in edits { sequences[edit.ref.origin, default: []].append(edit.ref.sequence) }
    let numbers = Dictionary(
      authors.map { (index.origin($0).id, $0) }, uniquingKeysWith: { first, _ in first })
    var toggles: [(ref: WriteRef, undo: NamedEdits)] = []
    for (rank, entry) in undos.entries.enumerated() {
      var undo = NamedEdits(isUndone: entry.isUndone, rank: rank, events: [])
      for run in entry.events {
        guard let origin = numbers[run.origin], let own = sequences[origin] else { continue }
        let first = own.partitioningIndex { $0 >= run.sequences.lowerBound }
        guard first < own.count, own[first] <= run.sequences.upperBound else { continue }
        undo.events.append((origin, run.sequences))
      }
      if !undo.events.isEmpty { toggles.append((entry.ref, undo)) }
    }
    return toggles
  }

  /// Returns whether the author of an edit had seen the base, and the script is one.
  /// - Parameter sights: The first event of each origin that had seen the base, as far as known.
  private func isUsable(_ edit: Edit, _ sights: inout [Int: UInt64]) throws(ProjectionError) -> Bool
  {
    let origin = edit.ref.origin
    if origin == base.origin {
      guard base.isEarlier(than: edit.ref) else { return false }
    } else {
      if sights[origin] == nil { sights[origin] = try index.firstSight(of: base, by: origin) }
      guard edit.ref.sequence >= sights[origin] ?? .max else { return false }
    }
    return (try? TextScript.check(edit.script)) != nil
  }
}

extension WriteRef {
  /// Whether this write comes earlier in the history of the same origin.
  func isEarlier(than other: WriteRef) -> Bool {
    origin == other.origin && other.isLater(than: self)
  }
}

extension WriteRef: Comparable {
  package static func < (a: WriteRef, b: WriteRef) -> Bool {
    (a.origin, a.sequence, a.operation) < (b.origin, b.sequence, b.operation)
  }
}

extension EventIndex {
  /// Returns whether the author of a write had seen another one.
  func hasSeen(_ write: WriteRef, _ other: WriteRef) throws(ProjectionError) -> Bool {
    write.origin == other.origin
      ? other.isEarlier(than: write)
      : try hasSeen(write.origin, at: write.sequence, event: (other.origin, other.sequence))
  }

  /// Returns the first event of an origin whose author had seen another origin's write; the maximum
  /// if none had.
  func firstSight(of write: WriteRef, by author: Int) throws(ProjectionError) -> UInt64 {
    let query = try sql(
      "SELECT min(sequence) FROM _daybook_context WHERE author = ? AND seen = ? AND through >= ?")
    try query.bind(1, author)
    try query.bind(2, write.origin)
    try query.bind(3, Int64(bitPattern: write.sequence))
    defer { query.reset() }
    guard try query.step(), !query.isNull(0) else { return .max }
    return UInt64(bitPattern: query.integer(0))
  }

  /// Returns how much an origin had seen of another at an event, and from which later events on it
  /// had seen more, ascending.
  func sights(_ author: Int, of other: Int, since sequence: UInt64) throws(ProjectionError)
    -> [TextMerge.Sight]
  {
    let seen = try seen(by: author, at: sequence, of: other)
    var sights = seen > 0 ? [TextMerge.Sight(from: sequence, through: seen)] : []
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
        .init(
          from: UInt64(bitPattern: query.integer(0)),
          through: UInt64(bitPattern: query.integer(1))))
    }
    return sights
  }
}
