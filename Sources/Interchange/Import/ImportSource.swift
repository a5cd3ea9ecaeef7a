import Crypto
import DaybookDisk
package import DaybookEventCore
import Foundation

/// An open file to import, with the hash that identifies its content.
package struct ImportSource: Sendable {
  /// The file's name in messages.
  package let name: String
  let descriptor: Int32
  package let hash: Hash256
  let byteCount: UInt64

  private static let chunkBytes = 1 << 20

  /// Opens a file and reads all of it for the hash. Input from a pipe is copied to an unlinked
  /// temporary file, which disappears with this process.
  package init(path: String) throws(ImportError) {
    name = path == "-" ? "stdin" : path
    if path == "-" {
      let copy = try Self.temporaryFile()
      (hash, byteCount) = try Self.hash(STDIN_FILENO, name, copy: copy)
      descriptor = copy
    } else {
      let file = open(path, O_RDONLY)
      guard file >= 0 else {
        throw ImportError(
          .unreadable, "\(path) cannot be read: \(String(cString: strerror(errno)))",
          hint: errno == ENOENT ? "Check the path; - stands for the standard input" : nil)
      }
      var status = stat()
      guard fstat(file, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
        throw ImportError(
          .unusable, "\(path) is a folder", hint: "Name a file of interchange (NDJSON)")
      }
      if status.st_mode & S_IFMT == S_IFREG {
        descriptor = file
        let content = try Self.hash(file, name, copy: nil)
        byteCount = content.1
        hash = try Self.withSidecars(content.0, file, path)
      } else {
        descriptor = try Self.temporaryFile()
        (hash, byteCount) = try Self.hash(file, name, copy: descriptor)
      }
    }
    lseek(descriptor, 0, SEEK_SET)
  }

  /// Includes a database's `-wal` and `-journal` in the hash, as they are part of its content.
  private static func withSidecars(_ hash: Hash256, _ file: Int32, _ path: String)
    throws(ImportError) -> Hash256
  {
    guard SQLitePlace.isDatabase(file) else { return hash }
    var all = hash.description
    for ending in SQLitePlace.sidecars {
      let sidecar = open(SQLitePlace.resolved(path) + ending, O_RDONLY)
      guard sidecar >= 0 else { continue }
      defer { Foundation.close(sidecar) }
      let (part, count) = try Self.hash(sidecar, path + ending, copy: nil)
      if count > 0 { all += part.description }
    }
    return all == hash.description ? hash : Hash256(SHA256.hash(data: Array(all.utf8)))
  }

  package func close() { Foundation.close(descriptor) }

  /// Returns the first bytes of the file, at most `count`.
  func beginning(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: min(count, Int(clamping: byteCount))) { bytes, read in
      while read < bytes.count {
        let rest = UnsafeMutableBufferPointer(rebasing: bytes[read...])
        let found = pread(descriptor, rest.baseAddress, rest.count, off_t(read))
        if found < 0, errno == EINTR { continue }
        guard found > 0 else { return }
        read += found
      }
    }
  }

  /// Refuses a text in an encoding that is recognizably not UTF-8.
  func requireUTF8() throws(ImportError) {
    guard let encoding = WideEncoding(beginning: beginning(WideEncoding.beginningBytes)) else {
      return
    }
    throw ImportError(
      .unusable, "\(name) is \(encoding.family), and an import reads UTF-8",
      hint: "Convert it first: `iconv -f \(encoding.rawValue) -t UTF-8`, or save it as UTF-8")
  }

  private static func temporaryFile() throws(ImportError) -> Int32 {
    let folder = FileManager.default.temporaryDirectory.path(percentEncoded: false)
    var template = Array("\(folder)/daybook-import-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else {
      throw ImportError(
        .unreadable,
        "no temporary file can be made in \(folder): \(String(cString: strerror(errno)))",
        hint: "Set TMPDIR to a folder that can be written")
    }
    unlink(template)
    return file
  }

  private static func hash(_ file: Int32, _ name: String, copy: Int32?) throws(ImportError)
    -> (Hash256, UInt64)
  {
    var hasher = SHA256()
    var total: UInt64 = 0
    var buffer = [UInt8](repeating: 0, count: chunkBytes)
    while true {
      let count = try read(file, &buffer, name)
      if count == 0 { return (Hash256(hasher.finalize()), total) }
      hasher.update(data: buffer[..<count])
      total += UInt64(count)
      guard let copy else { continue }
      do { try buffer[..<count].withUnsafeBytes { try SystemCalls.write(copy, $0) } } catch {
        throw ImportError(
          .unreadable, "the copy of \(name) cannot be written: \(error)",
          hint: "Free some space where TMPDIR points, or import from a file")
      }
    }
  }

  /// Returns the next bytes, at most `count`; none at the end.
  package func next(_ count: Int) throws(ImportError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let found = try Self.read(descriptor, &bytes, name)
    return Array(bytes.prefix(found))
  }

  /// Reads the next bytes into the buffer.
  /// - Returns: The number of bytes read; 0 at the end.
  static func read(_ file: Int32, _ buffer: inout [UInt8], _ name: String) throws(ImportError)
    -> Int
  {
    while true {
      let count = buffer.withUnsafeMutableBytes {
        Foundation.read(file, $0.baseAddress, $0.count)
      }
      if count >= 0 { return count }
      guard errno == EINTR else {
        throw ImportError(
          .unreadable, "\(name) cannot be read: \(String(cString: strerror(errno)))")
      }
    }
  }
}
