public import Daybook
import DaybookEventCore
import Foundation

/// Notes: lists, and what is done to them.
extension Notebook {
  // MARK: - Lists

  /// The notes of a list: now, and after every change by any device. Pinned notes come first, and
  /// among them and the others those that were written to last.
  ///
  /// Cost: reads the beginnings of the texts that it returns, so a limit makes long lists cheap.
  /// - Parameters:
  ///   - filter: which notes.
  ///   - limit: the most notes; nil for all.
  public func notes(in filter: NoteFilter = .all, limit: Int? = nil) -> LiveValues<[NoteSummary]> {
    store.observe("notes", "folders", "note_tags") { db in
      try NoteListing.summaries(filter, limit: limit, db)
    }
  }

  /// Returns the notes of a list as they are now; see ``notes(in:limit:)``.
  public func list(_ filter: NoteFilter = .all, limit: Int? = nil) async throws -> [NoteSummary] {
    try await store.read { db in try NoteListing.summaries(filter, limit: limit, db) }
  }

  /// All tags with their numbers of notes, sorted: now, and after every change.
  public func tags() -> LiveValues<[NoteTagCount]> {
    store.observe("notes", "note_tags") { db in try NoteListing.tags(db) }
  }

  /// The notes in which all words of a text occur, the best first: now, and after every change.
  ///
  /// Each word may be the beginning of a longer one. No text is an error.
  /// - Parameters:
  ///   - text: what a person has typed.
  ///   - limit: the most notes, at least 0.
  public func search(_ text: String, limit: Int = 50) -> LiveValues<[NoteHit]> {
    store.observe(matchesOf: NoteEntity.self, for: text, matching: .beginnings, limit: limit)
      .making { store, hits in
        let ids = hits.map(\.id)
        let summaries = try await store.read { db in try NoteListing.summaries(of: ids, db) }
        let byID = Dictionary(summaries.map { ($0.id, $0) }) { first, _ in first }
        return hits.compactMap { hit in
          byID[hit.id].map { NoteHit(summary: $0, excerpt: hit.excerpt, score: hit.score) }
        }
      }
  }

  // MARK: - One note

  /// What a list shows of a note; nil if there is none, or it is in the trash.
  public func summary(of id: NoteEntity.ID) async throws -> NoteSummary? {
    try await store.read { db in try NoteListing.summaries(of: [id], db).first }
  }

  /// The text of a note; nil if there is no such note.
  public func body(of id: NoteEntity.ID) async throws -> String? {
    try await store.fetch(id)?.body
  }

  /// The text of a note, for its editor: now, and after every change by any device; nil while there
  /// is no such note, or it is in the trash.
  public func bodies(of id: NoteEntity.ID) -> LiveValues<String?> {
    store.observe(id).making { _, note in note?.body }
  }

  /// Opens a session for the editor of a note: keystrokes take effect at once, become few events in
  /// the background, and merge with what others write; see `EditingSession`.
  ///
  /// ```swift
  /// let editor = try await notebook.editor(of: id)
  /// try editor.insert("Oat ", at: 0)
  /// for await change in editor.changes { view.apply(change) }
  /// try await editor.close()
  /// ```
  /// - Parameter id: the id of the note.
  /// - Throws: `StoreError` `noSuchEntity`, also for a note in the trash.
  public func editor(of id: NoteEntity.ID) async throws -> EditingSession {
    let options = EditingSession.Options(actor: actor.isEmpty ? nil : actor, label: "edit")
    return try await store.editingSession(id, text: \.body, options: options)
  }

  /// Adds a note.
  /// - Parameters:
  ///   - body: the text.
  ///   - folder: the folder; nil for the top.
  ///   - tags: the tags.
  ///   - isPinned: whether the note is pinned.
  /// - Returns: the id of the note.
  /// - Throws: ``NotesError`` `invalidTag`; `StoreError`.
  @discardableResult
  public func add(
    _ body: String = "", in folder: NoteFolder.ID? = nil, tags: [String] = [],
    isPinned: Bool = false
  ) async throws -> NoteEntity.ID {
    var note = NoteEntity()
    (note.body, note.folder, note.isPinned) = (body, folder, isPinned)
    let tags = try tags.map(NoteTag.checked)
    return try await write(label: "add") { [note] tx in
      try tx.insert(note)
      try tx.insertOrOverwrite(Set(tags).sorted().map { NoteTag(note.id, $0) })
      return note.id
    }
  }

