public import Foundation

/// Downloads files of a shared folder that are only placeholders on this device, because the drive
/// has evicted them or has not brought them yet.
public protocol NoteDownloader: Sendable {
  /// Brings the file of a placeholder, and returns when it is here.
  ///
  /// Several calls run at once, as ``NoteSync/Options/downloadsMax`` says. A call that throws is
  /// repeated later, at increasing intervals.
  /// - Parameters:
  ///   - placeholder: the placeholder, such as `.NAME.icloud`.
  ///   - file: the file that it stands for, in the same folder.
  func download(_ placeholder: URL, to file: URL) async throws
}

#if canImport(Darwin)
  /// Downloads files of iCloud Drive.
  public struct CloudDriveDownloader: NoteDownloader {
    /// Makes a downloader.
    public init() {}

    public func download(_ placeholder: URL, to file: URL) async throws {
      try FileManager.default.startDownloadingUbiquitousItem(at: placeholder)
      while !FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) {
        try Task.checkCancellation()
        try await Task.sleep(for: .milliseconds(200))
        let values = try placeholder.resourceValues(forKeys: [.ubiquitousItemDownloadingErrorKey])
        if let error = values.ubiquitousItemDownloadingError { throw error }
      }
    }
  }
#endif
