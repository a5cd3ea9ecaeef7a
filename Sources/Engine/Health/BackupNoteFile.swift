import DaybookEventCore
import Foundation

/// The file `last-backup` beside a store, with the time and folder of the last backup. It is for
/// people only, so errors while writing it are ignored.
///
/// The file has one line: milliseconds since 1970, a space, and the folder.
enum BackupNoteFile {
  /// Returns the note; nil if there is none or it cannot be understood.
  /// - Throws: ``StoreError`` `ioFailed` if the file cannot be read.
  static func read(_ files: StoreFiles) throws(StoreError) -> StoreStatus.BackupNote? {
    guard let data = try DiskPath.read(files.lastBackup), data.count < 1 << 16,
      let text = String(utf8: data)
    else { return nil }
    // The folder may have spaces, but no line break that counts.
    let line = text.parts(between: "\n")[0].parts(between: " ")
    guard line.count > 1, let time = Int64(line[0]) else { return nil }
    let folder = line.dropFirst().joined(separator: " ")
    return folder.isEmpty ? nil : .init(time: time, folder: folder)
  }

  static func write(_ note: StoreStatus.BackupNote, _ files: StoreFiles) {
    DurableFile.note(Data("\(note.time) \(note.folder)\n".utf8), at: files.lastBackup)
  }
}
