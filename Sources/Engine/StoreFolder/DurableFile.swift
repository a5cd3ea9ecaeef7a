import DaybookDisk
package import Foundation

/// Writing of small files that appear whole or not at all.
package enum DurableFile {
  /// Writes a file durably and as a whole, in the place of an old one.
  /// - Throws: ``StoreError`` `noSpace` or `ioFailed`.
  package static func write(_ text: String, to path: String, mode: mode_t) throws(StoreError) {
    let temporary = path + ".new"
    try? SystemCalls.remove(temporary)
    do {
      try WholeFile.write(Array(text.utf8), to: path, beside: temporary, mode: UInt32(mode))
    } catch {
      let what =
        switch error.step {
        case .make: "made"
        case .write: "written"
        case .place: "put in place"
        }
      throw StoreError(
        error.error.isFull ? .noSpace : .ioFailed,
        "“\(path)” could not be \(what): \(error.error)")
    }
    try DiskPath.sync(folder: DiskPath.folder(of: path))
  }

  /// Writes a file for people as a whole, in the place of an old one.
  ///
  /// Nothing relies on it: it may be lost in a power failure, and an error leaves the old one.
  static func note(_ data: Data, at path: String) {
    let temporary = "\(path).\(getpid()).new"
    try? SystemCalls.remove(temporary)
    try? WholeFile.write(
      Array(data), to: path, beside: temporary, mode: 0o666, isDurable: false)
  }
}
