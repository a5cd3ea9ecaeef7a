import EventCore
import Foundation
import Replication

/// What a shared folder holds, by origin, after the latest look at it. Used by one thread at a time.
final class FolderIndex {
  let disk: any FolderStorage
  let zone: ZoneID
  private let memory = FolderMemory()
  private var items: [ReplicaID: [FolderItem]] = [:]
  private var keys: [ReplicaID: [UInt8]] = [:]
  private var ends: [EventID: Hash256] = [:]
  private(set) var knowledge = Knowledge()
  private(set) var promised: [FolderFileName] = []
  private(set) var findings: [SyncFinding] = []

  init(_ disk: any FolderStorage, zone: ZoneID) {
    self.disk = disk
    self.zone = zone
  }

  /// Looks at the folder.
  /// - Parameter zones: the folders of the zone; several where one was renamed.
  func scan(_ zones: [String], now: Int64) throws {
    let scan = try FolderScan(disk, zones: zones, now: now, memory: memory)
    promised = scan.promised
    findings = scan.findings
    items = [:]
    for item in scan.items { items[item.name.origin, default: []].append(item) }
    knowledge = Knowledge()
    for origin in items.keys.sorted() { settle(origin) }
  }

  /// A file that this process has just written.
  func add(_ item: FolderItem) {
    items[item.name.origin, default: []].append(item)
    settle(item.name.origin)
  }

  /// Chooses what counts of an origin: one history. Where files contradict one another at the ends of
  /// what they hold, the origin has two.
  private func settle(_ origin: ReplicaID) {
    let sorted = (items[origin] ?? []).sorted { a, b in
      let (one, other) = (a.name, b.name)
      if one.sequences.lowerBound != other.sequences.lowerBound {
        return one.sequences.lowerBound < other.sequences.lowerBound
      }
      if one.tag != other.tag { return one.tag < other.tag }
      return a.path < b.path
    }
    /// The first eight bytes of the chain value after an event.
    var places: [UInt64: UInt64] = [:]
    var accepted: [FolderItem] = []
    var entry: Knowledge.Entry?
    for item in sorted {
      let name = item.name
      let before = name.sequences.lowerBound - 1
      let after = name.sequences.upperBound
      guard places[before, default: name.before] == name.before,
        places[after, default: name.tag.prefix] == name.tag.prefix
      else {
        findings.append(
          SyncFinding(
            .fork, item.path,
            "tells another history of \(origin) than other files, and is passed over: that store was "
              + "cloned or restored"))
        continue
      }
      places[before] = name.before
      places[after] = name.tag.prefix
      accepted.append(item)
      let run = Knowledge.Run(name.sequences, name.tag)
      if entry == nil { entry = Knowledge.Entry(run) } else { entry?.insert(run) }
    }
    items[origin] = accepted
    knowledge[origin] = entry
  }

  /// Files that hold an event of an origin; the one that goes furthest first.
  private func items(of origin: ReplicaID, with sequence: UInt64) -> [FolderItem] {
    (items[origin] ?? []).filter { $0.name.sequences.contains(sequence) }
      .sorted { $0.name.sequences.upperBound > $1.name.sequences.upperBound }
  }

  /// A file's contents; nil, with a finding, where they are not what the name says. Then the file counts
  /// no longer.
  /// - Parameter isAnew: look at the file itself, even if it was read lately.
  func read(_ item: FolderItem, isAnew: Bool = false) -> FolderFile? {
    switch memory.read(item, zone: zone, isAnew: isAnew, disk) {
    case .success(let file): return file
    case .failure(let fault):
      findings.append(fault.finding)
      items[item.name.origin]?.removeAll { $0.path == item.path }
      settle(item.name.origin)
      return nil
    }
  }

  // MARK: - What replicas ask

  func chain(after event: EventID) -> Hash256? {
    if event.sequence == 0 { return Chain(origin: event.origin).value }
    if let known = ends[event] { return known }
    let own = items[event.origin] ?? []
    // Where a file ends or begins, nothing has to be hashed.
    let atEdge = own.filter {
      $0.name.sequences.upperBound == event.sequence
        || $0.name.sequences.lowerBound == event.sequence + 1
    }
    for item in atEdge + items(of: event.origin, with: event.sequence) {
      guard let chain = read(item)?.chain(after: event.sequence) else { continue }
      ends[event] = chain
      return chain
    }
    return nil
  }

  func note(_ chain: Hash256, after event: EventID) { ends[event] = chain }

  func publicKey(of origin: ReplicaID) -> [UInt8]? {
    if let key = keys[origin] { return key }
    for item in items(of: origin, with: 1) {
      guard let key = read(item)?.publicKey else { continue }
      keys[origin] = key
      return key
    }
    return nil
  }

  /// The range, as its file has it, that holds an event.
  func range(of origin: ReplicaID, with sequence: UInt64) -> EventRange? {
    for item in items(of: origin, with: sequence) {
      let range = read(item)?.ranges.first { $0.sequences.contains(sequence) }
      if let range { return range }
    }
    return nil
  }

  /// The chain value before a file that begins at an event, if there is one.
  func start(of origin: ReplicaID, at sequence: UInt64) -> Hash256? {
    for item in items[origin] ?? [] where item.name.sequences.lowerBound == sequence {
      if let file = read(item) { return file.chainBefore }
    }
    return nil
  }

  /// Origins that write here themselves, and have lately. A file of the future says nothing of that: it
  /// would be from lately for ever, and whoever holds its writer's other events would keep them back.
  func writers(since time: Int64, now: Int64) -> Set<ReplicaID> {
    let lately = time...max(time, now &+ Self.skew)
    return Set(
      items.filter { origin, items in
        items.contains { $0.writer == origin && lately.contains($0.modified) }
      }.keys)
  }

  /// So far clocks may differ, milliseconds.
  static let skew: Int64 = 3_600_000

  /// The files that a writer has put here.
  func items(by writer: ReplicaID) -> [FolderItem] {
    items.keys.sorted().flatMap { origin in
      (items[origin] ?? []).filter { $0.writer == writer }
    }
  }

  func items(of origin: ReplicaID) -> [FolderItem] { items[origin] ?? [] }

  func forget(_ item: FolderItem) {
    items[item.name.origin]?.removeAll { $0.path == item.path }
  }
}
