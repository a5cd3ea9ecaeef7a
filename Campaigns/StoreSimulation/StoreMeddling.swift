internal import Foundation
internal import Synchronization

/// What programs that mean well do to the files of a store in use: cleaners, and those that synchronise
/// folders.
enum StoreMeddling: Sendable, CustomStringConvertible {
  /// The lock file is replaced by an older one; removed where there is none.
  case lock(Data?)
  /// A file that has nothing to do there.
  case stray(String)

  static let strays = [
    ".DS_Store", "log/.nfs0000001", "log/mark~", "log/000000000000000A.segment", "lock.lock",
    "identity (conflicted copy)", "log/0000000000000001.segment.part",
  ]

  func apply(to folder: URL) async {
    // Among what the others do, somewhere.
    for _ in 0..<20 { await Task.yield() }
    do {
      switch self {
      case .lock(nil): try FileManager.default.removeItem(at: folder.appending(path: "lock"))
      case .lock(let data?):
        // As such programs do: beside, and then in its place.
        try data.write(to: folder.appending(path: "lock"), options: .atomic)
      case .stray(let name):
        try Data("no part of this".utf8).write(to: folder.appending(path: name))
      }
    } catch {
      // There was no such file just then.
    }
  }

  var description: String {
    switch self {
    case .lock(let data): data == nil ? "the lock file is removed" : "the lock file is an older one"
    case .stray(let name): "somebody puts “\(name)” there"
    }
  }
}

/// How many of several steps have not ended.
final class StepsLeft: Sendable {
  private let count: Mutex<Int>

  init(_ count: Int) { self.count = Mutex(count) }

  var isAny: Bool { count.withLock { $0 > 0 } }
  func end() { count.withLock { $0 -= 1 } }
}
