import DaybookEventCore
package import DaybookFrames

/// The folder of one store, reduced to the file system calls that the log needs.
///
/// Names are relative to the folder, such as `log/mark`. ``FileStorage`` is the real one;
/// `SimulatedStorage` loses power at any call. Every call may block.
package protocol Storage: Sendable {
  /// Opens a file.
  ///
  /// - Throws: ``LogError/Code/notFound`` if the file does not exist and `mode` does not create it.
  func open(_ name: String, _ mode: OpenMode) throws(LogError) -> any StorageFile

  /// Returns the names of the files in `folder`, in any order, without the folder's own name.
  ///
  /// - Throws: ``LogError/Code/notFound`` if there is no such folder.
  func list(_ folder: String) throws(LogError) -> [String]

  /// Creates `folder` if it does not exist.
  ///
  /// It is durable, with all files in it, only after ``syncFolder(_:)`` of its parent folder.
  func makeFolder(_ folder: String) throws(LogError)

  /// Renames a file and atomically replaces `new`.
  ///
  /// Durable only after ``syncFolder(_:)``.
  func rename(_ old: String, to new: String) throws(LogError)

  /// Removes a file, if it exists.
  ///
  /// References to the open file stay readable.
  func remove(_ name: String) throws(LogError)

  /// Makes the names in `folder` durable.
  func syncFolder(_ folder: String) throws(LogError)
}

package enum OpenMode: Sendable {
  case read
  case readWrite
  /// For reading and writing; the file is created, or emptied.
  case create
}

/// An open file.
///
/// It is closed with its last reference, so a snapshot keeps the files that it reads.
package protocol StorageFile: Sendable {
  /// Reads bytes from `offset` into `buffer`.
  ///
  /// - Returns: the number of bytes; fewer than `buffer` holds only at the end of the file.
  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(LogError) -> Int

  /// Writes all of `bytes`, or throws; some of them may have been written then.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(LogError)

  /// Hints that bytes just written may be sent to the disk now, so that ``sync()`` has less to do.
  ///
  /// It promises nothing and reports no errors.
  func startWriting(at offset: UInt64, count: Int)

  /// Makes the file's contents and size durable.
  ///
  /// After a failure it must not be retried.
  func sync() throws(LogError)

  func truncate(to size: UInt64) throws(LogError)

  /// Reserves space so that the file has at least `size` bytes, the new ones zero.
  ///
  /// Does nothing if the file system cannot reserve space.
  /// - Throws: ``LogError/Code/noSpace`` if the disk is full.
  func allocate(to size: UInt64) throws(LogError)

  func size() throws(LogError) -> UInt64
}

extension StorageFile {
  package func startWriting(at offset: UInt64, count: Int) {}

  /// Reads exactly `count` bytes at `offset`, or those before the end of the file.
  package func read(at offset: UInt64, count: Int) throws(LogError) -> [UInt8] {
    var failure: LogError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      do throws(LogError) {
        initialized = try read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  package func write(_ bytes: [UInt8], at offset: UInt64) throws(LogError) {
    try bytes.withRawBytes { raw throws(LogError) in try write(raw, at: offset) }
  }
}
