public import Daybook
import Foundation

/// The trash: what was deleted, and can be brought back.
///
/// A deleted note is no copy. The store keeps what was deleted, by whom and when, so an edit that
/// another device has made meanwhile is there when the note is restored.
extension Notebook {
  /// Moves notes to the trash.
  public func delete(_ ids: [NoteEntity.ID]) async throws {
    try await write(label: "delete") { try $0.delete(ids) }
  }

  /// The notes in the trash, the newest deletion first: now, and after every change.
  ///
  /// Cost: goes over all deleted notes after every change of a note.
  /// - Parameter limit: the most notes, at least 1.
  public func trash(limit: Int = 1000) -> LiveValues<[TrashedNote]> {
    // The rows say only that some were written; what is deleted is not among them.
    store.observe("notes") { _ in true }.making { store, _ in
      try await store.deleted(in: NoteEntity.self).page(limit: limit).items.map(TrashedNote.init)
    }
  }

  /// Brings notes back from the trash, with their tags, into the folders that they were in. A note
  /// whose folder is gone is shown at the top.
  /// - Throws: `StoreError` `noSuchEntity` if one is not in the trash.
  public func restore(_ ids: [NoteEntity.ID]) async throws {
    try await write(label: "restore") { try $0.restore(ids) }
  }

  /// Brings a folder back from the trash, with the folders and notes that were deleted with it.
  /// - Throws: `StoreError` `noSuchEntity` if the folder is not in the trash.
  public func restore(_ id: NoteFolder.ID) async throws {
    let folders = try await store.deleted(in: NoteFolder.self).all()
    let event = folders.first { $0.id == id.rawValue }?.event
    let notes = try await store.deleted(in: NoteEntity.self).all()
    let inside = (
      folders: folders.filter { $0.event == event && $0.id != id.rawValue },
      notes: notes.filter { $0.event == event }
    )
    try await write(label: "restore folder") { tx in
      try tx.restore(id)
      // What another device has restored meanwhile is there already.
      for folder in inside.folders where try tx.fetch(NoteFolder.ID(folder.id)) == nil {
        try tx.restore(NoteFolder.ID(folder.id))
      }
      for note in inside.notes where try tx.fetch(NoteEntity.ID(note.id)) == nil {
        try tx.restore(NoteEntity.ID(note.id))
      }
    }
  }

  /// Removes notes for good, from the trash or from lists. They cannot be restored.
  ///
  /// Their events stay in the log, so their past can still be read there.
  public func purge(_ ids: [NoteEntity.ID]) async throws {
    try await write(label: "purge") { tx in
      for id in ids {
        try tx.erase(NoteTag.where { $0.note == id }.all(tx))
        try tx.erase(id)
      }
    }
  }
}

extension EntityQuery where Model == NoteTag {
  fileprivate func all(_ tx: WriteTransaction) throws -> [NoteTag.ID] {
    try tx.fetch(self).map(\.id)
  }
}

extension TrashedNote {
  init(_ entity: Store.DeletedEntity) {
    func text(_ field: String) -> String? {
      if case .text(let text) = entity[field] { text } else { nil }
    }
    let opening = NoteOpening(given: text("title"), body: text("body") ?? "")
    self.init(
      id: NoteEntity.ID(entity.id), title: opening.title, preview: opening.preview,
      deleted: entity.date, actor: entity.actor)
  }
}
