internal import LogEngine

/// What is on a ``SimulatedDisk`` and in the memory above it.
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
  private var paths = PendingNames()

  var names: [String: Int] { paths.current.files }
  var folders: Set<String> { paths.current.folders }

  var planned: [Int: SimulatedDisk.Failure] = [:]
  var plannedByKind: [SimulatedDisk.Operation: [Int: SimulatedDisk.Failure]] = [:]
  var calls = 0
  var callsByKind: [SimulatedDisk.Operation: Int] = [:]
  /// Failures from some call on.
  var lasting: [Lasting] = []
  /// How many failures have happened.
  var failures = 0
  var capacity: Int?
  var isOff = false
  /// What the next write does without a word.
  var silentFault: SimulatedDisk.Failure?
  /// Files that silent faults have spoiled, by the names that they had.
  var spoiled: [SimulatedDisk.Spoiled] = []
  /// Calls neither count nor fail.
  var isObserved = false
  /// A line for each call, where someone wants to read them.
  var journal: [String]?
  /// Which boot the open files belong to.
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

  /// Counts the call, and says whether it is to fail. Where the power goes, the caller lets the
  /// call happen or not, as ``flip()`` decides, before it throws.
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
    paths = PendingNames(paths.afterPowerLoss(&random))
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

  /// The write goes to some other place, and the one that was meant keeps what it has.
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

  mutating func change(_ change: PendingNames.Change) { paths.change(change) }

  /// A change that nobody has to make durable.
  mutating func changeDurably(_ change: PendingNames.Change) { paths.changeDurably(change) }

  /// What belongs to `folder` becomes durable.
  mutating func syncFolder(_ folder: String) { paths.sync(folder) }

  /// Some of what belongs to `folder` becomes durable.
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
    // What a power failure leaves of each is decided in the order of their numbers.
    for (name, bytes) in contents.files.sorted(by: { $0.key < $1.key }) {
      changeDurably(.set(name, makeFile(File(durable: bytes))))
    }
  }
}
