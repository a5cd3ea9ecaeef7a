import DaybookEventCore
import DaybookLogEngine
package import Foundation

/// Creates a store from a backup.
package struct BackupReader {
  private let folder: URL
  private let files: StoreFiles
  private var options: EngineOptions

  /// Creates a reader for a backup.
  /// - Parameters:
  ///   - folder: the backup's folder.
  ///   - store: the folder of the new store.
  ///   - options: the options for opening the new store once, to build its read model.
  package init(folder: URL, store: URL, options: EngineOptions) {
    self.folder = folder
    self.options = options
    self.options.isReadOnly = false
    files = StoreFiles(folder: store)
  }

  package func run(_ progress: (UInt64, UInt64) -> Void) throws -> BackupReport {
    guard let manifest = try BackupManifest.read(folder) else {
      throw StoreError(
        .notAStore, "there is no backup in “\(folder.path(percentEncoded: false))”",
        hint: "Make one with `evtool backup`")
    }
    try requireNothing()
    let isMade = try DiskPath.makeFolder(files.path)
    // No other process may create or open a store there before it is complete.
    let gate = StoreGate(files)
    guard try gate.tryExclude() else {
      throw StoreError(
        .alreadyExists, "another process is making a store at “\(files.path)”, or has it open",
        hint: "Name another folder for the store")
    }
    defer { gate.release() }
    try requireNothing()
    do {
      try copy(manifest, progress)
      try finish(manifest, gate)
    } catch {
      if (try? gate.tryExclude()) == true { files.discard(withFolder: isMade) }
      throw error
    }
    return BackupReport(
      events: manifest.events, segments: manifest.segments.count, bytes: manifest.bytes,
      copied: manifest.segments.count, bytesCopied: manifest.bytes)
  }

  /// Checks that the target folder is missing or empty.
  /// - Throws: ``StoreError`` `alreadyExists` if the folder is not empty, or is a file.
  private func requireNothing() throws {
    guard try files.isEmpty else {
      throw StoreError(
        .alreadyExists, "“\(files.path)” is not empty",
        hint: "Name a new folder for the store, or move what is there to another place")
    }
  }

  private func copy(_ manifest: BackupManifest, _ progress: (UInt64, UInt64) -> Void) throws {
    let source = FileStorage(folder: folder.path(percentEncoded: false))
    let target = FileStorage(folder: files.path)
    try target.makeFolder(SegmentCopy.folder)
    try target.syncFolder("")
    var done: UInt64 = 0
    for segment in manifest.segments {
      let out = try target.open(SegmentCopy.path(segment.number), .create)
      if let fault = try segment.fault(
        in: source, to: out, { progress(done + $0, manifest.bytes) })
      {
        throw damaged(segment, fault)
      }
      try out.sync()
      done += segment.bytes
    }
    try target.syncFolder(SegmentCopy.folder)
  }

  /// Writes the identity file, which turns the folder into a store. Then opens it, which checks the
  /// log and builds the read model.
  private func finish(_ manifest: BackupManifest, _ gate: StoreGate) throws {
    let identity = try IdentityFile(text: manifest.identity)
    try DurableFile.write(identity.text, to: files.identity, mode: 0o644)
    let parts = try StoreOpening(url: files.folder, options: options).open(gate)
    defer { _ = try? parts.engine?.close() }
    let snapshot = parts.log.snapshot().whole
    let findings = parts.log.damage.map { "it holds a damaged log: \($0)" }
    if let finding = try (findings + manifest.findings(in: snapshot)).first {
      throw StoreError(
        .damaged, "the backup cannot be restored: \(finding)",
        hint: "Restore an earlier backup, or fetch the events from a replica")
    }
    guard let head = try manifest.ownHead(in: snapshot) else { return }
    try parts.log.lock()
    defer { parts.log.unlock() }
    try parts.log.append(head)
    try parts.log.sync()
  }

  private func damaged(_ segment: BackupManifest.Segment, _ what: String) -> StoreError {
    StoreError(
      .damaged,
      "“\(segment.file)” in “\(folder.path(percentEncoded: false))” \(what): nothing was restored",
      hint: "Restore an earlier backup, or fetch the events from a replica")
  }
}
