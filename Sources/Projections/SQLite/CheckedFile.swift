import DaybookCPages
import DaybookDisk
import Foundation
import GRDBSQLite

/// SQLite files with a checksum on every page. SQLite has none of its own, and would serve a bit
/// that flipped on the disk as data.
///
/// Through this VFS a damaged page is an error, `SQLITE_IOERR_DATA`. To other programs that read
/// SQLite the file is an ordinary database. A connection without this VFS must not write to it.
package enum CheckedFile {
  /// Registers the VFS once per process.
  private static let isRegistered = daybook_pages_register() == SQLITE_OK

  /// The VFS to open files with; nil, which means the system's, only if SQLite
  /// refuses to register it.
  static var vfs: String? { isRegistered ? DAYBOOK_PAGES_VFS : nil }

  /// Makes SQLite stop counting the memory that this process uses, which costs a lock. Must come
  /// before SQLite's first use; see ``Store/tuneProcess()``.
  /// - Returns: whether SQLite accepted the setting.
  package static func tuneProcess() -> Bool { daybook_sqlite_tune() == SQLITE_OK }

  /// Returns the URI with which SQLite opens a path through the checking VFS.
  /// - Parameters:
  ///   - path: an absolute path, or one relative to the working directory.
  ///   - isImmutable: whether no process will write to the file while it is open.
  package static func uri(_ path: String, isImmutable: Bool = false) -> String {
    let parameters = [vfs.map { "vfs=\($0)" }, isImmutable ? "immutable=1" : nil]
    return DatabaseURI.text(path, parameters.compactMap(\.self))
  }

  /// Reserves room for the checksums in a database. Must be called while the
  /// database is still empty.
  package static func reserve(_ connection: OpaquePointer) {
    var count = Int32(DAYBOOK_PAGE_RESERVED)
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
  }

  /// Turns checking of pages on or off: off while every page is about to be rewritten.
  package static func setChecked(_ connection: OpaquePointer, _ isChecked: Bool) {
    var value: Int32 = isChecked ? 1 : 0
    sqlite3_file_control(connection, "main", DAYBOOK_PAGES_CHECKED, &value)
  }

  /// Syncs the database file each time that the connection has written this many bytes to it.
  /// - Parameter bytes: the bytes between two syncs; 0 for none but SQLite's own.
  package static func pace(_ connection: OpaquePointer, bytes: Int32) {
    var value = bytes
    sqlite3_file_control(connection, "main", DAYBOOK_PAGES_PACED, &value)
  }

  /// Writes a transaction's changed pages to the write-ahead log, in one piece; they count for
  /// nothing before the commit.
  /// - Returns: SQLite's code.
  package static func flush(_ connection: OpaquePointer) -> Int32 {
    let began = daybook_pages_gather(connection, 1)
    let flushed = began == SQLITE_OK ? sqlite3_db_cacheflush(connection) : began
    let written = daybook_pages_gather(connection, 0)
    // BUSY: a page in use stays in memory until the commit.
    return flushed == SQLITE_OK || flushed == SQLITE_BUSY ? written : flushed
  }

  // MARK: - Checking every page

  /// The result of checking a whole file.
  package struct Check: Sendable {
    /// The numbers of the damaged pages, from 1.
    package var damaged: [UInt32] = []
    package var pages: UInt32 = 0
    /// Bytes after the last whole page.
    package var excess = 0
  }

  /// Reads every page of a database file, used and free, and compares it with its checksum. Other
  /// connections may use the file meanwhile. Cost: reads the file once.
  /// - Throws: ``ProjectionError/Code/damagedReadModel`` if the file is no database, `.sqlite` if
  ///   it cannot be read.
  package static func check(_ path: String) throws(ProjectionError) -> Check {
    do { return try checkPages(path) } catch let error as ProjectionError { throw error } catch {
      throw unreadable(path)
    }
  }

  /// - Throws: ``ProjectionError``; `SystemError` if the file cannot be read.
  private static func checkPages(_ path: String) throws -> Check {
    let descriptor = try SystemCalls.open(path, .read)
    defer { SystemCalls.close(descriptor) }
    var header = [UInt8](repeating: 0, count: 100)
    let found = try header.withUnsafeMutableBytes {
      try SystemCalls.read(descriptor, at: 0, into: $0)
    }
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
      let count = try readPage(descriptor, &page, result.pages + 1)
      guard count == size else {
        result.excess = count
        return result
      }
      result.pages += 1
      if try !isSound(descriptor, &page, result.pages) { result.damaged.append(result.pages) }
    }
  }

  private static func readPage(
    _ descriptor: Int32, _ page: inout [UInt8], _ number: UInt32
  ) throws -> Int {
    let offset = UInt64(number - 1) * UInt64(page.count)
    return try page.withUnsafeMutableBytes {
      try SystemCalls.read(descriptor, at: offset, into: $0)
    }
  }

  /// Returns whether a page matches its checksum. A page that does not match is read again, since
  /// it may just be being written.
  private static func isSound(
    _ descriptor: Int32, _ page: inout [UInt8], _ number: UInt32
  ) throws -> Bool {
    for _ in 0..<50 {
      if daybook_page_is_sound(page, Int32(page.count), number) != 0 { return true }
      sched_yield()
      let count = try readPage(descriptor, &page, number)
      guard count == page.count else { return false }
    }
    return false
  }

  private static func unreadable(_ path: String) -> ProjectionError {
    ProjectionError(
      .sqlite, "“\(path)” cannot be read: \(SystemError.latest)",
      hint: "Check its permissions")
  }
}
