import Disk
import Foundation

/// A folder of Markdown in the file system. It follows no links, so it never leaves the folder.
struct MarkdownDisk: Sendable {
  let root: String

  /// What was found at a path.
  enum Finding: Sendable {
    case file(Facts)
    case link
    case other
    case badName
    case unreadable(String)
  }

  struct Facts: Hashable, Sendable {
    var size: Int
    /// Nanoseconds since 1970.
    var modified: Int64
    var created: Int64?
  }

  /// The deepest folder that is looked into.
  private static let depthMax = 64

  init(_ folder: URL) throws {
    root = folder.standardizedFileURL.path(percentEncoded: false)
    var status = stat()
    guard stat(root, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw NotesError(
        .unusableFolder, "“\(root)” is not a folder that can be read",
        hint: "Make the folder, or name another one")
    }
  }

  func full(_ path: String) -> String {
    path.isEmpty ? root : root.hasSuffix("/") ? root + path : root + "/" + path
  }

  /// Calls `body` for every file of Markdown below the folder, and for what is passed over, in the
  /// order of their paths.
  func forEach(_ extensions: Set<String>, _ body: (String, Finding) throws -> Void) rethrows {
    try forEach(in: "", 0, extensions, body)
  }

  private func forEach(
    in folder: String, _ depth: Int, _ extensions: Set<String>,
    _ body: (String, Finding) throws -> Void
  ) rethrows {
    guard let stream = opendir(full(folder)) else {
      return try body(folder, .unreadable(SystemError.latest.description))
    }
    var names: [String] = []
    var hasBadNames = false
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
        String(validating: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let name { names.append(name) } else { hasBadNames = true }
    }
    closedir(stream)
    if hasBadNames { try body(folder, .badName) }
    for name in names.sorted() where !Self.isPassing(name) {
      let path = folder.isEmpty ? name : folder + "/" + name
      var status = stat()
      guard lstat(full(path), &status) == 0 else { continue }
      let kind = status.st_mode & S_IFMT
      if kind == S_IFDIR {
        if depth < Self.depthMax {
          try forEach(in: path, depth + 1, extensions, body)
        } else {
          try body(path, .other)
        }
        continue
      }
      guard extensions.contains(FileName.parts(name).ending.lowercased()) else { continue }
      switch kind {
      case S_IFREG: try body(path, .file(Facts(status)))
      case S_IFLNK: try body(path, .link)
      default: try body(path, .other)
      }
    }
  }

  /// Returns whether a name is that of a hidden or temporary file.
  static func isPassing(_ name: String) -> Bool {
    let lower = name.lowercased()
    return name.hasPrefix(".") || name.hasPrefix("~") || name.hasSuffix("~")
      || [".tmp", ".temp", ".part", ".crdownload"].contains { lower.hasSuffix($0) }
  }

  func facts(_ path: String) -> Facts? {
    var status = stat()
    guard lstat(full(path), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Facts(status)
  }

  func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(full(path), &status) == 0
  }

  /// Reads a file, and at most one byte more than `limit`.
  func read(_ path: String, atMost limit: Int) throws -> [UInt8] {
    // Opening a pipe could block, and a link could lead out of the folder.
    let descriptor = open(full(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else { throw problem(.latest, path, "read") }
    defer { close(descriptor) }
    do { return try SystemCalls.read(descriptor, atMost: limit + 1) } catch {
      throw problem(error, path, "read")
    }
  }

  /// Writes a file so that it appears whole and durable, or not at all. Makes the folders that it
  /// is in.
  /// - Parameter modified: the time that the file shows.
  func write(_ bytes: [UInt8], _ path: String, modified: Date) throws {
    let folder = FileName.parent(path)
    try makeFolder(folder)
    let number = UInt64.random(in: .min ... .max)
    let temporary = full(folder.isEmpty ? "~\(number).tmp" : folder + "/~\(number).tmp")
    do {
      try WholeFile.write(bytes, to: full(path), beside: temporary) {
        try? FileManager.default.setAttributes(
          [.modificationDate: modified], ofItemAtPath: temporary)
      }
    } catch { throw problem(error.error, path, "written") }
  }

  /// Makes a folder, and those that it is in.
  private func makeFolder(_ path: String) throws {
    guard !path.isEmpty else { return }
    var status = stat()
    if lstat(full(path), &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else {
        throw NotesError(
          .unusableFolder, "“\(full(path))” is in the way: it is no folder",
          hint: "Move it elsewhere, and export again")
      }
      return
    }
    try makeFolder(FileName.parent(path))
    do { try SystemCalls.makeFolder(full(path)) } catch { throw problem(error, path, "made") }
  }

  func remove(_ path: String) throws {
    do { try SystemCalls.remove(full(path)) } catch { throw problem(error, path, "removed") }
    // Folders that are empty now were only there for it.
    var folder = FileName.parent(path)
    while !folder.isEmpty, rmdir(full(folder)) == 0 {
      folder = FileName.parent(folder)
    }
  }

  private func problem(_ error: SystemError, _ path: String, _ what: String) -> NotesError {
    NotesError(
      .unusableFolder, "“\(full(path))” cannot be \(what): \(error)",
      hint: error.isFull ? "Free some space and try again" : "Check the disk and its rights")
  }
}

extension MarkdownDisk.Facts {
  fileprivate init(_ status: stat) {
    #if canImport(Darwin)
      let (time, birth) = (status.st_mtimespec, Optional(status.st_birthtimespec))
    #else
      let (time, birth) = (status.st_mtim, timespec?.none)
    #endif
    func nanoseconds(_ time: timespec) -> Int64 {
      Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
    self.init(
      size: Int(status.st_size), modified: nanoseconds(time), created: birth.map(nanoseconds))
  }

  var modifiedDate: Date { Date(timeIntervalSince1970: Double(modified) / 1e9) }
  var createdDate: Date? { created.map { Date(timeIntervalSince1970: Double($0) / 1e9) } }
}
