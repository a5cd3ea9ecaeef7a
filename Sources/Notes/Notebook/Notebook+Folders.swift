public import Daybook
import Foundation

/// Folders: a tree with an order.
extension Notebook {
  /// The folders as a tree, in their order: now, and after every change by any device.
  public func folders() -> LiveValues<[NoteFolderNode]> {
    store.observe("folders", "notes") { db in try NoteListing.folders(db) }
  }

  /// Returns the folders as they are now; see ``folders()``.
  public func folderTree() async throws -> [NoteFolderNode] {
    try await store.read { db in try NoteListing.folders(db) }
  }

  /// Adds a folder behind the others of its parent.
  /// - Parameters:
  ///   - name: the name.
  ///   - parent: the folder that it is in; nil for the top.
  /// - Returns: the id of the folder.
  @discardableResult
  public func addFolder(
    _ name: String, in parent: NoteFolder.ID? = nil
  ) async throws -> NoteFolder.ID {
    try await write(label: "add folder") { try $0.addFolder(name, in: parent) }
  }

  /// Renames a folder.
  public func rename(_ id: NoteFolder.ID, to name: String) async throws {
    try await write(label: "rename folder") { try $0.set(\.name, of: id, to: name) }
  }

  /// Moves a folder into another one, or among those of one parent.
  /// - Parameters:
  ///   - id: the id of the folder.
  ///   - parent: the folder that it will be in; nil for the top.
  ///   - next: the folder that it will stand before; nil for the end.
  /// - Throws: `StoreError` `wouldLoop` if the folder would be in itself; ``NotesError``
  ///   `notASibling` if `next` is in another folder.
  public func move(
    _ id: NoteFolder.ID, to parent: NoteFolder.ID?, before next: NoteFolder.ID? = nil
  ) async throws {
    try await write(label: "move folder") { tx in
      let siblings = try tx.siblings(in: parent).filter { $0.id != id }
      let place = next == nil ? siblings.count : siblings.firstIndex { $0.id == next }
      guard let place else {
        throw NotesError(
          .notASibling, "the folder “\(next?.rawValue ?? "")” is not where it is moved to",
          hint: "Name a folder of the same parent, or none for the end")
      }
      let folder = try tx.update(id) { $0.parent = parent }
      try tx.move([siblings.count], to: place, in: siblings + [folder], by: \.rank)
    }
  }

  /// Moves a folder to the trash, with all folders and notes in it. `restore` brings
  /// them back together.
  public func delete(_ id: NoteFolder.ID) async throws {
    try await write(label: "delete folder") { try $0.delete(id) }
  }
}

extension WriteTransaction {
  /// Adds a folder behind the others of its parent.
  /// - Parameters:
  ///   - name: the name.
  ///   - parent: the folder that it is in; nil for the top.
  ///   - id: the id; nil for a new one. If it is that of another live folder, a new one is taken.
  package func addFolder(
    _ name: String, in parent: NoteFolder.ID?, id: NoteFolder.ID? = nil
  ) throws -> NoteFolder.ID {
    var folder = NoteFolder()
    (folder.name, folder.parent) = (name, parent)
    if let id, try fetch(id) == nil { folder.id = id }
    folder.rank = .after(try siblings(in: parent).last?.rank)
    try insert(folder)
    return folder.id
  }

  /// Returns the folders of a parent in their order.
  func siblings(in parent: NoteFolder.ID?) throws -> [NoteFolder] {
    try fetch(NoteFolder.where { $0.parent == parent }.order(by: \.rank).order(by: \.id))
  }
}
