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
  /// By origin, the files that counted at the last look.
  private var counted: [ReplicaID: [FolderFileName]] = [:]
  /// What was judged of files that tell another history than the asker's, by what its log held then.
  private var verdicts: [FolderFileName: (vector: VersionVector, verdict: HistoryJudge.Verdict?)] =
    [:]
  private(set) var knowledge = Knowledge()
  private(set) var promised: [FolderFileName] = []
  private(set) var findings: [SyncFinding] = []
  /// A file that turns out to be bad meanwhile is left out, and no more.
  private var isSettling = false
  /// Of who asks now.
  var judge: HistoryJudge?
  /// Files whose events were found to be signed by their origin.
  private var signed: Set<FolderFileName> = []
  /// Pairs of files that overlap, and were found to tell the same.
  private var agreeing: Set<[FolderFileName]> = []

  init(_ disk: any FolderStorage, zone: ZoneID) {
    self.disk = disk
    self.zone = zone
  }

  /// Looks at the folder.
  /// - Parameters:
  ///   - zones: the folders of the zone; several where one was renamed.
  ///   - judge: of who asks; nil if that is not known.
  func scan(_ zones: [String], now: Int64, judge: HistoryJudge? = nil) throws {
    let scan = try FolderScan(disk, zones: zones, now: now, memory: memory)
    promised = scan.promised
    findings = scan.findings
    items = [:]
    for item in scan.items { items[item.name.origin, default: []].append(item) }
    knowledge = Knowledge()
    self.judge = judge
    for origin in items.keys.sorted() {
      try compare(origin)
      settle(origin)
      // Other files may tell another history.
      let names = (items[origin] ?? []).map(\.name)
      if counted.updateValue(names, forKey: origin) != names {
        ends = ends.filter { $0.key.origin != origin }
      }
    }
  }

  /// A file that this process has just written.
  func add(_ item: FolderItem) {
    items[item.name.origin, default: []].append(item)
    settle(item.name.origin)
  }

  // MARK: - Histories

  /// Compares an origin's files with the history that the asker holds. Of two, one counts here: the asker's if it
  /// stands, else the other, which the asker so comes to see.
  private func compare(_ origin: ReplicaID) throws {
    guard let judge, let all = items[origin] else { return }
    let others = try all.filter { try contradicts($0, judge.storage) }
    guard !others.isEmpty else { return }
    var verdict: HistoryJudge.Verdict?
    for item in others.sorted(by: { $0.name.sequences.lowerBound < $1.name.sequences.lowerBound })
    where verdict == nil {
      verdict = try self.verdict(on: item, judge)
    }
    if case .other(let common) = verdict {
      let paths = Set(others.map(\.path))
      items[origin]?.removeAll {
        $0.name.sequences.upperBound > common && !paths.contains($0.path)
      }
      return
    }
    for item in others {
      passOver(item, .fork, "tells another history of \(origin) than the one that stands")
    }
  }

  private func verdict(on item: FolderItem, _ judge: HistoryJudge) throws -> HistoryJudge.Verdict? {
    let vector = judge.vector
    if let known = verdicts[item.name], known.vector == vector { return known.verdict }
    let verdict = try read(item).flatMap(judge.verdict)
    verdicts[item.name] = (vector, verdict)
    return verdict
  }

  /// Whether a file tells another history than the asker's. Its name says so, unless it goes on beyond what the asker
  /// holds: then it is read.
  private func contradicts(_ item: FolderItem, _ storage: any ReplicaStorage) throws -> Bool {
    let (origin, sequences) = (item.name.origin, item.name.sequences)
    let held = try storage.held(of: origin).contiguous
    let last = EventID(origin, min(sequences.upperBound, held))
    guard last.sequence >= sequences.lowerBound - 1, last.sequence > 0,
      let chain = try storage.chain(after: last)
    else { return false }
    if last.sequence == sequences.upperBound { return ChainTag(chain) != item.name.tag }
    if last.sequence == sequences.lowerBound - 1 {
      return ChainTag(chain).prefix != item.name.before
    }
    guard let told = read(item)?.chain(after: last.sequence) else { return false }
    return told != chain
  }

  private func passOver(_ item: FolderItem, _ code: SyncFinding.Code, _ what: String) {
    findings.append(
      SyncFinding(code, item.path, "\(what), and is passed over"))
    items[item.name.origin]?.removeAll { $0.path == item.path }
  }

  /// Chooses what counts of an origin: one history. Where files contradict one another at the ends of
  /// what they hold, the origin has two, of which the one with the smaller chain value after the last common event counts.
  private func settle(_ origin: ReplicaID) {
    guard !isSettling else { return }
    isSettling = true
    defer { isSettling = false }
    while let (item, rival) = contradiction(of: origin) {
      // Whatever is not signed is out of it when it has been read.
      guard let file = read(item), let other = rival.map({ read($0) }) ?? file else { continue }
      let isWorse = other.stands(against: file) ?? true
      passOver(
        isWorse ? item : rival ?? item, .fork,
        "tells another history of \(origin) than other files: that store was cloned or restored")
    }
    var entry: Knowledge.Entry?
    for item in items[origin] ?? [] {
      let run = Knowledge.Run(item.name.sequences, item.name.tag)
      if entry == nil { entry = Knowledge.Entry(run) } else { entry?.insert(run) }
    }
    knowledge[origin] = entry
  }

  /// The first file that says another chain value than one before it, and that one if both tell of the place where
  /// the two histories part; puts the files in order.
  private func contradiction(of origin: ReplicaID) -> (FolderItem, rival: FolderItem?)? {
    items[origin]?.sort { a, b in
      let (one, other) = (a.name, b.name)
      if one.sequences.lowerBound != other.sequences.lowerBound {
        return one.sequences.lowerBound < other.sequences.lowerBound
      }
      if one.tag != other.tag { return one.tag < other.tag }
      return a.path < b.path
    }
    /// The first eight bytes of the chain value after an event, and whose name says so.
    var places: [UInt64: (value: UInt64, item: FolderItem)] = [:]
    /// The file that goes furthest.
    var widest: FolderItem?
    for item in items[origin] ?? [] {
      let name = item.name
      let before = name.sequences.lowerBound - 1
      let after = name.sequences.upperBound
      if let open = widest, open.name.sequences.upperBound > before {
        switch agree(open, item) {
        case true?: break
        case false?: return (item, open)
        // What cannot be read counts no longer.
        case nil:
          if !counts(open) { widest = nil }
          if !counts(item) { continue }
        }
      }
      for (place, value) in [(before, name.before), (after, name.tag.prefix)] {
        if let told = places[place], told.value != value, counts(told.item) {
          return (item, told.item)
        }
      }
      places[before] = (name.before, item)
      places[after] = (name.tag.prefix, item)
      if after > widest?.name.sequences.upperBound ?? 0 { widest = item }
    }
    return nil
  }

  private func counts(_ item: FolderItem) -> Bool {
    items[item.name.origin]?.contains { $0.path == item.path } ?? false
  }

  /// Whether two files that overlap tell the same where both do, by the chain values before the later one and after the
  /// one that ends first. A file is read for that, unless names say enough, or the asker holds all of it: then each was
  /// compared with that.
  /// - Returns: nil if one of them cannot be read.
  private func agree(_ a: FolderItem, _ b: FolderItem) -> Bool? {
    let (one, other) = (a.name, b.name)
    if one.sequences == other.sequences {
      return one.before == other.before && one.tag == other.tag
    }
    let end = min(one.sequences.upperBound, other.sequences.upperBound)
    if let held = try? judge?.storage.held(of: one.origin).contiguous, held >= end { return true }
    let pair = [one, other]
    if agreeing.contains(pair) { return true }
    guard let file = read(a), let next = read(b) else { return nil }
    let start = other.sequences.lowerBound - 1
    guard file.chain(after: start) == next.chainBefore,
      file.chain(after: end) == next.chain(after: end)
    else { return false }
    agreeing.insert(pair)
    return true
  }

  /// Files that hold an event of an origin; the one that goes furthest first.
  private func items(of origin: ReplicaID, with sequence: UInt64) -> [FolderItem] {
    (items[origin] ?? []).filter { $0.name.sequences.contains(sequence) }
      .sorted { $0.name.sequences.upperBound > $1.name.sequences.upperBound }
  }

  /// A file's contents; nil, with a finding, where they are not what the name says, or not what the origin has
  /// signed. Then the file counts no longer.
  /// - Parameter isAnew: look at the file itself, even if it was read lately.
  func read(_ item: FolderItem, isAnew: Bool = false) -> FolderFile? {
    switch memory.read(item, zone: zone, isAnew: isAnew, disk) {
    case .success(let file):
      if isSigned(file, item.name) { return file }
      findings.append(memory.reject(item, disk))
      items[item.name.origin]?.removeAll { $0.path == item.path }
      return nil
    case .failure(let fault):
      findings.append(fault.finding)
      items[item.name.origin]?.removeAll { $0.path == item.path }
      settle(item.name.origin)
      return nil
    }
  }

  /// Whether the origin's key has signed all ranges of a file, or is not known.
  private func isSigned(_ file: FolderFile, _ name: FolderFileName) -> Bool {
    if signed.contains(name) { return true }
    let held = try? judge?.storage.publicKey(of: file.origin)
    guard let key = file.publicKey ?? held ?? knownKey(of: file.origin) else { return true }
    guard file.isSigned(by: key, zone: zone) else { return false }
    signed.insert(name)
    return true
  }

  /// The key that another file says; without a look at its signatures: the origin's id follows from the key.
  private func knownKey(of origin: ReplicaID) -> [UInt8]? {
    if let key = keys[origin] { return key }
    for item in items(of: origin, with: 1) {
      guard case .success(let file) = memory.read(item, zone: zone, isAnew: false, disk),
        let key = file.publicKey
      else { continue }
      keys[origin] = key
      return key
    }
    return nil
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

  func publicKey(of origin: ReplicaID) -> [UInt8]? { knownKey(of: origin) }

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
