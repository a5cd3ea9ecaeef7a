package import Daybook
import Foundation

/// The folders of a notebook by the names on the way to them.
package struct FolderPaths: Sendable {
  private var known: [[ExactText]: NoteFolder.ID] = [:]
  /// Whether names in two forms of Unicode are two names.
  private let isExact: Bool

  /// Knows the folders of a notebook by their own names.
  package init(_ notebook: Notebook) async throws {
    isExact = false
    func add(_ nodes: [NoteFolderNode], below path: [String]) {
      for node in nodes {
        let path = path + [node.folder.name]
        let key = key(path)
        if known[key] == nil { known[key] = node.id }
        add(node.children, below: path)
      }
    }
    add(try await notebook.folderTree(), below: [])
  }

  /// Knows the folders by the names that they have elsewhere.
  package init(exactly folders: [(path: [String], id: NoteFolder.ID)]) {
    isExact = true
    for folder in folders { known[key(folder.path)] = folder.id }
  }

  private func key(_ path: [String]) -> [ExactText] {
    path.map { ExactText(isExact ? $0 : NoteTag.normal($0)) }
  }

  /// Returns the folder at the end of a path; nil if it is not known, and for the top.
  package subscript(path path: [String]) -> NoteFolder.ID? { known[key(path)] }

  /// Returns the folder at the end of a path, and makes what is missing of it; nil for the top.
  package mutating func folder(
    _ path: [String], _ tx: WriteTransaction
  ) throws -> NoteFolder.ID? {
    guard let name = path.last else { return nil }
    let key = key(path)
    if let known = known[key], try tx.fetch(known) != nil { return known }
    let parent = try folder(Array(path.dropLast()), tx)
    let made = try tx.addFolder(name, in: parent, id: Self.id(of: path))
    known[key] = made
    return made
  }

  /// Returns the id of a folder that an import makes, so that two devices make the same one.
  private static func id(of path: [String]) -> NoteFolder.ID {
    let names = path.map(NoteTag.normal).joined(separator: "\0")
    return NoteFolder.ID(ImportSession.id(of: names, in: "folders").rawValue)
  }
}
