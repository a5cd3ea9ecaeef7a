package import Foundation

/// Writing of small files that appear whole or not at all.
package enum DurableFile {
  /// Writes a file durably and as a whole, in the place of an old one.
  /// - Throws: ``StoreError`` `noSpace` or `ioFailed`.
  package static func write(_ text: String, to path: String, mode: mode_t) throws(StoreError) {
    let temporary = path + ".new"
    func fail(_ what: String) -> StoreError {
      let number = errno
      unlink(temporary)
      return StoreError(
        number == ENOSPC || number == EDQUOT ? .noSpace : .ioFailed,
        "“\(path)” could not be \(what): \(String(cString: strerror(number)))")
    }
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw fail("made") }
    let bytes = Array(text.utf8)
    let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
    let isSynced = written == bytes.count && fsync(descriptor) == 0
    // A short write sets no error: there was no room for the rest.
    let number = written >= 0 && written < bytes.count ? ENOSPC : errno
    close(descriptor)
    errno = number
    guard isSynced else { throw fail("written") }
    guard rename(temporary, path) == 0 else { throw fail("put in place") }
    try DiskPath.sync(folder: DiskPath.folder(of: path))
  }
}