  /// Changes the text of a note. What is written is the change, so it merges with what other
  /// devices write meanwhile.
  ///
  /// ```swift
  /// try await notebook.edit(id) { text in try text.insert("Oat ", at: 0) }
  /// ```
  /// - Parameters:
  ///   - id: the id of the note.
  ///   - change: changes the text that the note has.
  /// - Throws: `StoreError` `noSuchEntity`, also for a note in the trash; what `change` throws.
  public func edit(
    _ id: NoteEntity.ID, _ change: @escaping @Sendable (inout EditableText) throws -> Void
  ) async throws {
    try await write(label: "edit") { try $0.edit(id, \.body, change) }
  }

  /// Pins a note to the top of lists, or unpins it.
  public func setPinned(_ id: NoteEntity.ID, _ isPinned: Bool = true) async throws {
    try await write(label: "pin") { try $0.set(\.isPinned, of: id, to: isPinned) }
  }

  /// Gives a note a title of its own; nil for the first line of its text.
  public func setTitle(_ id: NoteEntity.ID, _ title: String?) async throws {
    try await write(label: "title") { try $0.set(\.title, of: id, to: title) }
  }

  /// Moves notes into a folder; nil for the top.
  public func move(_ ids: [NoteEntity.ID], to folder: NoteFolder.ID?) async throws {
    try await write(label: "move") { tx in
      for id in ids { try tx.set(\.folder, of: id, to: folder) }
    }
  }

  /// Adds tags to a note, and takes others away. Tags that two devices add are both there.
  /// - Throws: ``NotesError`` `invalidTag`; `StoreError` `noSuchEntity` if there is no such note.
  public func tag(
    _ id: NoteEntity.ID, adding new: [String] = [], removing old: [String] = []
  ) async throws {
    let new = try new.map(NoteTag.checked)
    try await write(label: "tag") { tx in
      // The note itself is not written, so look whether it is there.
      guard try tx.fetch(id) != nil else {
        throw StoreError(
          .noSuchEntity, "there is no note “\(id)”", hint: "Restore it from the trash first")
      }
      try tx.changeTags(of: id, adding: Set(new), removing: Set(old))
    }
  }
}

extension WriteTransaction {
  /// Adds tags to a note, and takes others away.
  /// - Parameters:
  ///   - new: tags in their normal form.
  ///   - old: tags in any form of Unicode; equal ones are taken away in every form.
  package func changeTags(
    of id: NoteEntity.ID, adding new: Set<String>, removing old: Set<String>
  ) throws {
    // Strings are equal if they are canonically equivalent, so each form of a tag is found.
    let gone = old.subtracting(new)
    if !gone.isEmpty {
      let all = try fetch(NoteTag.where { $0.note == id })
      try delete(all.filter { gone.contains($0.tag) }.map(\.id).sorted())
    }
    try insertOrOverwrite(new.sorted(by: utf8Less).map { NoteTag(id, $0) })
  }
}

extension NoteTag {
  /// The most bytes of a tag, which is part of an id.
  private static let bytesMax = 512

  /// Returns a tag in its normal form: composed as Unicode's form C, without white space around
  /// it. What looks the same is one tag, whatever its keyboard has made of it.
  /// - Throws: ``NotesError`` `invalidTag` if nothing is left, or it has a line break, or is long.
  package static func checked(_ text: String) throws -> String {
    let tag = normal(text.trimmingCharacters(in: .whitespacesAndNewlines))
    guard !tag.isEmpty, !tag.contains(where: \.isNewline), !tag.utf8.contains(0) else {
      throw NotesError(
        .invalidTag, "“\(text)” is no tag", hint: "Give at least one character, and no line break")
    }
    guard tag.utf8.count <= bytesMax else {
      throw NotesError(
        .invalidTag, "the tag “\(tag.prefix(40))…” has \(tag.utf8.count) bytes",
        hint: "Give at most \(bytesMax) bytes")
    }
    return tag
  }

  /// Returns a text as Unicode's form C.
  static func normal(_ text: String) -> String {
    text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCanonicalMapping
  }
}
