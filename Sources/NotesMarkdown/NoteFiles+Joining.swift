import DaybookNotes
import Foundation

extension NoteFiles {
  /// Joins notes that have come from one file: one device has a note, and another one has imported
  /// a copy of its file before it knew the note.
  ///
  /// The text of the one gets what the other has changed since, and the other goes to the trash.
  ///
  /// Cost: reads earlier states of those notes whose files have one path.
  static func join(_ source: String, _ notebook: Notebook) async throws {
    let files = try await all(source, notebook)
    var byPath: [String: [NoteEntity.ID]] = [:]
    for (id, entry) in files where entry.same == nil {
      byPath[FileName.key(entry.path), default: []].append(id)
    }
    for ids in byPath.values.filter({ $0.count > 1 }).map({ $0.sorted() }).sorted(by: {
      $0[0] < $1[0]
    }) {
      var left: [NoteEntity.ID] = []
      for id in ids where try await notebook.store.fetch(id) != nil {
        guard let first = left.first else {
          left.append(id)
          continue
        }
        if try await !join(first, id, source, notebook) { left.append(id) }
      }
    }
  }

  /// A note, one that has come from a copy of its file, and the copy's first text.
  private struct Pair: Sendable {
    var kept: NoteEntity.ID
    var copy: NoteEntity.ID
    var first: String
    /// The state of the note that the copy has come from.
    var base: ImportBase
  }

  /// Joins two notes if one is a copy of the other.
  private static func join(
    _ one: NoteEntity.ID, _ other: NoteEntity.ID, _ source: String, _ notebook: Notebook
  ) async throws -> Bool {
    let pairs = [
      try await pair(other, from: one, source, notebook),
      try await pair(one, from: other, source, notebook),
    ].compactMap(\.self)
    guard let pair = pairs.min(by: { $0.base.distance < $1.base.distance }) else { return false }
    // What the copy brought is an event of its own: the file that it was copied from may be
    // imported, too, and then one of both is taken out.
    if pair.base.distance > 0 {
      try await notebook.write(label: "imported twice") { tx in
        try tx.join(pair.kept, from: pair.base.text, to: pair.first)
      }
    }
    return try await notebook.write(label: "imported twice") { tx in
      guard let note = try tx.fetch(pair.kept), let twin = try tx.fetch(pair.copy) else {
        return false
      }
      try tx.join(pair.kept, from: pair.first, to: twin.body)
      let tags = try tx.fetch(NoteTag.where { $0.note == pair.copy }).map(\.tag)
      try tx.changeTags(of: pair.kept, adding: Set(tags), removing: [])
      if twin.isPinned, !note.isPinned { try tx.set(\.isPinned, of: pair.kept, to: true) }
      try tx.delete([pair.copy])
      try tx.update(collection, pair.copy.rawValue, ["same": .text(pair.kept.rawValue)])
      return true
    }
  }

  /// Returns the pair of a note and one that an import has made of a copy of its file, before it
  /// knew the note; nil if they are no such pair.
  private static func pair(
    _ copy: NoteEntity.ID, from note: NoteEntity.ID, _ source: String, _ notebook: Notebook
  ) async throws -> Pair? {
    let store = notebook.store
    let born = try await store.history(of: copy).first { $0.kind == .insert }
    let noteBorn = try await store.history(of: note).first { $0.kind == .insert }
    let value = born?.changes.first { $0.field == "body" }?.to
    // Notes that begin empty have nothing in common.
    guard let born, let noteBorn, born.label == ImportSession.label(source),
      case .text(let text)? = value, text.contains(where: { !$0.isWhitespace }),
      // A device that knows both files takes them for two notes, however much they are alike.
      try await store.at(.event(born.event)).fetch(collection, note.rawValue) == nil,
      try await store.at(.event(noteBorn.event)).fetch(collection, copy.rawValue) == nil,
      let base = try await ImportBase(of: note, like: text, store, keepsWords: true),
      base.isNear(text)
    else { return nil }
    return Pair(kept: note, copy: copy, first: text, base: base)
  }
}

extension WriteTransaction {
  /// Makes a change of one text in a note that has come from the same, unless an import has done
  /// so.
  fileprivate func join(_ id: NoteEntity.ID, from base: String, to text: String) throws {
    guard let note = try fetch(id), let script = note.body.script(from: base, to: text),
      try begin(ImportStep(id, "body", from: base, to: text))
    else { return }
    try edit(NoteEntity.collection, id.rawValue, "body", by: script, isComparison: true)
  }
}
