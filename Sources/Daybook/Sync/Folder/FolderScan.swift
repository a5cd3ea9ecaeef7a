import EventCore
import Foundation
import Replication

/// A file of events in a shared folder that is here, by what its name says.
struct FolderItem: Hashable {
  var name: FolderFileName
  /// Below the shared folder.
  var path: String
  /// Whose folder it is in.
  var writer: ReplicaID
  /// Whether it is called as its writer called it.
  var isExact: Bool
  /// Milliseconds since 1970.
  var modified: Int64

  func covers(_ other: FolderItem) -> Bool {
    name.sequences.lowerBound <= other.name.sequences.lowerBound
      && other.name.sequences.upperBound <= name.sequences.upperBound
  }
}

/// One look at a shared folder: what its names and sizes say. Reads no files but those that have lost
/// their names.
struct FolderScan {
  /// The files that are here, whole by their size.
  private(set) var items: [FolderItem] = []
  /// The files that exist, and are not here yet.
  private(set) var promised: [FolderFileName] = []
  private(set) var findings: [SyncFinding] = []

  /// A file of the wrong size may still be coming for so long, milliseconds.
  static let arrival: Int64 = 600_000

  private let disk: any FolderStorage
  private let now: Int64
  private let memory: FolderMemory
  private var copies: [FolderItem] = []
  private var placeholders: [(name: FolderFileName, path: String)] = []

  /// - Parameter zones: the folders of the zone below the shared one.
  /// - Throws: ``SyncError`` where a folder cannot be listed.
  init(_ disk: any FolderStorage, zones: [String], now: Int64, memory: FolderMemory) throws {
    self.disk = disk
    self.now = now
    self.memory = memory
    for zone in zones { for name in try disk.list(zone) { try look(at: zone, name) } }
    settle()
  }

  private mutating func look(at zone: String, _ name: String) throws {
    let path = zone + "/" + name
    if name.begins(with: ".") || name.begins(with: "~") { return }
    guard let facts = facts(path) else { return }
    guard facts.isFolder, let writer = FolderLayout.writer(of: name) else {
      findings.append(SyncFinding(.foreign, path, "has nothing to do here, and is passed over"))
      return
    }
    let names: [String]
    do { names = try disk.list(path) } catch {
      // It has gone away meanwhile, or this one may not look into it.
      guard error.code != .unreachable else { return }
      findings.append(
        SyncFinding(.unreadable, path, "cannot be listed: \(error.cause ?? error.message)"))
      return
    }
    for name in names { look(at: path + "/" + name, called: name, of: writer) }
  }

  /// Nil where there is nothing, or, with a finding, where that cannot be found out.
  private mutating func facts(_ path: String) -> FolderFacts? {
    do { return try disk.facts(path) } catch {
      findings.append(
        SyncFinding(.unreadable, path, "cannot be looked at: \(error.cause ?? error.message)"))
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
      findings.append(SyncFinding(.foreign, path, "has nothing to do here, and is passed over"))
    case .placeholder(let name): placeholders.append((name, path))
    case .unnamed:
      switch memory.name(of: path, facts, disk) {
      case .success(let name): copies.append(item(name, isExact: false))
      case .failure(let fault): findings.append(fault.finding)
      }
    case .file(let name), .copy(let name):
      if let fault = memory.fault(of: path, facts) {
        findings.append(fault)
        return
      }
      let isExact = if case .file = reading { true } else { false }
      guard facts.size == name.size else {
        findings.append(
          SyncFinding(
            .incomplete, path, "has \(facts.size) bytes of \(name.size), and is passed over"))
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

  /// Whether the rest of a file may still come. A file whose time is far in the future does not count: it would
  /// be on its way for ever, and no store would write its events again.
  private func isArriving(_ facts: FolderFacts) -> Bool {
    let (age, overflows) = now.subtractingReportingOverflow(facts.modified)
    return !overflows && (-FolderIndex.skew..<Self.arrival).contains(age)
  }

  /// Judges what has an odd name by what is there under the right one.
  private mutating func settle() {
    var known = Set(items.map(\.name))
    for copy in copies {
      if known.insert(copy.name).inserted {
        items.append(copy)
        findings.append(
          SyncFinding(.renamed, copy.path, "was “\(copy.name)” when it was written; it is used"))
      } else {
        findings.append(
          SyncFinding(.duplicate, copy.path, "is a copy of a file that is there; it is passed over")
        )
      }
    }
    for (name, path) in placeholders where !known.contains(name) {
      promised.append(name)
      findings.append(SyncFinding(.placeholder, path, "stands for a file that is not here yet"))
      disk.fetch(path)
    }
    copies = []
    placeholders = []
  }
}

/// The names of folders in a shared folder: `zone-ZONE/WRITER`, and what others make of them:
/// `zone-ZONE 2`.
enum FolderLayout {
  static func name(of zone: ZoneID) -> String { "zone-\(zone)" }

  static func zone(of name: String) -> ZoneID? {
    guard let rest = name.rest(after: "zone-"), let digits = prefix(of: rest) else { return nil }
    return ZoneID(digits)
  }

  static func writer(of name: String) -> ReplicaID? {
    prefix(of: name[...]).flatMap { ReplicaID($0) }
  }

  /// 32 hexadecimal digits, and then the end or something else.
  private static func prefix(of name: Substring) -> String? {
    let next = name.utf8.dropFirst(32).first
    guard next.map({ !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) ?? true else {
      return nil
    }
    return String(String.UnicodeScalarView(name.unicodeScalars.prefix(32)))
  }
}

/// What was found out about files by reading them, so that it is not done again while they stay as they
/// are.
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
  private var names: [Version: FolderFileName] = [:]
  private var recent: [(path: String, name: FolderFileName, file: FolderFile)] = []
  private static let recentMax = 3

  func fault(of path: String, _ facts: FolderFacts) -> SyncFinding? {
    faults[Version(path, facts)]
  }

  /// What a file ought to be called that has lost its name.
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

  /// A file, if it is what its name says.
  /// - Parameter isAnew: whatever was read before; it may have been damaged since.
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

  /// A file whose origin has not signed what it holds: it is not read again while it stays as it is.
  func reject(_ item: FolderItem, _ disk: any FolderStorage) -> SyncFinding {
    note(
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
      // Not noted: it may go better the next time.
      let cause = String(cString: strerror(error.code.rawValue))
      let finding = SyncFinding(.unreadable, path, "cannot be read: \(cause)")
      return .failure(Fault(finding: finding))
    }
    let decoded = Result { try bytes.withUnsafeBytes { try FolderFile(decoding: $0) } }
    return decoded.map { ($0, bytes) }.mapError { error in
      (error as? EventError)?.code == .unknownVersion
        ? note(.newerFormat, path, "was written by later software: update this one", disk)
        : note(
          .damaged, path,
          "is damaged: delete it, and whoever has its events writes them again (\(error))", disk)
    }
  }

  private func note(
    _ code: SyncFinding.Code, _ path: String, _ message: String, _ disk: any FolderStorage
  ) -> Fault {
    let finding = SyncFinding(code, path, message)
    // Only so that it is not read again while it stays as it is.
    if let facts = try? disk.facts(path) {
      faults[Version(path, facts)] = finding
    }
    return Fault(finding: finding)
  }
}
