import DaybookEngine
import DaybookEventCore
import DaybookReplication
import Foundation

/// A file of events that is present in a shared folder, described by its name.
struct FolderItem: Hashable {
  var name: FolderFileName
  /// The path relative to the shared folder.
  var path: String
  /// The replica in whose folder the file is.
  var writer: ReplicaID
  /// Whether the file still has the name that its writer gave it.
  var isExact: Bool
  /// The modification time, in milliseconds since 1970.
  var modified: Int64

  func covers(_ other: FolderItem) -> Bool {
    name.sequences.lowerBound <= other.name.sequences.lowerBound
      && other.name.sequences.upperBound <= name.sequences.upperBound
  }
}

/// One scan of a shared folder, by names and sizes. Files are not read, except those that have lost
/// their names.
struct FolderScan {
  /// The files that are present and have the size that their names state.
  private(set) var items: [FolderItem] = []
  /// The files that exist but have not fully arrived yet.
  private(set) var promised: [FolderFileName] = []
  /// Further copies of files in ``items``, by the files' names.
  private(set) var spares: [FolderFileName: [FolderItem]] = [:]
  private(set) var findings: [SyncFinding] = []

  /// A file of the wrong size may still be arriving until it is this old, in milliseconds.
  static let arrival: Int64 = 600_000

  private let disk: any FolderStorage
  private let now: Int64
  private let memory: FolderMemory
  private var copies: [FolderItem] = []
  private var placeholders: [(name: FolderFileName, path: String)] = []

  /// Scans the folders of a zone.
  /// - Parameters:
  ///   - disk: the shared folder.
  ///   - zones: the folders of the zone, relative to the shared folder.
  ///   - now: the current time in milliseconds since 1970.
  ///   - memory: the results of earlier reads.
  /// - Throws: ``SyncError`` if a zone's folder cannot be listed.
  init(_ disk: any FolderStorage, zones: [String], now: Int64, memory: FolderMemory) throws {
    self.disk = disk
    self.now = now
    self.memory = memory
    for zone in zones { for name in try disk.list(zone) { try look(at: zone, name) } }
    judgeNames()
  }

  private mutating func look(at zone: String, _ name: String) throws {
    let path = zone + "/" + name
    if name.begins(with: ".") || name.begins(with: "~") { return }
    guard let facts = facts(path) else { return }
    guard facts.isFolder, let writer = FolderLayout.writer(of: name) else {
      findings.append(
        SyncFinding(.foreign, path, "has nothing to do here, and is passed over"))
      return
    }
    let names: [String]
    do { names = try disk.list(path) } catch {
      // The folder was removed meanwhile, or this process may not list it.
      guard error.code != .unreachable else { return }
      findings.append(
        SyncFinding(.unreadable, path, "cannot be listed: \(error.cause ?? error.message)"))
      return
    }
    for name in names { look(at: path + "/" + name, called: name, of: writer) }
  }

  /// Returns the facts of a path; nil if nothing is there. If the facts cannot be read, adds a
  /// finding and returns nil.
  private mutating func facts(_ path: String) -> FolderFacts? {
    do { return try disk.facts(path) } catch {
      findings.append(
        SyncFinding(
          .unreadable, path, "cannot be looked at: \(error.cause ?? error.message)"))
      return nil
    }
  }

  private mutating func look(at path: String, called name: String, of writer: ReplicaID) {
    let reading = FolderFileName.read(name)
    if reading == .passing { return }
    guard let facts = facts(path) else { return }
    guard !facts.isFolder else {
      findings.append(SyncFinding(.foreign, path, "is a folder where files belong"))
      return
    }
    func item(_ name: FolderFileName, isExact: Bool) -> FolderItem {
      FolderItem(
        name: name, path: path, writer: writer, isExact: isExact, modified: facts.modified)
    }
    switch reading {
    case .passing: break
    case .foreign:
      findings.append(
        SyncFinding(.foreign, path, "has nothing to do here, and is passed over"))
    case .placeholder(let name): placeholders.append((name, path))
    case .unnamed:
      switch memory.name(of: path, facts, disk) {
      case .success(let name): copies.append(item(name, isExact: false))
      case .failure(let fault): findings.append(fault.finding)
      }
    case .file(let name), .copy(let name):
      if var fault = memory.fault(of: path, facts) {
        // What an origin has not signed, it need not have written.
        if !memory.isRejected(path, facts) { fault.events = name.events }
        findings.append(fault)
        return
      }
      let isExact = if case .file = reading { true } else { false }
      guard facts.size == name.size else {
        findings.append(
          SyncFinding(
            .incomplete, path, "has \(facts.size) bytes of \(name.size), and is passed over",
            events: name.events))
        if isArriving(facts) { promised.append(name) }
        return
      }
      if isExact {
        items.append(item(name, isExact: true))
      } else {
        copies.append(item(name, isExact: false))
      }
    }
  }

  /// Returns whether the rest of a file may still arrive. A file dated far in the future does not
  /// count. It would be arriving forever, and no store would write its events again.
  private func isArriving(_ facts: FolderFacts) -> Bool {
    let (age, overflows) = now.subtractingReportingOverflow(facts.modified)
    return !overflows && (-FolderIndex.skew..<Self.arrival).contains(age)
  }

