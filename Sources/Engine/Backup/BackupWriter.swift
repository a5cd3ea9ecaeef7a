import Crypto
import DaybookEventCore
import DaybookLogEngine
package import Foundation

/// Writes a backup: copies missing segments, then writes the manifest, then removes files that are
/// no longer needed.
package struct BackupWriter {
  private let files: StoreFiles
  private let target: URL
  private let storage: FileStorage

  package init(store: URL, target: URL) {
    files = StoreFiles(folder: store)
    self.target = target
    storage = FileStorage(folder: target.path(percentEncoded: false))
  }

  package func run(_ progress: (UInt64, UInt64) -> Void) throws -> BackupReport {
    let identity = try IdentityFile.read(files)
    let log = try openLog()
    defer { try? log.close() }
    // A backup belongs to this replica, so it includes local collections.
    let snapshot = log.snapshot().whole
    try prepareTarget()
    let lock = FolderLock(target.path(percentEncoded: false), name: "the folder of the backup")
    try lock.lock(.exclusive, timeout: .seconds(30))
    defer { lock.unlock() }
    let earlier = try BackupManifest.read(target)
    if let earlier { try requireContinuation(of: earlier, snapshot) }

    let known = Dictionary(
      (earlier?.segments ?? []).map { ($0.file, $0) }, uniquingKeysWith: { $1 })
    let copies = try snapshot.segmentCopies()
    // A copy that was damaged since is made again while the original still exists.
    var there: [String: BackupManifest.Segment] = [:]
    for copy in copies {
      let name = Self.name(copy)
      if let segment = known[name], try segment.fault(in: storage) == nil { there[name] = segment }
    }
    let missing = copies.filter { there[Self.name($0)] == nil }
    let total = missing.reduce(0) { $0 + $1.length }
    var report = BackupReport(
      events: snapshot.vector.entries.reduce(0) { $0 + $1.sequence }, segments: copies.count,
      bytes: copies.reduce(0) { $0 + $1.length }, copied: missing.count, bytesCopied: 0)
    var segments: [BackupManifest.Segment] = []
    for copy in copies {
      if let segment = there[Self.name(copy)] {
        segments.append(segment)
      } else {
        segments.append(try add(copy) { progress(report.bytesCopied + $0, total) })
        report.bytesCopied += copy.length
      }
    }
    try storage.syncFolder("")
    let manifest = BackupManifest(
      made: Date().formatted(.iso8601), identity: identity.text,
      origins: try snapshot.vector.entries.map { origin, sequence in
        BackupManifest.Origin(
          origin: origin.description, sequence: sequence,
          chain: Self.text(try snapshot.chain(after: EventID(origin, sequence))))
      }, segments: segments, head: try head(identity, snapshot))
    try DurableFile.write(try manifest.text(), to: path(BackupManifest.name), mode: 0o644)
    try clear(keeping: Set(segments.map(\.file)))
    BackupNoteFile.write(
      .init(
        time: Date.now.milliseconds,
        folder: (target.standardizedFileURL.path(percentEncoded: false) as NSString)
          .standardizingPath), files)
    return report
  }

  private func head(_ file: IdentityFile, _ snapshot: LogSnapshot) throws -> String? {
    let sequence = snapshot.vector[file.replica]
    guard sequence > 0, try DiskPath.isReadable(files.key), let key = try file.identity(files),
      let chain = try snapshot.chain(after: EventID(file.replica, sequence))
    else { return nil }
    return Hex.encode(
      try Head(zone: file.zone, sequence: sequence, chain: chain, by: key).encoded())
  }

  /// Returns the file name of a copy. It identifies the contents, so a file with this name is
  /// complete.
  private static func name(_ copy: SegmentCopy) -> String {
    "\(hexadecimal(copy.number))-\(hexadecimal(copy.salt))-\(copy.length).segment"
  }

  private static func hexadecimal(_ number: UInt64) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }

  static func text(_ chain: Hash256?) -> String { chain.map { Hex.encode($0.bytes) } ?? "" }

  private func path(_ name: String) -> String {
    target.appending(path: name).path(percentEncoded: false)
  }

  private func openLog() throws -> EventLog {
    let log = try EventLog.reading(files)
    guard let finding = log.damage.first else { return log }
    try? log.close()
    throw StoreError(
      .damaged, "the log is damaged, so it is not backed up: \(finding)",
      hint: "An earlier backup is the better one; `evtool verify` says what is damaged")
  }

  /// Creates the folder. Throws if it contains anything other than a backup.
  private func prepareTarget() throws {
    if try BackupManifest.read(target) != nil { return }
    let place = target.path(percentEncoded: false)
    let content = try DiskPath.contents(place)
    // Files that an interrupted first backup may have left.
    let foreign = content?.first {
      !$0.hasSuffix(".segment") && !$0.hasSuffix(".new")
    }
    if let foreign {
      throw StoreError(
        .alreadyExists, "“\(place)” is no backup: there is “\(foreign)” in it",
        hint: "Name a new folder for the backup")
    }
    try DiskPath.makeFolder(place)
  }

  /// Throws unless the store holds all events of the earlier backup. A backup may only be extended;
  /// otherwise events that only the backup holds would be lost.
  private func requireContinuation(of earlier: BackupManifest, _ snapshot: LogSnapshot) throws {
    for known in earlier.origins {
      let origin = ReplicaID(known.origin)
      let chain = try origin.flatMap { origin in
        snapshot.vector[origin] < known.sequence
          ? nil : try snapshot.chain(after: EventID(origin, known.sequence))
      }
      guard Self.text(chain) == known.chain else {
        throw StoreError(
          .alreadyExists,
          "“\(target.path(percentEncoded: false))” holds a backup with events of \(known.origin) "
            + "that this store does not have",
          hint: "Name another folder, or restore that backup if the store has lost them")
      }
    }
  }

  private func add(_ copy: SegmentCopy, _ progress: (UInt64) -> Void) throws
    -> BackupManifest.Segment
  {
    let name = Self.name(copy)
    let file = try storage.open(name + ".new", .create)
    var hasher = SHA256()
    var offset: UInt64 = 0
    try copy.forEachPiece { bytes in
      hasher.update(bufferPointer: bytes)
      try file.write(bytes, at: offset)
      offset += UInt64(bytes.count)
      progress(offset)
    }
    try file.sync()
    try storage.rename(name + ".new", to: name)
    return BackupManifest.Segment(
      number: copy.number, file: name, bytes: offset, sha256: Hex.encode(hasher.finalize()))
  }

  /// Removes copies that the manifest no longer names.
  private func clear(keeping names: Set<String>) throws {
    for name in try storage.list("") where !names.contains(name) {
      if name.hasSuffix(".segment") || name.hasSuffix(".segment.new") { try storage.remove(name) }
    }
  }
}
