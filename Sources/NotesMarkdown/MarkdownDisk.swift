import DaybookDisk
import DaybookEventCore
import Foundation

/// A folder of Markdown in the file system. It follows no links, at the end of a path or in the
/// middle of one, so it never leaves the folder.
struct MarkdownDisk: Sendable {
  let root: String

  /// What was found at a path.
  enum Finding: Sendable {
    case file(Facts)
    case link
    case other
    case tooDeep
    case badName
    case unreadable(String)
  }

  struct Facts: Hashable, Sendable {
    var size: Int
    /// Nanoseconds since 1970.
    var modified: Int64
    var created: Int64?
  }

  /// The most names in a path, that of the file included.
  static let levelsMax = 64

  init(_ folder: URL) throws {
    root = folder.standardizedFileURL.path(percentEncoded: false)
    do { _ = try OpenFolder(root) } catch {
      throw NotesError(
        .unusableFolder, "“\(root)” is not a folder that can be read: \(error)",
        hint: "Make the folder, or name another one")
    }
  }

  func full(_ path: String) -> String {
    path.isEmpty ? root : root.hasSuffix("/") ? root + path : root + "/" + path
  }

  // MARK: - Looking

  /// Calls `body` for every file of Markdown below the folder, and for what is passed over, in the
  /// order of the bytes of their names.
  func forEach(_ extensions: Set<String>, _ body: (String, Finding) throws -> Void) rethrows {
    let folder: OpenFolder
    do { folder = try OpenFolder(root) } catch { return try body("", .unreadable("\(error)")) }
    try forEach(in: folder, "", 1, extensions, body)
  }

  private func forEach(
    in folder: OpenFolder, _ path: String, _ level: Int, _ extensions: Set<String>,
    _ body: (String, Finding) throws -> Void
  ) rethrows {
    let all: [[UInt8]]
    do { all = try folder.names() } catch { return try body(path, .unreadable("\(error)")) }
    let names = all.compactMap { String(utf8: $0) }
    if names.count < all.count { try body(path, .badName) }
    // Names in two forms of Unicode are equal strings, and two files.
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    where !Self.isPassing(name) {
      let path = path.isEmpty ? name : path + "/" + name
      guard let facts = folder.facts(name) else { continue }
      if facts.kind == .folder {
        guard level < Self.levelsMax else {
          try body(path, .tooDeep)
          continue
        }
        let inner: OpenFolder
        do { inner = try folder.folder(name) } catch {
          try body(path, .unreadable("\(error)"))
          continue
        }
        try forEach(in: inner, path, level + 1, extensions, body)
        continue
      }
      guard extensions.contains(FileName.parts(name).ending.lowercased()) else { continue }
      switch facts.kind {
      case .file: try body(path, .file(Facts(facts)))
      case .link: try body(path, .link)
      default: try body(path, .other)
      }
    }
  }

  /// Returns whether a name is that of a hidden or temporary file.
  static func isPassing(_ name: String) -> Bool {
    let lower = name.lowercased()
    return name.utf8.first == UInt8(ascii: ".") || name.utf8.first == UInt8(ascii: "~")
      || name.utf8.last == UInt8(ascii: "~")
      || [".tmp", ".temp", ".part", ".crdownload"].contains { lower.hasSuffix($0) }
  }

  /// Returns the size and times of a file; nil if there is none.
  func facts(_ path: String) -> Facts? {
    let found = standing(path)
    return found?.kind == .file ? found.map(Facts.init) : nil
  }

  /// Returns whether there is anything at a path.
  func exists(_ path: String) -> Bool { standing(path) != nil }

  private func standing(_ path: String) -> OpenFolder.Facts? {
    guard let folder = try? folder(FileName.parent(path)) else { return nil }
    return folder.facts(FileName.last(path))
  }

  // MARK: - Reading and writing

  /// Reads a file, and at most one byte more than `limit`.
  func read(_ path: String, atMost limit: Int) throws -> [UInt8] {
    do {
      return try folder(FileName.parent(path)).read(FileName.last(path), atMost: limit + 1)
    } catch { throw problem(error, path, "read") }
  }

  /// Writes a file so that it appears whole and durable, or not at all. Makes the folders that it
  /// is in.
  /// - Parameter modified: the time that the file shows.
  func write(_ bytes: [UInt8], _ path: String, modified: Date) throws {
    let name = FileName.last(path)
    let temporary = "~\(UInt64.random(in: .min ... .max)).tmp"
    // Between the years 1 and 9999, so that a date of any kind has whole seconds.
    let time = min(max(modified.timeIntervalSince1970, -62_135_596_800), 253_402_300_799)
    let seconds = time.rounded(.down)
    let whole = Int(exactly: seconds) ?? 0
    do {
      try folder(FileName.parent(path), makes: true).write(
        bytes, to: name, beside: temporary,
        modified: (whole, Int(exactly: ((time - seconds) * 1e9).rounded(.down)) ?? 0))
    } catch { throw problem(error, path, "written") }
  }

  /// Removes a file, and the folders that are empty without it.
  func remove(_ path: String) throws {
    do { try folder(FileName.parent(path)).remove(FileName.last(path)) } catch {
      throw problem(error, path, "removed")
    }
    var empty = FileName.parent(path)
    while !empty.isEmpty, let folder = try? folder(FileName.parent(empty)),
      folder.removeFolder(FileName.last(empty))
    {
      empty = FileName.parent(empty)
    }
  }

  /// Opens the folder of a path, going down from the root one name at a time.
  /// - Parameter makes: whether folders that are not there are made.
  private func folder(_ path: String, makes: Bool = false) throws(SystemError) -> OpenFolder {
    var folder = try OpenFolder(root)
    for name in FileName.names(path) {
      do { folder = try folder.folder(name) } catch {
        guard makes, error.isMissing else { throw error }
        try folder.makeFolder(name)
        folder = try folder.folder(name)
      }
    }
    return folder
  }

  /// Returns the error for a path, which says what stands in its way.
  private func problem(_ error: SystemError, _ path: String, _ what: String) -> NotesError {
    if error.isFull {
      return NotesError(
        .noSpace, "“\(full(path))” cannot be \(what): \(error)",
        hint: "Free some space and try again")
    }
    var way = ""
    for name in FileName.names(FileName.parent(path)) {
      way = way.isEmpty ? name : way + "/" + name
      guard let found = standing(way), found.kind != .folder else { continue }
      return NotesError(
        .unusableFolder,
        "“\(full(path))” cannot be \(what), because “\(full(way))” is "
          + (found.kind == .link ? "a link, and links are not followed" : "no folder"),
        hint: "Move it elsewhere, and try again")
    }
    return NotesError(
      .unusableFolder, "“\(full(path))” cannot be \(what): \(error)",
      hint: "Check the disk and its rights")
  }
}

extension MarkdownDisk.Facts {
  fileprivate init(_ facts: OpenFolder.Facts) {
    self.init(size: facts.size, modified: facts.modified, created: facts.created)
  }

  var modifiedDate: Date { Date(timeIntervalSince1970: Double(modified) / 1e9) }
  var createdDate: Date? { created.map { Date(timeIntervalSince1970: Double($0) / 1e9) } }
}
