import Crypto
import EventCore
import Foundation
import LogEngine
import Replication

/// Reads every byte of a backup and compares it with the backup's manifest.
struct BackupVerifier {
  private let folder: URL

  init(folder: URL) { self.folder = folder }

  func run(_ progress: (UInt64, UInt64) -> Void) throws -> BackupVerification {
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
    let identity = try? IdentityFile(text: manifest.identity)
    if identity == nil { result.findings.append("what it says of the store's identity is damaged") }
    if let identity, let text = manifest.head {
      let head = Hex.decode(text).flatMap { bytes in
        bytes.withUnsafeBytes { try? Head(decoding: $0) }
      }
      if head?.isSigned(by: identity.publicKey) != true {
        result.findings.append("what closes the store's own events is not signed by its key")
      }
    }
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
  ///   - progress: called with the number of bytes read so far.
  /// - Throws: ``LogError`` if the copy cannot be read.
  func fault(in storage: FileStorage, _ progress: (UInt64) -> Void = { _ in }) throws(LogError)
    -> String?
  {
    let copy: any StorageFile
    do throws(LogError) { copy = try storage.open(file, .read) } catch {
      guard error.code == .notFound else { throw error }
      return "is missing"
    }
    guard try copy.size() == bytes else { return "is not as long as it was written" }
    var hasher = SHA256()
    var offset: UInt64 = 0
    while offset < bytes {
      let piece = try copy.read(at: offset, count: 1 << 20)
      if piece.isEmpty { break }
      hasher.update(data: piece)
      offset += UInt64(piece.count)
      progress(offset)
    }
    return Hex.encode(hasher.finalize()) == sha256 ? nil : "is not what was written"
  }
}
