import DaybookFrames
import DaybookLogEngine
import Foundation

/// A backup presented as a log's folder. It is read-only.
struct BackupStorage: Storage {
  private let files: FileStorage
  /// Maps names in a store's folder to names in the backup.
  private let names: [String: String]

  init(_ manifest: BackupManifest, folder: URL) {
    files = FileStorage(folder: folder.path(percentEncoded: false))
    names = Dictionary(
      manifest.segments.map { (SegmentCopy.path($0.number), $0.file) }, uniquingKeysWith: { $1 })
  }

  func open(_ name: String, _ mode: OpenMode) throws(LogError) -> any StorageFile {
    guard mode == .read else { throw refusal }
    guard let file = names[name] else {
      throw LogError(.notFound, "there is no “\(name)” in the backup")
    }
    return try files.open(file, .read)
  }

  func list(_ folder: String) throws(LogError) -> [String] {
    guard folder == SegmentCopy.folder else { return [] }
    return names.keys.map { String($0.dropFirst(folder.count + 1)) }
  }

  func makeFolder(_ folder: String) throws(LogError) { throw refusal }
  func rename(_ old: String, to new: String) throws(LogError) { throw refusal }
  func remove(_ name: String) throws(LogError) { throw refusal }
  func syncFolder(_ folder: String) throws(LogError) { throw refusal }

  private var refusal: LogError { LogError(.readOnly, "a backup is only read") }
}
