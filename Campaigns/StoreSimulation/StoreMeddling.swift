import DaybookLocks
import Foundation

/// Changes that cleaners and folder synchronization make to the files of a store in use.
enum StoreMeddling: Sendable, CustomStringConvertible {
  /// Replaces the lock file by an older one; nil removes it.
  case lock(Data?)
  /// A file that does not belong there.
  case stray(String)

  static let strays = [
    ".DS_Store", "log/.nfs0000001", "log/mark~", "log/000000000000000A.segment", "lock.lock",
    "identity (conflicted copy)", "log/0000000000000001.segment.part",
  ]

  func apply(to folder: URL) async {
    // Let some of the concurrent steps run first.
    for _ in 0..<20 { await Task.yield() }
    do {
      switch self {
      case .lock(nil): try FileManager.default.removeItem(at: folder.appending(path: "lock"))
      case .lock(let data?):
        // Such programs write another file first, and then rename it.
        try data.write(to: folder.appending(path: "lock"), options: .atomic)
      case .stray(let name):
        try Data("no part of this".utf8).write(to: folder.appending(path: name))
      }
    } catch {
      // The file did not exist at that moment.
    }
  }

  var description: String {
    switch self {
    case .lock(let data): data == nil ? "the lock file is removed" : "the lock file is an older one"
    case .stray(let name): "somebody puts “\(name)” there"
    }
  }
}

/// The number of concurrent steps that have not ended.
final class StepsLeft: Sendable {
  private let count: Mutex<Int>

  init(_ count: Int) { self.count = Mutex(count) }

  var isAny: Bool { count.withLock { $0 > 0 } }
  /// Whether any step is left but the one that asks.
  var isAnyOther: Bool { count.withLock { $0 > 1 } }
  func end() { count.withLock { $0 -= 1 } }
}
