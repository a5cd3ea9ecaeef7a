import DaybookEngine
import DaybookEventCore
import DaybookReplication
import Foundation

/// The contents of a shared folder, by origin, after the latest scan. Only one thread may use it at
/// a time.
final class FolderIndex {
  let disk: any FolderStorage
  let zone: ZoneID
  private let memory = FolderMemory()
  private var items: [ReplicaID: [FolderItem]] = [:]
  private var keys: [ReplicaID: [UInt8]] = [:]
  private var ends: [EventID: Hash256] = [:]
  /// The files of each origin that were in use after the latest scan.
  private var counted: [ReplicaID: [FolderFileName]] = [:]
  /// Verdicts on files that hold another history than the asker's. Each applies to the version
  /// vector of the asker's log at that time.
  private var verdicts: [FolderFileName: (vector: VersionVector, verdict: HistoryJudge.Verdict?)] =
    [:]
  private(set) var knowledge = Knowledge()
  private(set) var promised: [FolderFileName] = []
  private(set) var findings: [SyncFinding] = []
  /// Copies that sync programs have made of files, for use if the file turns out to be bad.
  private var spares: [FolderFileName: [FolderItem]] = [:]
  /// Whether a choice between histories is under way. A file found bad meanwhile is only removed.
  private var isChoosing = false
  /// The judge of the replica that makes the current request; nil if there is none.
  var judge: HistoryJudge?
  /// Files whose ranges are known to be signed by their origin.
  private var signed: Set<FolderFileName> = []
  /// Pairs of overlapping files that were found to agree.
  private var agreeing: Set<[FolderFileName]> = []

  init(_ disk: any FolderStorage, zone: ZoneID) {
    self.disk = disk
    self.zone = zone
  }

  /// Scans the folder, and chooses one history for each origin.
  /// - Parameters:
  ///   - zones: the folders of the zone. There are several if one was renamed.
  ///   - now: the current time in milliseconds since 1970.
  ///   - judge: the judge of the asking replica; nil if it has none.
  /// - Throws: ``SyncError`` if a folder cannot be listed, and what reading the asker's log throws.
  func scan(_ zones: [String], now: Int64, judge: HistoryJudge? = nil) throws {
    let scan = try FolderScan(disk, zones: zones, now: now, memory: memory)
    promised = scan.promised
    spares = scan.spares
    findings = scan.findings
    items = [:]
    for item in scan.items { items[item.name.origin, default: []].append(item) }
    knowledge = Knowledge()
    self.judge = judge
    for origin in items.keys.sorted() {
      try compare(origin)
      chooseHistory(of: origin)
      // A changed set of files may hold another history, so cached chain values are dropped.
      let names = (items[origin] ?? []).map(\.name)
      if counted.updateValue(names, forKey: origin) != names {
        ends = ends.filter { $0.key.origin != origin }
      }
    }
  }

  /// Adds a file that this process has just written.
  func add(_ item: FolderItem) {
    items[item.name.origin, default: []].append(item)
    chooseHistory(of: item.name.origin)
  }

  // MARK: - Histories

