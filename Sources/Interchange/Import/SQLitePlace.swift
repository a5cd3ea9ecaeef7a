import Daybook
import Foundation

/// The place at which a database is read: in place if that writes nothing, otherwise in a copy.
///
/// A database's `-wal` or `-journal` is part of its content, and reading it changes those files or
/// creates others. Such a database is copied, with these files. A database in WAL mode without a
/// `-wal` is not in use. It is opened as immutable, as SQLite would otherwise create files beside
/// it. All others are read in place, under SQLite's own lock.
struct SQLitePlace {
  let path: String
  let isImmutable: Bool
  let copy: ScratchFolder?

  /// The endings of files that belong to a database.
  static let sidecars = ["-wal", "-journal"]

  private static let magic = Array("SQLite format 3\0".utf8)

  private init(path: String, isImmutable: Bool, copy: ScratchFolder?) {
    self.path = path
    self.isImmutable = isImmutable
    self.copy = copy
  }

  /// Finds the place of a database, and copies the database if it must be read from a copy.
  static func prepare(_ source: ImportSource) throws(ImportError) -> SQLitePlace {
    var header = [UInt8](repeating: 0, count: 20)
    let count = header.withUnsafeMutableBytes {
      pread(source.descriptor, $0.baseAddress, $0.count, 0)
    }
    guard count == 20, header.starts(with: magic) else {
      throw ImportError(
        .unusable, "\(source.name) is no SQLite database, or it is encrypted",
        hint: "Name another file, or decrypt it first")
    }
    let file = resolved(source.name)
    let sidecars = Self.sidecars.filter { ending in
      // An empty `-wal` may get content while the database is being read.
      state(file + ending).map { ending == "-wal" || $0.size > 0 } ?? false
    }
    guard try needsCopy(file, source, sidecars) else {
      return SQLitePlace(
        path: file, isImmutable: sidecars.isEmpty && header[18] == 2, copy: nil)
    }
    return try copied(file, sidecars, source)
  }

  /// Copies a database, with the files that belong to it.
  private static func copied(
    _ file: String, _ sidecars: [String], _ source: ImportSource
  ) throws(ImportError) -> SQLitePlace {
    let folder = try ScratchFolder()
    let names = [""] + sidecars
    let before = names.map { state(file + $0) }
    for name in names {
      do {
        try FileManager.default.copyItem(
          atPath: file + name, toPath: folder.url.appending(path: "copy\(name)").path)
      } catch {
        folder.remove()
        throw ImportError(
          .unusable, "\(source.name)\(name) cannot be copied for reading",
          hint: "Check its permissions, and the room where TMPDIR points")
      }
    }
    guard names.map({ state(file + $0) }) == before else {
      folder.remove()
      throw ImportError(
        .unusable, "another program is writing to \(source.name)",
        hint: "Close that program, or import a copy that its backup made")
    }
    return SQLitePlace(
      path: folder.url.appending(path: "copy").path, isImmutable: false, copy: folder)
  }

  /// Returns whether the database must be copied. A `-journal` alone may belong to another
  /// program's transaction, and then a reader does not need it.
  private static func needsCopy(
    _ file: String, _ source: ImportSource, _ sidecars: [String]
  ) throws(ImportError) -> Bool {
    guard !sidecars.isEmpty else { return false }
    guard !sidecars.contains("-wal") else { return true }
    do throws(SQLiteImportError) {
      let isReadable = try SQLiteImport.isReadable(path: file)
      return !isReadable
    } catch {
      throw ImportError(.unusable, "\(source.name): \(error.message)")
    }
  }

  private struct State: Equatable {
    var size: Int
    var seconds: Int
    var nanoseconds: Int
  }

  private static func state(_ path: String) -> State? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return State(
      size: Int(status.st_size), seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec))
  }

  /// Returns the path without symbolic links. SQLite expects the files of a database beside the
  /// file itself, not beside a link to it.
  static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns whether a file begins as a database does.
  static func isDatabase(_ descriptor: Int32) -> Bool {
    var header = [UInt8](repeating: 0, count: 16)
    let count = header.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    return count == 16 && header == magic
  }
}
