import DaybookFrames
import DaybookLocks

/// A cache of open files of sealed segments, which keeps the most recently used ones open.
final class SegmentFiles: Sendable {
  /// The largest number of open files; by default, macOS allows a process 256 in all.
  private static let openMax = 32

  private let storage: any Storage
  /// The open files, the most recently used last.
  private let open = Mutex<[(number: UInt64, file: any StorageFile)]>([])

  init(storage: any Storage) { self.storage = storage }

  func file(_ number: UInt64) throws(LogError) -> any StorageFile {
    let known = open.withLock { open -> (any StorageFile)? in
      guard let i = open.lastIndex(where: { $0.number == number }) else { return nil }
      let entry = open.remove(at: i)
      open.append(entry)
      return entry.file
    }
    if let known { return known }
    let file = try storage.open(SegmentName.file(number), .read)
    open.withLock { open in
      open.removeAll { $0.number == number }
      if open.count >= Self.openMax { open.removeFirst() }
      open.append((number, file))
    }
    return file
  }

  /// Removes a file that was replaced from the cache; existing references to it stay usable.
  func forget(_ number: UInt64) { open.withLock { $0.removeAll { $0.number == number } } }
}
