import DaybookDisk
package import DaybookFrames

/// A store's folder in the file system.
package struct FileStorage: Storage {
  /// The path of the store's folder, which must exist.
  package let folder: String

  package init(folder: String) { self.folder = folder }

  private func path(_ name: String) -> String { folder + "/" + name }

  package func open(_ name: String, _ mode: OpenMode) throws(LogError) -> any StorageFile {
    let opening: SystemCalls.Opening =
      switch mode {
      case .read: .read
      case .readWrite: .readWrite
      case .create: .emptied
      }
    let descriptor = try LogError.surfacing("open \(name)") { () throws(SystemError) in
      try SystemCalls.open(path(name), opening)
    }
    return DiskFile(descriptor: descriptor, name: name)
  }

  package func list(_ folder: String) throws(LogError) -> [String] {
    try LogError.surfacing("list \(folder)") { () throws(SystemError) in
      try SystemCalls.list(path(folder))
    }
  }

  package func makeFolder(_ name: String) throws(LogError) {
    try LogError.surfacing("make the folder \(name)") { () throws(SystemError) in
      _ = try SystemCalls.makeFolder(path(name))
    }
  }

  package func rename(_ old: String, to new: String) throws(LogError) {
    try LogError.surfacing("rename \(old) to \(new)") { () throws(SystemError) in
      try SystemCalls.rename(path(old), to: path(new))
    }
  }

  package func remove(_ name: String) throws(LogError) {
    try LogError.surfacing("remove \(name)") { () throws(SystemError) in
      try SystemCalls.remove(path(name))
    }
  }

  package func syncFolder(_ name: String) throws(LogError) {
    let names = name.isEmpty ? "the store's folder" : name
    try LogError.surfacing("make the names in \(names) durable") { () throws(SystemError) in
      try SystemCalls.syncFolder(path(name))
    }
  }
}
