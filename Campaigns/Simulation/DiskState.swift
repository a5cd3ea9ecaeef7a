import DaybookLogEngine

/// The state of a ``SimulatedDisk``: its durable content and the memory above it.
struct DiskState: Sendable {
  struct Lasting: Sendable {
    /// Number of the first call that fails, counted over all calls.
    var from: Int
    /// Nil for calls of every kind.
    var operation: SimulatedDisk.Operation?
    var failure: SimulatedDisk.Failure
  }

  typealias File = SectorFile

  var files: [Int: File] = [:]
  var nextFile = 0
  private var paths = UnsyncedNames()

  var names: [String: Int] { paths.current.files }
  var folders: Set<String> { paths.current.folders }

  var planned: [Int: SimulatedDisk.Failure] = [:]
  var plannedByKind: [SimulatedDisk.Operation: [Int: SimulatedDisk.Failure]] = [:]
  var calls = 0
  var callsByKind: [SimulatedDisk.Operation: Int] = [:]
  /// Failures that persist from some call on.
  var lasting: [Lasting] = []
  /// Number of failures so far.
  var failures = 0
  var capacity: Int?
  var isOff = false
  /// The silent fault that the next write will have.
  var silentFault: SimulatedDisk.Failure?
  /// The files that silent faults have spoiled, by their names at that time.
  var spoiled: [SimulatedDisk.Spoiled] = []
  /// Whether the disk is only observed: calls neither count nor fail.
  var isObserved = false
  /// A line for each call; nil if calls are not recorded.
  var journal: [String]?
  /// Number of the current boot; files that were opened in another one are invalid.
  var boot = 0
  var lockHolder: Int?
  var nextLock = 0
  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func makeFile(_ file: File) -> Int {
    nextFile += 1
    files[nextFile] = file
    return nextFile
  }

  // MARK: - Failing

  /// Counts the call, and returns its failure; nil if it succeeds.
  ///
  /// If the power fails, the caller performs the call or not, as ``flip()`` decides, before it
  /// throws.
  mutating func failure(of operation: SimulatedDisk.Operation) -> SimulatedDisk.Failure? {
    calls += 1
    callsByKind[operation, default: 0] += 1
    let count = callsByKind[operation, default: 0]
    if let once = planned[calls] ?? plannedByKind[operation]?[count] { return once }
    let calls = self.calls
    return lasting.first {
      calls >= $0.from && ($0.operation == nil || $0.operation == operation)
    }?.failure
  }

  mutating func flip() -> Bool { random.next() & 1 == 1 }

  var used: Int { names.values.reduce(0) { $0 + (files[$1]?.current.count ?? 0) } }

  // MARK: - Power

  mutating func loseAndRestorePower() {
    for (id, file) in files.sorted(by: { $0.key < $1.key }) {
      files[id] = File(durable: file.afterPowerLoss(&random))
    }
    paths = UnsyncedNames(paths.afterPowerLoss(&random))
    let alive = Set(names.values)
    files = files.filter { alive.contains($0.key) }
    restart()
  }

  mutating func restart() {
    isOff = false
    boot += 1
    lockHolder = nil
    forgetFailures()
  }

  mutating func forgetFailures() {
    planned = [:]
    plannedByKind = [:]
    lasting = []
    silentFault = nil
  }

  func name(of file: Int) -> String? { names.first { $0.value == file }?.key }

  /// Records that a silent fault has spoiled `file`.
  mutating func spoil(_ file: Int, _ range: Range<Int>) {
    guard let name = name(of: file) else { return }
    spoiled.append(SimulatedDisk.Spoiled(name: name, range: range, existing: Set(names.keys)))
  }

  /// Writes to some other place; the intended place keeps its content.
  mutating func misdirect(_ bytes: UnsafeRawBufferPointer, meant file: Int, at offset: Int) {
    let before = files[file]?.current.count ?? 0
    files[file]?.resize(max(before, offset + bytes.count))
    spoil(file, offset..<offset + bytes.count)
    let others = names.sorted { $0.key < $1.key }.map(\.value)
    let victim = flip() ? file : others[Int(random.next() % UInt64(others.count))]
    let size = files[victim]?.current.count ?? 0
    guard size > 0 else { return }
    let start = Int(random.next() % UInt64(size))
    let count = min(bytes.count, size - start)
    files[victim]?.write(.init(rebasing: bytes[..<count]), at: start)
    spoil(victim, start..<start + count)
  }

  mutating func change(_ change: UnsyncedNames.Change) { paths.change(change) }

  /// Makes a change that is durable at once.
  mutating func changeDurably(_ change: UnsyncedNames.Change) { paths.changeDurably(change) }

  /// Makes the changes that belong to `folder` durable.
  mutating func syncFolder(_ folder: String) { paths.sync(folder) }

  /// Makes some of the changes that belong to `folder` durable.
  mutating func failSyncFolder(_ folder: String) { paths.failSync(folder, &random) }

  // MARK: - Copying

  struct Contents: Sendable {
    var files: [String: [UInt8]]
    var folders: Set<String>
  }

  func contents() -> Contents {
    Contents(files: names.mapValues { files[$0]?.current ?? [] }, folders: folders)
  }

  mutating func restore(_ contents: Contents) {
    for folder in contents.folders { changeDurably(.makeFolder(folder)) }
    // The order of the file numbers decides what a power failure leaves of each.
    for (name, bytes) in contents.files.sorted(by: { $0.key < $1.key }) {
      changeDurably(.set(name, makeFile(File(durable: bytes))))
    }
  }
}
