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
  /// What the file system said of the file before it was read; nil if this process wrote it.
  var version: FolderMemory.Version?

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
    memory.now = now
    for zone in zones { for name in try disk.list(zone) { try scan(name, in: zone) } }
    judgeNames()
  }

  private mutating func scan(_ name: String, in zone: String) throws {
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
    for name in names { scan(path + "/" + name, called: name, of: writer) }
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

  private mutating func scan(_ path: String, called name: String, of writer: ReplicaID) {
    let reading = FolderFileName.read(name)
    if reading == .passing { return }
    guard let facts = facts(path) else { return }
    guard !facts.isFolder else {
      findings.append(SyncFinding(.foreign, path, "is a folder where files belong"))
      return
    }
    let version = FolderMemory.Version(path, facts)
    func item(_ name: FolderFileName, isExact: Bool) -> FolderItem {
      FolderItem(
        name: name, path: path, writer: writer, isExact: isExact, modified: facts.modified,
        version: version)
    }
    switch reading {
    case .passing: break
    case .foreign:
      findings.append(
        SyncFinding(.foreign, path, "has nothing to do here, and is passed over"))
    case .placeholder(let name): placeholders.append((name, path))
    case .unnamed:
      switch memory.name(of: version, disk) {
      case .success(let name): copies.append(item(name, isExact: false))
      case .failure(let fault): findings.append(fault.finding)
      }
    case .file(let name), .copy(let name):
      if var fault = memory.fault(of: version) {
        // What an origin has not signed, it need not have written.
        if !memory.isRejected(version) { fault.events = name.events }
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
