import DaybookEngine
import DaybookEventCore
import DaybookReplication

/// A cache of what reading files has shown. A file is not read again while it stays unchanged.
///
/// Other programs may write a file in place while it is read. So a result is recorded for what the
/// file system said *before* the file was read. If the file had only just changed, a later change
/// may have the same time. Then the result counts for a moment, and the file is read once more.
final class FolderMemory {
  /// A state of a file, as far as the file system tells states apart.
  struct Version: Hashable {
    var path: String
    var size: Int
    var modified: Int64
    var change: UInt64
    /// When the file was last changed, in milliseconds since 1970.
    var changed: Int64

    init(_ path: String, _ facts: FolderFacts) {
      self.path = path
      size = facts.size
      modified = facts.modified
      change = facts.change
      changed = facts.changed
    }
  }

  struct Fault: Error { var finding: SyncFinding }

  /// What reading a file has shown.
  private struct Known<Value> {
    var value: Value
    /// Whether it counts as long as the file has the same version.
    var isLasting: Bool
  }

  /// How long ago a file must have changed, in milliseconds, for its time to tell a later change.
  /// The coarsest times in use are FAT's, of two seconds.
  private static let distinct: Int64 = 2000

  /// The time of the latest scan, in milliseconds since 1970.
  var now: Int64 = 0

  private var faults: [Version: Known<SyncFinding>] = [:]
  /// The files whose contents their origins have not signed.
  private var rejected: Set<Version> = []
  private var names: [Version: Known<FolderFileName>] = [:]
  private var recent: [(path: String, name: FolderFileName, file: FolderFile)] = []
  private static let recentMax = 3

  func fault(of version: Version) -> SyncFinding? { known(faults[version], version) }

  func isRejected(_ version: Version) -> Bool { rejected.contains(version) }

  /// Returns the original name of a file that was renamed. Reads the file unless the result is
  /// cached.
  func name(of version: Version, _ disk: any FolderStorage) -> Result<FolderFileName, Fault> {
    if let fault = fault(of: version) { return .failure(Fault(finding: fault)) }
    if let name = known(names[version], version) { return .success(name) }
    return load(version.path, version, disk).map { file, bytes in
      let name = file.name(of: bytes)
      names[version] = Known(value: name, isLasting: isDistinct(version))
      return name
    }
  }

  /// Returns a file's contents if they match its name.
  /// - Parameters:
  ///   - item: the file to read.
  ///   - zone: the zone that the file must belong to.
  ///   - isAnew: whether to read the file from the disk even if its contents are cached. It may
  ///     have been damaged since.
  ///   - disk: the shared folder.
  func read(_ item: FolderItem, zone: ZoneID, isAnew: Bool, _ disk: any FolderStorage) -> Result<
    FolderFile, Fault
  > {
    if !isAnew, let known = recent.first(where: { $0.path == item.path && $0.name == item.name }) {
      return .success(known.file)
    }
    return load(item.path, item.version, disk).flatMap { file, bytes in
      guard file.name(of: bytes) == item.name, file.zone == zone else {
        return .failure(
          note(
            .damaged, item.path, "holds something else than its name says, and is passed over",
            item.version))
      }
      recent.append((item.path, item.name, file))
      if recent.count > Self.recentMax { recent.removeFirst() }
      return .success(file)
    }
  }

  /// Records that an origin has not signed the contents of its file. The file is not read again
  /// while it stays unchanged.
  func reject(_ item: FolderItem) -> SyncFinding {
    if let version = item.version { rejected.insert(version) }
    return note(
      .damaged, item.path, "holds what \(item.name.origin) has not signed, and is passed over",
      item.version
    ).finding
  }

  private func load(_ path: String, _ version: Version?, _ disk: any FolderStorage) -> Result<
    (FolderFile, [UInt8]), Fault
  > {
    let bytes: [UInt8]
    switch disk.read(path, atMost: SyncProtocol.messageBytesMax) {
    case .success(let read): bytes = read
    case .failure(let error):
      // A read error is not recorded, because the next attempt may succeed.
      let finding = SyncFinding(.unreadable, path, "cannot be read: \(error)")
      return .failure(Fault(finding: finding))
    }
    let decoded = Result { try bytes.withUnsafeBytes { try FolderFile(decoding: $0) } }
    return decoded.map { ($0, bytes) }.mapError { error in
      (error as? EventError)?.code == .unknownVersion
        ? note(.newerFormat, path, "was written by later software: update this one", version)
        : note(
          .damaged, path,
          "is damaged: delete it. A store that has its events then writes them again (\(error))",
          version)
    }
  }

  private func note(
    _ code: SyncFinding.Code, _ path: String, _ message: String, _ version: Version?
  ) -> Fault {
    let finding = SyncFinding(code, path, message)
    // Recorded only to avoid reading the file again while it stays unchanged.
    if let version {
      faults[version] = Known(value: finding, isLasting: isDistinct(version))
    }
    return Fault(finding: finding)
  }

  private func known<Value>(_ known: Known<Value>?, _ version: Version) -> Value? {
    guard let known, known.isLasting || !isDistinct(version) else { return nil }
    return known.value
  }

  /// Returns whether a change from now on gives the file another version.
  private func isDistinct(_ version: Version) -> Bool {
    let (age, overflows) = now.subtractingReportingOverflow(version.changed)
    return overflows || age > Self.distinct
  }
}
