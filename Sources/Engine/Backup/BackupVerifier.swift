import Crypto
import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
package import Foundation

/// Reads every byte of a backup and compares it with the backup's manifest.
package struct BackupVerifier {
  private let folder: URL

  package init(folder: URL) { self.folder = folder }

  package func run(_ progress: (UInt64, UInt64) -> Void) throws -> BackupVerification {
    guard let manifest = try BackupManifest.read(folder) else {
      throw StoreError(
        .notAStore, "there is no backup in “\(folder.path(percentEncoded: false))”",
        hint: "Make one with `evtool backup`")
    }
    var result = BackupVerification(
      made: manifest.made, events: manifest.events, segments: manifest.segments.count,
      bytes: manifest.bytes)
    let storage = FileStorage(folder: folder.path(percentEncoded: false))
    var done: UInt64 = 0
    for segment in manifest.segments {
      if let fault = try segment.fault(in: storage, { progress(done + $0, manifest.bytes) }) {
        result.findings.append("“\(segment.file)” \(fault)")
      }
      done += segment.bytes
    }
    // What is not as it was written says nothing about the events.
    guard result.findings.isEmpty else { return result }
    let log = try LogRepair.source(BackupStorage(manifest, folder: folder))
    result.findings = try manifest.findings(in: log.whole)
    return result
  }
}

extension BackupManifest.Segment {
  /// Returns what is wrong with the copy of a segment, as the end of a sentence; nil if it is
  /// intact.
  ///
  /// Cost: reads the whole copy.
  /// - Parameters:
  ///   - storage: the backup's folder.
  ///   - target: a file that gets the bytes, too.
  ///   - progress: called with the number of bytes read so far.
  /// - Throws: ``LogError`` if the copy cannot be read, or the target cannot be written.
  func fault(
    in storage: FileStorage, to target: (any StorageFile)? = nil,
    _ progress: (UInt64) -> Void = { _ in }
  ) throws(LogError) -> String? {
    let copy: any StorageFile
    do throws(LogError) { copy = try storage.open(file, .read) } catch {
      guard error.code == .notFound else { throw error }
      return "is missing"
    }
    guard try copy.size() == bytes else { return "is not as long as it was written" }
    var hasher = SHA256()
    var offset: UInt64 = 0
    while offset < bytes {
      let piece = try copy.read(at: offset, count: Int(min(bytes - offset, 1 << 20)))
      if piece.isEmpty { break }
      hasher.update(data: piece)
      try target?.write(piece, at: offset)
      offset += UInt64(piece.count)
      progress(offset)
    }
    return Hex.encode(hasher.finalize()) == sha256 ? nil : "is not what was written"
  }
}
