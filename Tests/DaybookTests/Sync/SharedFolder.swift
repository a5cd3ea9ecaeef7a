import DaybookReplication
import Foundation

@testable import Daybook
@testable import DaybookEngine

/// A folder that stores share, as one machine sees it.
struct SharedFolder {
  let url: URL

  init(_ url: URL) throws {
    self.url = url
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  static func options(graceSeconds: Int64 = 0) -> FolderPeer.Options {
    var options = FolderPeer.Options()
    options.grace = .seconds(graceSeconds)
    return options
  }

  /// Tidies at once what is superfluous.
  func peer(graceSeconds: Int64 = 0) -> FolderPeer {
    FolderPeer(url, options: Self.options(graceSeconds: graceSeconds))
  }

  /// All files, below the folder, in order.
  var files: [String] {
    let found = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
    return found.filter { path in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: url.path + "/" + path, isDirectory: &isFolder)
      return !isFolder.boolValue
    }.sorted()
  }

  func path(_ name: String) -> String { url.path + "/" + name }

  func read(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path(name)))
  }

  func write(_ data: Data, _ name: String) throws {
    let url = URL(fileURLWithPath: path(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  func move(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(atPath: path(name), toPath: path(other))
  }

  func remove(_ name: String) { try? FileManager.default.removeItem(atPath: path(name)) }

  /// Makes the file as old as that.
  func age(_ name: String, seconds: TimeInterval) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: path(name))
  }
}

extension String {
  /// A path with another last component.
  func renamed(_ change: (String) -> String) -> String {
    let path = self as NSString
    return (path.deletingLastPathComponent as NSString).appendingPathComponent(
      change(path.lastPathComponent))
  }
}

extension SyncPlace {
  func shared(_ name: String = "shared") throws -> SharedFolder {
    try SharedFolder(folder.appending(path: name))
  }

  /// Makes a store with the collection and a note.
  func storeWithNote(_ name: String) async throws -> Store {
    let store = try await store(name)
    try await store.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "\(name)-0", ["title": .text("\(name) 0")])
    }
    return store
  }

  func add(_ store: Store, _ id: String) async throws {
    try await store.write { try $0.insert("notes", id, ["title": .text(id)]) }
  }

  /// Makes a store that has synced with the folder, and a copy of it with its key.
  /// - Parameter last: Writes what the two share last, which goes into a file of its own.
  func cloned(_ folder: SharedFolder, last: ((Store) async throws -> Void)? = nil)
    async throws -> (original: Store, clone: Store)
  {
    let original = try await storeWithNote("a")
    try await original.syncOnce(with: folder.peer())
    if let last {
      try await last(original)
      try await original.syncOnce(with: folder.peer(graceSeconds: 600))
    }
    try await original.close()
    let copy = self.folder.appending(path: "clone")
    try FileManager.default.copyItem(at: original.url, to: copy)
    return (try await Store.open(at: original.url), try await Store.open(at: copy))
  }
}
