import Dispatch
import Foundation

/// A folder for what a command needs for a while. It goes away with the command, also where someone
/// stops that with Ctrl-C or SIGTERM.
final class TemporaryFolder {
  let url: URL
  private let signals: [any DispatchSourceSignal]

  private static let queue = DispatchQueue(label: "evtool.temporary-folder")

  init() throws(Failure) {
    let parent = FileManager.default.temporaryDirectory.path(percentEncoded: false)
    var template = Array((parent as NSString).appendingPathComponent("evtool-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Failure(
        .usage, "no folder can be made in \(parent): \(String(cString: strerror(errno)))",
        hint: "Free some space there, or set TMPDIR to a folder that can be written")
    }
    let folder = URL(
      fileURLWithPath: String(
        decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self),
      isDirectory: true)
    url = folder
    signals = [SIGINT, SIGTERM].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: Self.queue)
      source.setEventHandler {
        try? FileManager.default.removeItem(at: folder)
        StandardError.line("evtool: interrupted")
        exit(ExitStatus.interrupted.rawValue)
      }
      source.resume()
      signal(number, SIG_IGN)
      return source
    }
  }

  func remove() {
    for source in signals { source.cancel() }
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    try? FileManager.default.removeItem(at: url)
  }
}
