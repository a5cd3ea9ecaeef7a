package import Daybook
import DaybookEventCore
import Foundation

/// The text that a source's text has come from, which a change of the source is compared with.
package struct ImportBase: Sendable {
  package var text: String
  package var title: String?
  /// The text of the note in that state.
  private var state: String
  /// The state of the store in which the note had that text.
  var past: PastStore?
  /// The number of characters by which the source's text differs; 0 if there was no need to count.
  package var distance = 0

  /// Finds the text that a copy had when this device last imported or exported it; nil if the note
  /// had none then.
  package init?(_ copy: NoteCopy, _ store: Store) async throws {
    guard let event = EventID(copy.seen) else { return nil }
    let past: PastStore
    let found: NoteEntity?
    // The log may have lost events, and what it had cannot be found then.
    do {
      past = try await store.at(.event(event))
      found = try await past.fetch(copy.note)
    } catch let error as StoreError where error.code == .invalidPosition { return nil }
    guard let note = found else { return nil }
    let script = try copy.difference.map { data in
      try data.withUnsafeBytes { try TextScript(decoding: $0) }
    }
    guard let text = script.map({ $0.applied(to: note.body) }) ?? note.body else { return nil }
    (self.text, state, title, self.past) = (text, note.body, copy.title, past)
  }

  private init(_ note: NoteEntity, _ past: PastStore?) {
    (text, state, title, self.past) = (note.body, note.body, note.title, past)
  }

  /// The number of earlier states that are looked through.
  private static let statesMax = 64

  /// Finds the state of a note that a text has most probably come from. It is for a copy that this
  /// device knows nothing of, made by another one.
  ///
  /// It is the state with the same text, or that from which an import has brought this text; else
  /// the one that has the fewest other words. Words that the copy lacks count twice, because they
  /// may be newer than it. Lines that the copy lacks and that were not in all states stay, and
  /// those that the note has by another way are not added again.
  ///
  /// Cost: reads up to 64 states of the note if it has not this text now.
  /// - Parameters:
  ///   - id: the note.
  ///   - isSame: whether a state of its text is the same as the one that was found.
  ///   - text: the text.
  ///   - keepsWords: whether no word of the note is taken out, even if the copy lacks it.
  package init?(
    of id: NoteEntity.ID, like text: String, _ store: Store, keepsWords: Bool = false,
    isSame: (String) -> Bool = { _ in false }
  ) async throws {
    let base = try await Self.found(id, text, store, keepsWords, isSame)
    guard let base else { return nil }
    self = base
  }

  private static func found(
    _ id: NoteEntity.ID, _ text: String, _ store: Store, _ keepsWords: Bool,
    _ isSame: (String) -> Bool
  ) async throws -> ImportBase? {
    func isExact(_ body: String) -> Bool {
      body.utf8.elementsEqual(text.utf8) || isSame(body)
    }
    // What one form of a text has and another has not is no change of it.
    func exact(_ base: ImportBase) -> ImportBase {
      var base = base
      (base.text, base.state) = (text, text)
      return base
    }
    guard let now = try await store.fetch(id) else { return nil }
    if isExact(now.body) { return exact(ImportBase(now, nil)) }
    if let base = try await imported(text, id, store) { return exact(base) }
    let words = WordCounts(text)
    var best = ImportBase(now, nil)
    var bestDistance = words.distance(from: now.body)
    var common = Set(now.body.utf8.split(separator: 0x0A).map { Substring($0) })
    let query = EventQuery(
      collection: NoteEntity.collection, id: id.rawValue, limit: statesMax,
      isNewestFirst: true)
    var last = ExactText(now.body)
    for event in try await store.events(query).all() {
      let past = try await store.at(.event(event.id))
      guard let note = try await past.fetch(id), ExactText(note.body) != last else { continue }
      last = ExactText(note.body)
      let found = ImportBase(note, past)
      if isExact(note.body) { return exact(found) }
      common.formIntersection(note.body.utf8.split(separator: 0x0A).map { Substring($0) })
      let distance = words.distance(from: note.body)
      guard distance <= bestDistance else { continue }
      if distance == bestDistance, found.size(to: text) >= best.size(to: text) { continue }
      (best, bestDistance) = (found, distance)
    }
    best.distance = max(best.size(to: text), 1)
    // A note that an import has made has come from a file which may be older than all its states.
    let isImported = try await store.history(of: id).contains {
      $0.kind == .insert && ImportSession.isLabel($0.label)
    }
    let keepsWords = keepsWords || isImported
    if let fit = LineFit(from: best.text, to: text) {
      best.text = fit.fitted(to: now.body) { line, others in
        let lost = Set(line.split(whereSeparator: \.isWhitespace))
        let there = Set(others.flatMap { $0.split(whereSeparator: \.isWhitespace) })
        let found = lost.intersection(there).count
        return keepsWords
          ? found == lost.count : common.contains(line) || found * 5 >= lost.count * 3
      }
    }
    return best
  }

  /// Finds the state that the import of a text has made; nil if it was not imported.
  private static func imported(
    _ text: String, _ id: NoteEntity.ID, _ store: Store
  ) async throws -> ImportBase? {
    let (note, result) = (id.rawValue, Digest.text([text]))
    let steps = try await store.fetch(
      ImportStep.where { $0.note == note && $0.field == "body" && $0.result == result })
    for step in steps {
      let event = try await store.history(of: step.id).first { $0.kind == .insert }?.event
      guard let event else { continue }
      let past = try await store.at(.event(event))
      if let note = try await past.fetch(id) { return ImportBase(note, past) }
    }
    return nil
  }

  private func size(to text: String) -> Int { TextScript(from: state, to: text).size }

  /// Whether a text that differs by ``distance`` has probably come from this one.
  package func isNear(_ other: String) -> Bool {
    distance == 0 || Self.areNear(state, other, distance)
  }

  /// Returns whether two texts have so much in common that one has probably come from the other:
  /// most of the words of the shorter one, or most characters in scripts without spaces.
  /// - Parameter distance: the number of characters by which they differ.
  package static func areNear(_ a: String, _ b: String, _ distance: Int) -> Bool {
    func words(_ text: String) -> Set<Substring> { Set(text.split(whereSeparator: \.isWhitespace)) }
    let (one, other) = (words(a), words(b))
    let common = one.intersection(other).count
    if common > 0, common * 5 >= min(one.count, other.count) * 3 { return true }
    return distance * 3 <= max(a.unicodeScalars.count, b.unicodeScalars.count)
  }
}

