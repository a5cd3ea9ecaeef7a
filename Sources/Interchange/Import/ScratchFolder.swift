import Foundation

/// A temporary folder with a copy of what is imported.
struct ScratchFolder: Sendable {
  let url: URL

  init() throws(ImportError) {
    let parent = FileManager.default.temporaryDirectory.path(percentEncoded: false)
    var template = Array((parent as NSString).appendingPathComponent("daybook-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ImportError(
        .unreadable, "no folder can be made in \(parent): \(String(cString: strerror(errno)))",
        hint: "Free some space there, or set TMPDIR to a folder that can be written")
    }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    url = URL(fileURLWithPath: path, isDirectory: true)
  }

  func remove() { try? FileManager.default.removeItem(at: url) }
}
