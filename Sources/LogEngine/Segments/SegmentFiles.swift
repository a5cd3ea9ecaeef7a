internal import Synchronization

/// Opens sealed segments as they are read, and keeps the few that were read last open.
final class SegmentFiles: Sendable {
  /// macOS grants a process 256 open files to begin with.
  private static let openMax = 32

  private let storage: any Storage
  /// Most recently used last.
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

  /// Forgets a file that was replaced. Whoever reads it keeps it.
  func forget(_ number: UInt64) { open.withLock { $0.removeAll { $0.number == number } } }
}
