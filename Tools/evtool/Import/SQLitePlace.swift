import Daybook
import Foundation

/// Where a database is read: in place if nothing has to be written for that, else in a copy.
///
/// What a database has in `-wal` or `-journal` beside it is part of it, and reading that changes
/// those files, or makes others. So such a database is copied, with them. One in WAL mode without a
/// `-wal` is in nobody's use, and is read as one that does not change: else SQLite would make files
/// beside it. All others are read in place, under SQLite's own lock.
struct SQLitePlace {
  let path: String
  let isImmutable: Bool
  let copy: TemporaryFolder?

  /// Endings of files that belong to a database.
  static let sidecars = ["-wal", "-journal"]

  private static let magic = Array("SQLite format 3\0".utf8)

  init(_ source: ImportSource) throws(Failure) {
    var header = [UInt8](repeating: 0, count: 20)
    let count = header.withUnsafeMutableBytes {
      pread(source.descriptor, $0.baseAddress, $0.count, 0)
    }
    guard count == 20, header.starts(with: Self.magic) else {
      throw Failure(
        .usage, "\(source.name) is no SQLite database, or it is encrypted",
        hint: "Name another file, or decrypt it first")
    }
    let file = Self.resolved(source.name)
    let sidecars = Self.sidecars.filter { ending in
      // A `-wal` without content may get some while the database is being read.
      Self.state(file + ending).map { ending == "-wal" || $0.size > 0 } ?? false
    }
    guard try Self.needsCopy(file, source, sidecars) else {
      path = file
      isImmutable = sidecars.isEmpty && header[18] == 2
      copy = nil
      return
    }
    let folder = try TemporaryFolder()
    // The polite way of being asked to stop, again: the folder goes away in order.
    Interrupt.listen()
    let names = [""] + sidecars
    let before = names.map { Self.state(file + $0) }
    for name in names {
      do {
        try FileManager.default.copyItem(
          atPath: file + name, toPath: folder.url.appending(path: "copy\(name)").path)
      } catch {
        folder.remove()
        throw Failure(
          .usage, "\(source.name)\(name) cannot be copied for reading",
          hint: "Check its permissions, and the room where TMPDIR points")
      }
    }
    guard names.map({ Self.state(file + $0) }) == before else {
      folder.remove()
      throw Failure(
        .usage, "another program is writing to \(source.name)",
        hint: "Close that program, or import a copy that its backup made")
    }
    copy = folder
    path = folder.url.appending(path: "copy").path
    isImmutable = false
  }

  /// A `-journal` may be another program's business, and no reader's.
  private static func needsCopy(
    _ file: String, _ source: ImportSource, _ sidecars: [String]
  ) throws(Failure) -> Bool {
    guard !sidecars.isEmpty else { return false }
    guard !sidecars.contains("-wal") else { return true }
    do throws(SQLiteImportError) {
      let isReadable = try SQLiteImport.isReadable(path: file)
      return !isReadable
    } catch {
      throw Failure(.usage, "\(source.name): \(error.message)")
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

  /// The file itself: SQLite looks for what belongs to a database beside that, and not beside a
  /// link to it.
  static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Whether a file begins as a database does.
  static func isDatabase(_ descriptor: Int32) -> Bool {
    var header = [UInt8](repeating: 0, count: 16)
    let count = header.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    return count == 16 && header == magic
  }
}
