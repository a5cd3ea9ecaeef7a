import DaybookNotes
import Foundation

/// The paths that a notebook's folders have in a folder of Markdown.
///
/// A path that a folder has got stays its own on this device, until the folder is renamed or moved.
/// Otherwise two folders of one name could change their paths with their order.
struct FolderPlaces: Sendable {
  private(set) var paths: [NoteFolder.ID: String] = [:]
  /// Folders whose notes are written to the folder above, because their paths would be too long.
  private(set) var flat: Set<NoteFolder.ID> = []
  private let place: String
  private var copies: [NoteFolder.ID: FolderCopy]
  private var taken: Set<String> = []

  /// The longest path of a folder that is made, and the most names in it. There is room for a file,
  /// within what every system allows.
  private static let bytesMax = 700
  private static let levelsMax = 60

  init(_ notebook: Notebook, _ disk: MarkdownDisk, _ place: String) async throws {
    self.place = place
    let known = try await notebook.store.fetch(FolderCopy.where { $0.place == place })
    copies = Dictionary(known.map { ($0.folder, $0) }) { first, _ in first }
    add(try await notebook.folderTree(), below: "", disk)
  }

  private mutating func add(
    _ nodes: [NoteFolderNode], below path: String, _ disk: MarkdownDisk
  ) {
    var known: Set<ExactText> = []
    // Those that have a path come first, so that a new one does not take it.
    for node in nodes {
      guard let copy = copies[node.id], ExactText(copy.name) == ExactText(node.folder.name),
        copy.parent == node.folder.parent,
        ExactText(FileName.parent(copy.path)) == ExactText(path), FileName.isSafe(copy.path),
        known.insert(ExactText(copy.path)).inserted
      else { continue }
      paths[node.id] = copy.path
      taken.insert(FileName.key(copy.path))
    }
    for node in nodes where paths[node.id] == nil {
      paths[node.id] = newPath(node, path, disk)
    }
    for node in nodes { add(node.children, below: paths[node.id] ?? path, disk) }
  }

  private mutating func newPath(
    _ node: NoteFolderNode, _ parent: String, _ disk: MarkdownDisk
  ) -> String {
    let prefix = parent.isEmpty ? "" : parent + "/"
    let name = node.folder.name
    // The name of a folder that is there is allowed here.
    let isThere =
      !name.utf8.contains(UInt8(ascii: "/")) && FileName.isSafe(name) && disk.exists(prefix + name)
    let stem = prefix + (isThere ? name : FileName.portableFolder(name))
    var path = stem
    var number = 2
    while taken.contains(FileName.key(path)) {
      path = "\(stem) \(number)"
      number += 1
    }
    guard isThere || path.utf8.count <= Self.bytesMax,
      FileName.names(path).count <= Self.levelsMax
    else {
      flat.insert(node.id)
      return parent
    }
    taken.insert(FileName.key(path))
    return path
  }

  /// Returns the path of a note's folder; empty for the top.
  func path(of folder: String?) -> String {
    folder.flatMap { paths[NoteFolder.ID($0)] } ?? ""
  }

  /// Finds the folders of a disk again whose names have changed in case or Unicode's form only.
  /// - Parameter found: the folders that are on the disk.
  mutating func follow(_ found: Set<ExactText>) {
    let known = Set(paths.values.map { ExactText($0) })
    let new = Dictionary(grouping: found.subtracting(known)) { FileName.key($0.text) }
    for (folder, path) in paths where !flat.contains(folder) && !found.contains(ExactText(path)) {
      guard let other = new[FileName.key(path)]?.min() else { continue }
      paths[folder] = other.text
      copies[folder]?.path = other.text
    }
  }

  /// The folders by the names on the way to them.
  var names: [(path: [String], id: NoteFolder.ID)] {
    paths.filter { !flat.contains($0.key) }.map { (FileName.names($0.value), $0.key) }
  }

  /// Records the paths, on this device only.
  /// - Parameter made: folders that an import has found or made, by the paths on the disk.
  func record(_ made: [ExactText: NoteFolder.ID], _ notebook: Notebook) async throws {
    var nodes: [NoteFolder.ID: NoteFolder] = [:]
    func add(_ tree: [NoteFolderNode]) {
      for node in tree {
        nodes[node.id] = node.folder
        add(node.children)
      }
    }
    add(try await notebook.folderTree())
    var paths = paths.filter { !flat.contains($0.key) }
    for (path, folder) in made where paths[folder] == nil {
      paths[folder] = path.text
    }
    let before = try await notebook.store.fetch(FolderCopy.where { [place] in $0.place == place })
    let known = Dictionary(before.map { ($0.folder, $0) }) { first, _ in first }
    var new: [FolderCopy] = []
    for (id, path) in paths {
      guard let folder = nodes[id] else { continue }
      var copy = FolderCopy(id, in: place, path: path, name: folder.name, parent: folder.parent)
      // A path that was followed is that of the folder as it was.
      if let followed = copies[id], ExactText(followed.path) == ExactText(path) { copy = followed }
      if known[id] != copy { new.append(copy) }
    }
    guard !new.isEmpty else { return }
    let sorted = new.sorted { $0.id < $1.id }
    try await notebook.write(label: "copies") { try $0.insertOrOverwrite(sorted) }
  }
}
