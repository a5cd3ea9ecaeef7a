public import Daybook

/// A folder of notes. Folders form a tree, and have an order among those of one parent.
public struct NoteFolder: Entity, Hashable {
  public static let collection = "folders"
  public static let fields: [EntityField<NoteFolder>] = [
    .field("name", \.name),
    .field("parent", \.parent).references(NoteFolder.self, onDelete: .cascade).tree(),
    .field("rank", \.rank),
  ]

  /// The id of the folder.
  public var id = ID()
  /// The name.
  public var name = ""
  /// The folder that it is in; nil at the top. A folder whose parent is not there is shown at the
  /// top. If a merge makes a circle, one folder of it is shown at the top.
  public var parent: NoteFolder.ID?
  /// The place among the folders of the same parent; see ``Notebook/move(_:to:before:)``.
  public internal(set) var rank = FractionalIndex("")

  /// Makes a folder without a name at the top.
  public init() {}
}

/// A folder with the folders in it.
public struct NoteFolderNode: Hashable, Sendable, Identifiable {
  /// The folder.
  public var folder: NoteFolder
  /// The folders in it, in their order.
  public var children: [NoteFolderNode]
  /// The number of notes in the folder, without those in the folders below.
  public var noteCount: Int

  /// The id of the folder.
  public var id: NoteFolder.ID { folder.id }
}

extension NoteFolderNode {
  /// Arranges folders as a tree.
  /// - Parameters:
  ///   - folders: the folders in the order of their places.
  ///   - counts: the number of notes in each folder.
  static func tree(_ folders: [NoteFolder], counts: [NoteFolder.ID: Int]) -> [NoteFolderNode] {
    let known = Set(folders.map(\.id))
    let byParent = Dictionary(grouping: folders) { folder in
      folder.parent.flatMap { known.contains($0) ? $0 : nil }
    }
    var seen: Set<NoteFolder.ID> = []
    func nodes(in parent: NoteFolder.ID?) -> [NoteFolderNode] {
      (byParent[parent] ?? []).compactMap { folder in
        guard seen.insert(folder.id).inserted else { return nil }
        return NoteFolderNode(
          folder: folder, children: nodes(in: folder.id), noteCount: counts[folder.id] ?? 0)
      }
    }
    return nodes(in: nil)
  }
}
