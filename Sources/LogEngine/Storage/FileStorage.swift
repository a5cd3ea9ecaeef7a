#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A store's folder in the file system.
package struct FileStorage: Storage {
  /// The path of the store's folder, which must exist.
  package let folder: String

  package init(folder: String) { self.folder = folder }

  private func path(_ name: String) -> String { folder + "/" + name }

  package func open(_ name: String, _ mode: OpenMode) throws(LogError) -> any StorageFile {
    let flags =
      switch mode {
      case .read: O_RDONLY
      case .readWrite: O_RDWR
      case .create: O_RDWR | O_CREAT | O_TRUNC
      }
    return DiskFile(
      descriptor: try SystemCalls.open(path(name), flags, doing: "open \(name)"), name: name)
  }

  package func list(_ folder: String) throws(LogError) -> [String] {
    guard let stream = opendir(path(folder)) else {
      throw SystemCalls.error(errno, doing: "list \(folder)")
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw SystemCalls.error(errno, doing: "list \(folder)") }
        return names
      }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
  }

  package func makeFolder(_ name: String) throws(LogError) {
    if mkdir(path(name), 0o755) == -1, errno != EEXIST {
      throw SystemCalls.error(errno, doing: "make the folder \(name)")
    }
  }

  package func rename(_ old: String, to new: String) throws(LogError) {
    #if canImport(Darwin)
      let result = Darwin.rename(path(old), path(new))
    #elseif canImport(Glibc)
      let result = Glibc.rename(path(old), path(new))
    #else
      let result = Musl.rename(path(old), path(new))
    #endif
    guard result == 0 else { throw SystemCalls.error(errno, doing: "rename \(old) to \(new)") }
  }

  package func remove(_ name: String) throws(LogError) {
    if unlink(path(name)) == -1, errno != ENOENT {
      throw SystemCalls.error(errno, doing: "remove \(name)")
    }
  }

  package func syncFolder(_ name: String) throws(LogError) {
    let doing = "make the names in \(name.isEmpty ? "the store's folder" : name) durable"
    let descriptor = try SystemCalls.open(path(name), O_RDONLY | O_DIRECTORY, doing: doing)
    defer { close(descriptor) }
    guard SystemCalls.retrying({ Int(fsync(descriptor)) }) == 0 else {
      throw SystemCalls.error(errno, doing: doing)
    }
  }
}
