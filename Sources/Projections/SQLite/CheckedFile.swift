import CPages
import Foundation
import GRDBSQLite

/// Database files of which every page has a checksum: SQLite has none of its own, and would serve a
/// bit that flipped on the disk as data.
///
/// Through this a damaged page is an error, `SQLITE_IOERR_DATA`. To anything else that reads SQLite
/// the file is an ordinary database. A connection that is opened otherwise must not write to it.
package enum CheckedFile {
  /// Once per process.
  private static let isRegistered = daybook_pages_register() == SQLITE_OK

  /// The VFS to open with; nil, which is the system's, only where SQLite refuses another.
  static var vfs: String? { isRegistered ? DAYBOOK_PAGES_VFS : nil }

  /// See ``Store/tuneProcess()``.
  package static func tuneProcess() -> Bool { daybook_sqlite_tune() == SQLITE_OK }

  /// What to give SQLite for a path. An absolute path, or one from the working directory.
  /// - Parameter isImmutable: neither this process nor another will write to it.
  package static func uri(_ path: String, isImmutable: Bool = false) -> String {
    var allowed = CharacterSet.urlPathAllowed
    allowed.remove(charactersIn: "?#%;")
    let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
    let parameters = [vfs.map { "vfs=\($0)" }, isImmutable ? "immutable=1" : nil]
    // With an empty name of a host: SQLite would take what follows two slashes for one.
    let scheme = escaped.hasPrefix("/") ? "file://" : "file:"
    return "\(scheme)\(escaped)?\(parameters.compactMap(\.self).joined(separator: "&"))"
  }

  /// Leaves room for the checksums in a database that is still empty. To be called before anything
  /// is written to it.
  package static func reserve(_ connection: OpaquePointer) {
    var count = Int32(DAYBOOK_PAGE_RESERVED)
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
  }

  /// Reads without checking, while every page is about to be written anew.
  package static func setChecked(_ connection: OpaquePointer, _ isChecked: Bool) {
    var value: Int32 = isChecked ? 1 : 0
    sqlite3_file_control(connection, "main", DAYBOOK_PAGES_CHECKED, &value)
  }

  /// From now on, what the connection writes to the file itself is made durable each time that it is so many
  /// bytes.
  package static func pace(_ connection: OpaquePointer, bytes: Int32) {
    var value = bytes
    sqlite3_file_control(connection, "main", DAYBOOK_PAGES_PACED, &value)
  }

  /// Writes what a transaction has changed to the write-ahead log already, in one piece; it counts
  /// for nothing before the commit.
  /// - Returns: SQLite's code.
  package static func flush(_ connection: OpaquePointer) -> Int32 {
    let began = daybook_pages_gather(connection, 1)
    let flushed = began == SQLITE_OK ? sqlite3_db_cacheflush(connection) : began
    let written = daybook_pages_gather(connection, 0)
    // Busy: a page in use stays in memory until the commit.
    return flushed == SQLITE_OK || flushed == SQLITE_BUSY ? written : flushed
  }

  // MARK: Looking at every page

  /// What reading all of a file found.
  package struct Check: Sendable {
    /// In pages, counted from 1.
    package var damaged: [UInt32] = []
    package var pages: UInt32 = 0
    /// Bytes behind the last whole page.
    package var excess = 0
  }

  /// Reads every page of a database file, used and free, and compares it with its checksum. Whoever
  /// has it open goes on meanwhile. Cost: reads the file once.
  /// - Throws: ``ProjectionError/Code/damagedReadModel`` where it is no database, `.sqlite` where it
  ///   cannot be read.
  package static func check(_ path: String) throws(ProjectionError) -> Check {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { close(descriptor) }
    var header = [UInt8](repeating: 0, count: 100)
    let found = pread(descriptor, &header, 100, 0)
    guard found >= 0 else { throw unreadable(path) }
    guard found == 100, header.starts(with: "SQLite format 3\0".utf8) else {
      throw ProjectionError(.damagedReadModel, "it does not begin as a database does")
    }
    let declared = Int(header[16]) << 8 | Int(header[17])
    let size = declared == 1 ? 65_536 : declared
    guard size >= 512, size & (size - 1) == 0 else {
      throw ProjectionError(.damagedReadModel, "its header names pages of \(declared) bytes")
    }
    var result = Check()
    var page = [UInt8](repeating: 0, count: size)
    while true {
      let count = readPage(descriptor, &page, result.pages + 1)
      guard count >= 0 else { throw unreadable(path) }
      guard count == size else {
        result.excess = count
        return result
      }
      result.pages += 1
      guard let isSound = isSound(descriptor, &page, result.pages) else { throw unreadable(path) }
      if !isSound { result.damaged.append(result.pages) }
    }
  }

  private static func readPage(_ descriptor: Int32, _ page: inout [UInt8], _ number: UInt32) -> Int
  {
    pread(descriptor, &page, page.count, off_t(number - 1) * off_t(page.count))
  }

  /// A page may be on its way to the disk just now, so one that does not match is read again.
  /// - Returns: nil where it cannot be read.
  private static func isSound(_ descriptor: Int32, _ page: inout [UInt8], _ number: UInt32) -> Bool?
  {
    for _ in 0..<50 {
      if daybook_page_is_sound(page, Int32(page.count), number) != 0 { return true }
      sched_yield()
      let count = readPage(descriptor, &page, number)
      guard count >= 0 else { return nil }
      guard count == page.count else { return false }
    }
    return false
  }

  private static func unreadable(_ path: String) -> ProjectionError {
    ProjectionError(
      .sqlite, "“\(path)” cannot be read: \(String(cString: strerror(errno)))",
      hint: "Check its permissions")
  }
}