  /// Decides about renamed files, copies and placeholders. Each depends on whether a file with the
  /// right name is present.
  private mutating func judgeNames() {
    var known = Set(items.map(\.name))
    for copy in copies {
      if known.insert(copy.name).inserted {
        items.append(copy)
        findings.append(
          SyncFinding(
            .renamed, copy.path, "was “\(copy.name)” when it was written; it is used"))
      } else {
        spares[copy.name, default: []].append(copy)
        findings.append(
          SyncFinding(
            .duplicate, copy.path, "is a copy of a file that is there; it is passed over")
        )
      }
    }
    for (name, path) in placeholders where !known.contains(name) {
      promised.append(name)
      findings.append(
        SyncFinding(
          .placeholder, path, "stands for a file that is not here yet", events: name.events))
      disk.fetch(path)
    }
    copies = []
    placeholders = []
  }
}

extension FolderFileName {
  /// The events that the file holds.
  var events: SyncFinding.Events { SyncFinding.Events(of: origin, sequences) }
}

/// The names of folders in a shared folder: `zone-ZONE/WRITER`. Sync programs may append to them,
/// as in `zone-ZONE 2`.
enum FolderLayout {
  static func name(of zone: ZoneID) -> String { "zone-\(zone)" }

  static func zone(of name: String) -> ZoneID? {
    guard let rest = name.rest(after: "zone-"), let digits = prefix(of: rest) else { return nil }
    return ZoneID(digits)
  }

  static func writer(of name: String) -> ReplicaID? {
    prefix(of: name[...]).flatMap { ReplicaID($0) }
  }

  /// Returns the first 32 characters of a name; nil if a decimal digit follows them.
  private static func prefix(of name: Substring) -> String? {
    let next = name.utf8.dropFirst(32).first
    guard next.map({ !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) ?? true else {
      return nil
    }
    return String(String.UnicodeScalarView(name.unicodeScalars.prefix(32)))
  }
}

/// A cache of what reading files has shown. A file is not read again while it stays unchanged.
final class FolderMemory {
  private struct Version: Hashable {
    var path: String
    var size: Int
    var modified: Int64
    var change: UInt64

    init(_ path: String, _ facts: FolderFacts) {
      self.path = path
      size = facts.size
      modified = facts.modified
      change = facts.change
    }
  }

  struct Fault: Error { var finding: SyncFinding }

  private var faults: [Version: SyncFinding] = [:]
  /// The files whose contents their origins have not signed.
  private var rejected: Set<Version> = []
  private var names: [Version: FolderFileName] = [:]
  private var recent: [(path: String, name: FolderFileName, file: FolderFile)] = []
  private static let recentMax = 3

  func fault(of path: String, _ facts: FolderFacts) -> SyncFinding? {
    faults[Version(path, facts)]
  }

  func isRejected(_ path: String, _ facts: FolderFacts) -> Bool {
    rejected.contains(Version(path, facts))
  }

  /// Returns the original name of a file that was renamed. Reads the file unless the result is
  /// cached.
  func name(of path: String, _ facts: FolderFacts, _ disk: any FolderStorage) -> Result<
    FolderFileName, Fault
  > {
    let version = Version(path, facts)
    if let fault = faults[version] { return .failure(Fault(finding: fault)) }
    if let name = names[version] { return .success(name) }
    return load(path, disk).map { file, bytes in
      let name = file.name(of: bytes)
      names[version] = name
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
    return load(item.path, disk).flatMap { file, bytes in
      guard file.name(of: bytes) == item.name, file.zone == zone else {
        return .failure(
          note(
            .damaged, item.path, "holds something else than its name says, and is passed over", disk
          )
        )
      }
      recent.append((item.path, item.name, file))
      if recent.count > Self.recentMax { recent.removeFirst() }
      return .success(file)
    }
  }

  /// Records that an origin has not signed the contents of its file. The file is not read again
  /// while it stays unchanged.
  func reject(_ item: FolderItem, _ disk: any FolderStorage) -> SyncFinding {
    if let facts = try? disk.facts(item.path) { rejected.insert(Version(item.path, facts)) }
    return note(
      .damaged, item.path, "holds what \(item.name.origin) has not signed, and is passed over", disk
    ).finding
  }

  private func load(_ path: String, _ disk: any FolderStorage) -> Result<
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
        ? note(.newerFormat, path, "was written by later software: update this one", disk)
        : note(
          .damaged, path,
          "is damaged: delete it. A store that has its events then writes them again (\(error))",
          disk)
    }
  }

  private func note(
    _ code: SyncFinding.Code, _ path: String, _ message: String, _ disk: any FolderStorage
  ) -> Fault {
    let finding = SyncFinding(code, path, message)
    // Recorded only to avoid reading the file again while it stays unchanged.
    if let facts = try? disk.facts(path) {
      faults[Version(path, facts)] = finding
    }
    return Fault(finding: finding)
  }
}
