import DaybookLocks
import Foundation

/// A temporary folder for a command, removed when the command ends, even by SIGINT or SIGTERM. A
/// process has at most one at a time.
struct CommandFolder {
  let url: URL

  /// The current folder. Locked while the folder is created, so that a signal's clean-up knows its
  /// name.
  private static let current = Mutex<URL?>(nil)

  init() throws(Failure) {
    Interrupt.endAfter { Self.remove() }
    url = try Self.current.withLock { current throws(Failure) in
      let url = try Self.make()
      current = url
      return url
    }
  }

  func remove() { Self.remove() }

  private static func make() throws(Failure) -> URL {
    let parent = FileManager.default.temporaryDirectory.path(percentEncoded: false)
    var template = Array((parent as NSString).appendingPathComponent("evtool-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Failure(
        .usage, "no folder can be made in \(parent): \(String(cString: strerror(errno)))",
        hint: "Free some space there, or set TMPDIR to a folder that can be written")
    }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return URL(fileURLWithPath: path, isDirectory: true)
  }

  private static func remove() {
    current.withLock { current in
      guard let url = current else { return }
      try? FileManager.default.removeItem(at: url)
      current = nil
    }
  }
}
