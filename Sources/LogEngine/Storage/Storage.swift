internal import EventCore

/// The folder of one store, as the few calls that the log needs of a file system.
///
/// Names are relative to it: `log/mark`. ``FileStorage`` is the real one; `SimulatedStorage` loses
/// power at any call. Every call may block.
package protocol Storage: Sendable {
  /// - Throws: ``LogError/Code/notFound`` where the file is absent and `mode` does not make it.
  func open(_ name: String, _ mode: OpenMode) throws(LogError) -> any StorageFile

  /// The names of the files in `folder`, in any order, without the folder's.
  /// - Throws: ``LogError/Code/notFound`` where there is no such folder.
  func list(_ folder: String) throws(LogError) -> [String]

  /// Makes `folder` where it is absent. Durable, with all that is in it, only after ``syncFolder(_:)`` of the
  /// one that it is in.
  func makeFolder(_ folder: String) throws(LogError)

  /// Replaces what is called `new`, atomically. Durable only after ``syncFolder(_:)``.
  func rename(_ old: String, to new: String) throws(LogError)

  /// Removes a file; no error where it is absent. Those who have it open can go on reading.
  func remove(_ name: String) throws(LogError)

  /// Makes the names in `folder` durable.
  func syncFolder(_ folder: String) throws(LogError)
}

package enum OpenMode: Sendable {
  case read
  case readWrite
  /// To read and write, made anew and empty.
  case create
}

/// An open file. Closed when its last reference goes, so that a snapshot keeps what it reads.
package protocol StorageFile: Sendable {
  /// Fills `buffer` from `offset` on.
  /// - Returns: how many bytes; fewer than `buffer` holds only at the end of the file.
  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(LogError) -> Int

  /// Writes all of `bytes`, or throws; some of them may have been written then.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(LogError)

  /// Bytes just written may begin their way to the disk, so that ``sync()`` finds less to do: a
  /// hint, which promises nothing and reports nothing.
  func startWriting(at offset: UInt64, count: Int)

  /// Makes the file's contents and size durable. Not to be tried again after it failed.
  func sync() throws(LogError)

  func truncate(to size: UInt64) throws(LogError)

  /// Reserves space so that the file has at least `size` bytes, the new ones zero. Does nothing
  /// where the file system cannot.
  /// - Throws: ``LogError/Code/noSpace`` where the disk is full.
  func allocate(to size: UInt64) throws(LogError)

  func size() throws(LogError) -> UInt64
}

extension StorageFile {
  package func startWriting(at offset: UInt64, count: Int) {}

  /// Exactly `count` bytes, or what there is of them before the end of the file.
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
