package import Daybook
import EventCore
import Foundation

/// The text that a source's text has come from, which a change of the source is compared with.
package struct ImportBase: Sendable {
  package var text: String
  package var title: String?
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
    (self.text, title, self.past) = (text, copy.title, past)
  }

  private init(_ note: NoteEntity, _ past: PastStore?, _ distance: Int) {
    (text, title, self.past, self.distance) = (note.body, note.title, past, distance)
  }

  /// The number of earlier states that are looked through.
  private static let statesMax = 64

  /// Finds the state of a note that a text has most probably come from: the one that it differs
  /// from least. It is for a copy that this device knows nothing of, made by another one.
  ///
  /// Cost: reads up to 64 states of the note if it has not this text now.
  /// - Parameters:
  ///   - id: the note.
  ///   - isSame: whether a state of its text is the same as the one that was found.
  ///   - text: the text.
  package init?(
    of id: NoteEntity.ID, like text: String, _ store: Store,
    isSame: (String) -> Bool = { _ in false }
  ) async throws {
    func distance(_ body: String) -> Int {
      body.utf8.elementsEqual(text.utf8) || isSame(body) ? 0 : TextScript(from: body, to: text).size
    }
    guard let now = try await store.fetch(id) else { return nil }
    var best = ImportBase(now, nil, distance(now.body))
    guard best.distance > 0 else {
      best.text = text
      self = best
      return
    }
    let query = EventQuery(
      collection: NoteEntity.collection, id: id.rawValue, limit: Self.statesMax,
      isNewestFirst: true)
    var last = ExactText(now.body)
    for event in try await store.events(query).all() {
      let past = try await store.at(.event(event.id))
      guard let note = try await past.fetch(id), ExactText(note.body) != last else { continue }
      last = ExactText(note.body)
      let found = ImportBase(note, past, distance(note.body))
      if found.distance < best.distance { best = found }
      if best.distance == 0 {
        // What one form of a text has and another has not is no change of it.
        best.text = text
        break
      }
    }
    self = best
  }

  /// Whether a text that differs by ``distance`` has probably come from this one.
  package func isNear(_ other: String) -> Bool {
    distance == 0 || Self.areNear(text, other, distance)
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
    let theirs = TextScript(from: base, to: other)
    let ours = TextScript(from: base, to: self)
    let change = theirs.rebased(over: ours, isFirst: false)
    return change.isEmpty ? nil : change
  }
}
