import DaybookEventCore
import DaybookFrames

/// The state of an open log that changes under the commit lock, and the methods that change it.
///
/// The methods keep these rules:
/// - Readers see a record only after the fsync that made it durable.
/// - The generation in the lock file changes *before* a file of the log is replaced, added or cut.
///   After a crash at any point, no other process keeps using a file that the log has dropped.
/// - A failed fsync poisons the log, and so does a failed write unless the disk is full. Nothing
///   more is written then until the log is opened again.
struct LogWriter: Sendable {
  /// The segment that takes appends.
  struct Active: Sendable {
    var segment: Segment
    var file: any StorageFile
    /// The offset after the last appended record.
    var end: UInt64
    /// The offset after the last durable record.
    var durable: UInt64
    /// The size of the file, including preallocated space.
    var size: UInt64
  }

  /// A record that was appended and is not yet durable.
  enum Unsynced: Sendable {
    case frame(RecordEntry)
    case head(HeadEntry)
  }

  let storage: any Storage
  let lock: any StoreLock
  let options: EventLog.Options
  let files: SegmentFiles
  let shared: SharedSnapshot
  let background = BackgroundSync()

  var active: Active?
  /// The number of the last segment, which ends at ``lastEnd``.
  var lastNumber: UInt64 = 0
  var lastEnd: UInt64 = 0
  /// The end of the last segment before it was sealed, if its old file may come back.
  ///
  /// After a power failure, the name may belong to the unsealed file again. The next segment must
  /// then state how much of that file counts. Nil otherwise.
  var unsealedEnd: UInt64?
  var mark: MarkFile?
  var generation: UInt64 = 0
  /// The identity of the lock file that stated the generation; see ``LockState/file``.
  var lockFile: UInt64 = 0
  /// Whether the state was loaded without the lock and may not be durable.
  var isLoadedUnlocked = false
  var unsynced: [Unsynced] = []
  /// The offset up to which an fsync is in progress on another thread; nil if there is none.
  var syncing: UInt64?
  /// The events of each origin that are durable or unsynced.
  var known: [ReplicaID: SequenceRanges] = [:]
  /// The position of the mark when the segments were last loaded.
  var markWhenLoaded: LogPosition?
  var damage: [LogFinding] = [] {
    didSet { shared.damage = damage }
  }
  /// The failure after which nothing more may be written; nil if there was none.
  var failure: LogError?
  /// Whether another process has recovered from the failure, so that the files can be trusted
  /// again.
  private var wasPutRight = false
  /// Whether recovery from a failure is in progress; a crash meanwhile must leave the flag set.
  var isRecovering = false
  var isLocked = false
  /// Whether a thread is waiting for the lock.
  var isLocking = false
  var isClosed = false
  /// The size at which to try again to seal, after a seal that failed on a full disk.
  var sealNotBefore: UInt64 = 0
  /// A buffer that every append reuses.
  var scratch = ByteWriter()

  init(storage: any Storage, lock: any StoreLock, options: EventLog.Options) {
    self.storage = storage
    self.lock = lock
    self.options = options
    files = SegmentFiles(storage: storage)
    shared = SharedSnapshot()
  }

  var durableEnd: LogPosition {
    if let active { return LogPosition(segment: active.segment.number, offset: active.durable) }
    return LogPosition(segment: lastNumber, offset: lastEnd)
  }

  // MARK: - Guards

  func checkOpen() throws(LogError) {
    if isClosed { throw LogError(.closed, "the log is closed") }
  }

  func checkWritable() throws(LogError) {
    try checkOpen()
    if options.isReadOnly { throw LogError(.readOnly, "the log was opened to be read only") }
    if let failure { throw failure }
  }

  func checkAppendable() throws(LogError) {
    try checkWritable()
    guard isLocked else { throw LogError(.notLocked, "the commit lock is not held") }
    if let first = damage.first, !options.acceptsWritesWhenDamaged {
      throw .damaged(
        "the log is damaged, so it takes no writes: \(first.message)", segment: first.segment,
        offset: first.offset)
    }
  }

  // MARK: - Failure

  /// Refuses all further writes, here and, through the lock file, in all processes.
  mutating func poison(_ cause: LogError) -> LogError {
    let remedy = "close the store and open it again"
    let error = LogError(
      .poisoned, "writing the log failed, so what the disk holds is uncertain",
      segment: active?.segment.number, offset: active?.end,
      hint: cause.code == .noSpace ? "free some disk space, then \(remedy)" : remedy,
      cause: cause.description)
    failure = error
    options.telemetry.poisoned(cause)
    var state = LockState()
    state.generation = generation
    state.isPoisoned = true
    // If this fails too, the next opening judges by the mark alone, which is just as safe.
    _ = try? lock.writeState(state)
    return error
  }

  /// Whether another process has recovered the log since this one failed to write it.
  ///
  /// If so, what other processes have written can be read here again.
  mutating func isPutRight() -> Bool {
    if !wasPutRight, let state = try? lock.readState() {
      wasPutRight = !state.isPoisoned && !isCurrent(state)
    }
    return wasPutRight
  }

  /// Whether another process has acknowledged records that must be loaded here with all segments.
  ///
  /// A process that knows of damage keeps no active segment, so it has no tail from which to read
  /// on. A process that has not met the damage may go on writing meanwhile.
  var isBehindInDamagedLog: Bool {
    active == nil && !damage.isEmpty && mark?.position != markWhenLoaded
  }

  /// Whether no file was added, replaced or cut since the log was loaded here.
  ///
  /// A missing or empty lock file is never current: the generation that it held may be lost with
  /// it.
  func isCurrent(_ state: LockState) -> Bool {
    state.generation != 0 && state.generation == generation && state.file == lockFile
  }

  mutating func remember(_ state: LockState) {
    (generation, lockFile) = (state.generation, state.file)
  }

  /// Adds findings to the known damage; each is reported once, however often it is found.
  mutating func note(_ findings: [LogFinding]) {
    let new = findings.filter { !damage.contains($0) }
    options.telemetry.found(new)
    damage.append(contentsOf: new)
  }

  /// Makes other processes list the segments again; must be called before a file is replaced or
  /// cut.
  mutating func changeGeneration() throws(LogError) {
    var state = LockState()
    state.generation = generation &+ 1
    state.isPoisoned = isRecovering
    // Remember only what was written: otherwise another process could give the same number next.
    remember(try lock.writeState(state))
  }

  // MARK: - Taking over what was loaded

  mutating func adopt(_ loader: LogLoader) {
    active = loader.active.map {
      Active(
        segment: $0.segment, file: $0.file, end: $0.scan.end, durable: $0.scan.end,
        size: $0.scan.fileSize)
    }
    lastNumber = loader.lastNumber
    lastEnd = loader.lastEnd
    unsealedEnd = nil
    markWhenLoaded = mark?.position
    damage = damage.filter(loader.damage.contains)
    note(loader.damage)
    // Damaged segments are left unchanged.
    if !damage.isEmpty { active = nil }
    known = loader.snapshot.ranges
    unsynced = []
    shared.replace(loader.snapshot)
  }
}