  /// Compares an origin's files with the history that the asker holds. If they differ, only one
  /// history is used here. It is the asker's if that stands. Otherwise it is the other one, so that
  /// the asker receives it.
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
    // A file that turned out not to hold what its name says tells no history.
    for item in others where counts(item) {
      passOver(item, .fork, "tells another history of \(origin) than the one that stands")
    }
  }

  private func verdict(on item: FolderItem, _ judge: HistoryJudge) throws -> HistoryJudge.Verdict? {
    let vector = judge.vector
    if let known = verdicts[item.name], known.vector == vector { return known.verdict }
    // A file that cannot be read may be readable, or be there whole, at the next request.
    guard let file = read(item) else { return nil }
    let verdict = try judge.verdict(on: file)
    verdicts[item.name] = (vector, verdict)
    return verdict
  }

  /// Returns whether a file holds another history than the asker's. The file's name shows that,
  /// unless the file extends beyond what the asker holds. Then the file is read.
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

  /// Chooses the one history of an origin that is used. Files that disagree about a chain value
  /// belong to two histories. Of these, the one with the smaller chain value after the last common
  /// event is used.
  private func chooseHistory(of origin: ReplicaID) {
    guard !isChoosing else { return }
    isChoosing = true
    defer { isChoosing = false }
    while let (item, rival) = contradiction(of: origin) {
      // Reading also drops files that their origin has not signed.
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

  /// Returns the first file that disagrees with an earlier one about a chain value, and that
  /// earlier file. Sorts the origin's files.
  private func contradiction(of origin: ReplicaID) -> (FolderItem, rival: FolderItem?)? {
    items[origin]?.sort { a, b in
      let (one, other) = (a.name, b.name)
      if one.sequences.lowerBound != other.sequences.lowerBound {
        return one.sequences.lowerBound < other.sequences.lowerBound
      }
      if one.tag != other.tag { return one.tag < other.tag }
      return a.path < b.path
    }
    /// After each event number, the first eight bytes of the chain value and the file whose name
    /// states it.
    var places: [UInt64: (value: UInt64, item: FolderItem)] = [:]
    /// The file that extends furthest.
    var widest: FolderItem?
    for item in items[origin] ?? [] {
      let name = item.name
      let before = name.sequences.lowerBound - 1
      let after = name.sequences.upperBound
      if let open = widest, open.name.sequences.upperBound > before {
        switch agree(open, item) {
        case true?: break
        case false?: return (item, open)
        // A file that could not be read is no longer used.
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

  /// Returns whether two overlapping files agree about the events that both hold. They agree if
  /// their chain values are equal before the later file and after the file that ends first. The
  /// files are read only if their names are not enough. They are not read either if the asker holds
  /// all these events, because each file was compared with the asker's history.
  /// - Returns: nil if one of the files cannot be read.
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

  /// Returns the files that hold an event of an origin, the one that extends furthest first.
  private func items(of origin: ReplicaID, with sequence: UInt64) -> [FolderItem] {
    (items[origin] ?? []).filter { $0.name.sequences.contains(sequence) }
      .sorted { $0.name.sequences.upperBound > $1.name.sequences.upperBound }
  }

  /// Returns a file's contents. If they cannot be read, do not match the file's name or are not
  /// signed by the origin, adds a finding, and uses a copy of the file from then on. Returns nil if
  /// there is no sound copy.
  /// - Parameters:
  ///   - item: the file to read.
  ///   - isAnew: whether to read the file from the disk even if its contents are cached.
  func read(_ item: FolderItem, isAnew: Bool = false) -> FolderFile? {
    switch memory.read(item, zone: zone, isAnew: isAnew, disk) {
    case .success(let file):
      if isSigned(file, item.name) { return file }
      findings.append(memory.reject(item))
      return spare(for: item)
    case .failure(let fault):
      var finding = fault.finding
      finding.events = item.name.events
      findings.append(finding)
      if let file = spare(for: item) { return file }
      chooseHistory(of: item.name.origin)
      return nil
    }
  }

  /// Uses a copy of a file in its place, and returns the contents; nil if there is no sound copy.
  private func spare(for item: FolderItem) -> FolderFile? {
    items[item.name.origin]?.removeAll { $0.path == item.path }
    guard let copy = spares[item.name]?.popLast() else { return nil }
    items[item.name.origin, default: []].append(copy)
    return read(copy)
  }

  /// Returns whether the origin's key has signed all ranges of a file. Also returns true if the key
  /// is not known.
  private func isSigned(_ file: FolderFile, _ name: FolderFileName) -> Bool {
    if signed.contains(name) { return true }
    let held = try? judge?.storage.publicKey(of: file.origin)
    guard let key = file.publicKey ?? held ?? knownKey(of: file.origin) else { return true }
    guard file.isSigned(by: key, zone: zone) else { return false }
    signed.insert(name)
    return true
  }

  /// Returns the origin's public key from any of its files. Signatures are not checked for this,
  /// because the origin's id is derived from the key.
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
    // At the beginning or the end of a file, no events need to be hashed.
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

  /// Returns the range that holds an event, as its file stores it.
  func range(of origin: ReplicaID, with sequence: UInt64) -> EventRange? {
    for item in items(of: origin, with: sequence) {
      let range = read(item)?.ranges.first { $0.sequences.contains(sequence) }
      if let range { return range }
    }
    return nil
  }

  /// Returns the chain value before a file that begins at an event; nil if there is no such file.
  func start(of origin: ReplicaID, at sequence: UInt64) -> Hash256? {
    for item in items[origin] ?? [] where item.name.sequences.lowerBound == sequence {
      if let file = read(item) { return file.chainBefore }
    }
    return nil
  }

  /// Returns the origins that publish their own events here and have written since `time`. Files
  /// dated too far in the future do not count. They would look recent forever, and replicas that
  /// hold the origin's other events would never publish them.
  func writers(since time: Int64, now: Int64) -> Set<ReplicaID> {
    let lately = time...max(time, now &+ Self.skew)
    return Set(
      items.filter { origin, items in
        items.contains { $0.writer == origin && lately.contains($0.modified) }
      }.keys)
  }

  /// The largest clock difference that is tolerated, in milliseconds.
  static let skew: Int64 = 3_600_000

  /// Returns the files that a replica has written.
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