/// How often a text has each of its words.
private struct WordCounts {
  private let counts: [Substring: Int]

  init(_ text: String) {
    counts = text.split(whereSeparator: \.isWhitespace).reduce(into: [:]) { counts, word in
      counts[word, default: 0] += 1
    }
  }

  /// Returns how many words another text lacks of this one, and twice how many it has beside.
  func distance(from other: String) -> Int {
    let others = WordCounts(other).counts
    let lacking = counts.reduce(0) { $0 + max(0, $1.value - others[$1.key, default: 0]) }
    let beside = others.reduce(0) { $0 + max(0, $1.value - counts[$1.key, default: 0]) }
    return lacking + 2 * beside
  }
}

extension TextScript {
  /// The number of characters that the script inserts and deletes.
  package var size: Int {
    steps.reduce(0) { size, step in
      switch step {
      case .retain: size
      case .insert(let text): size + text.unicodeScalars.count
      case .delete(let count): size + count
      }
    }
  }
}

extension String {
  /// Returns this text with the change that leads from one text to another.
  ///
  /// What was changed here since the base stays.
  /// - Returns: nil if there is nothing to change.
  package func script(from base: String, to other: String) -> TextScript? {
    guard !base.utf8.elementsEqual(other.utf8), !utf8.elementsEqual(other.utf8) else { return nil }
    let theirs = LineFit.aligned(from: base, to: other)
    let ours = LineFit.aligned(from: base, to: self)
    let change = theirs.rebased(over: ours, isFirst: false)
    return change.isEmpty ? nil : change
  }
}
