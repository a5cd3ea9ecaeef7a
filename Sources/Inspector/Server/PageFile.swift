import DaybookCInspectorPage

/// A file of the page, as it stands in the folder `Sources/CInspectorPage/page`.
struct PageFile: Sendable {
  var type: String
  var bytes: [UInt8]

  /// Finds a file by its path; nil if there is none.
  static func find(_ path: String) -> PageFile? { all[path] }

  private static let all: [String: PageFile] = {
    var files: [String: PageFile] = [:]
    for number in 0..<daybook_page_count() {
      let file = daybook_page_file(number)
      guard let name = file.name, let type = file.type, let bytes = file.bytes else { continue }
      let path = String(cString: name)
      files[path == "index.html" ? "" : path] = PageFile(
        type: String(cString: type),
        bytes: Array(UnsafeRawBufferPointer(start: bytes, count: file.count)))
    }
    return files
  }()

  /// The paths of all files.
  static var paths: [String] { all.keys.sorted() }
}
