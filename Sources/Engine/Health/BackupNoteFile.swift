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
    let words = text.split(separator: "\n", maxSplits: 1)[...].first?
      .split(separator: " ", maxSplits: 1)
    guard let words, words.count == 2, let time = Int64(words[0]) else { return nil }
    return .init(time: time, folder: String(words[1]))
  }

  static func write(_ note: StoreStatus.BackupNote, _ files: StoreFiles) {
    DurableFile.note(Data("\(note.time) \(note.folder)\n".utf8), at: files.lastBackup)
  }
}
