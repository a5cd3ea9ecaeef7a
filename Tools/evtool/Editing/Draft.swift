import DaybookDisk
import DaybookEventCore
import Foundation

/// A text in a file while a person edits it.
///
/// Only its owner can read the file. It has a folder of its own, so this is also true of the copies
/// that editors make beside a file, and they are removed with it.
struct Draft {
  /// The path of the file.
  let path: String
  private let folder: String
  private let text: String

  private init(_ text: String, path: String, folder: String) {
    self.text = text
    self.path = path
    self.folder = folder
  }

  /// Makes the file under `$TMPDIR`.
  static func create(_ text: String, name: String) throws(Failure) -> Draft {
    let parent = FileManager.default.temporaryDirectory.path(percentEncoded: false)
    var template = Array((parent as NSString).appendingPathComponent("evtool-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw unwritable(parent, SystemError.latest) }
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let draft = Draft(text, path: "\(folder)/\(name)", folder: folder)
    do throws(SystemError) {
      let file = try SystemCalls.open(draft.path, .new, mode: 0o600)
      defer { SystemCalls.close(file) }
      var text = text
      let written = text.withUTF8 { bytes in
        Result { () throws(SystemError) in
          try SystemCalls.write(file, UnsafeRawBufferPointer(bytes))
        }
      }
      try written.get()
    } catch {
      draft.remove()
      throw unwritable(draft.path, error)
    }
    return draft
  }

  private static func unwritable(_ path: String, _ error: SystemError) -> Failure {
    Failure(
      .usage, "the text cannot be written to a file in \(path): \(error)",
      hint: "Free some space there, or set TMPDIR to a folder that can be written")
  }

  /// Returns the text as the file has it now.
  /// - Throws: ``Failure`` if there is no file, or no text in it.
  func edited() throws(Failure) -> String {
    guard isFile else {
      throw Failure(.problem, "the editor has left no file at \(path); nothing was written")
    }
    let bytes: [UInt8]
    do throws(SystemError) {
      let file = try SystemCalls.open(path, .read)
      defer { SystemCalls.close(file) }
      bytes = try SystemCalls.read(file, atMost: .max)
    } catch {
      throw Failure(.problem, "the edited text cannot be read: \(error)")
    }
    guard let text = String(utf8: bytes) else {
      throw Failure(.usage, "the edited text is not UTF-8", hint: "Save it as UTF-8")
    }
    return text
  }

  private var isFile: Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Removes the file and all that is beside it.
  func remove() { try? FileManager.default.removeItem(atPath: folder) }

  /// Says where the text is.
  func announce() { StandardError.line("evtool: the text is kept in \(path)") }

  /// Keeps a text that was changed and could not be written, and says where it is. Removes any
  /// other.
  func release() {
    if hasChanges { announce() } else { remove() }
  }

  private var hasChanges: Bool {
    guard isFile else { return false }
    guard let bytes = FileManager.default.contents(atPath: path) else { return true }
    return bytes != Data(text.utf8)
  }
}
