internal import EventCore

/// The state of an open log that changes under the commit lock, and what changes it.
///
/// Rules that the methods keep:
/// - Readers see a record only after the fsync that made it durable.
/// - The generation in the lock file changes *before* a file of the log is replaced, added or cut,
///   so that a crash at any point leaves no other process with a file that is no longer the log's.
/// - A failed fsync, and a failed write other than for want of space, poisons: nothing more is
///   written until the log is opened again.
struct LogWriter: Sendable {
  /// The segment that takes appends.
  struct Active: Sendable {
    var segment: Segment
    var file: any StorageFile
    /// After the last record that was appended.
    var end: UInt64
    /// After the last record that is durable.
    var durable: UInt64
    /// Size of the file, preallocated space included.
    var size: UInt64
  }

  /// Appended, not yet durable.
  enum Pending: Sendable {
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
  /// Number of the last segment, and where it ends.
  var lastNumber: UInt64 = 0
  var lastEnd: UInt64 = 0
  /// Where the last segment ended before it was sealed, if the sealed file may still lose its name with the
  /// power: the next segment has to say how much of the other one counts.
  var unsealedEnd: UInt64?
  var mark: MarkFile?
  var generation: UInt64 = 0
  /// Which lock file said so; see ``LockState/file``.
  var lockFile: UInt64 = 0
  /// What is known was loaded without the lock, so nobody has made sure that it lasts.
  var isUnsettled = false
  var pending: [Pending] = []
  /// Up to where an fsync is under way on a thread of its own.
  var syncing: UInt64?
  /// Durable and pending events.
  var known: [ReplicaID: SequenceRanges] = [:]
  var damage: [LogFinding] = [] {
    didSet { shared.damage = damage }
  }
  /// Why nothing may be written any more.
  var failure: LogError?
  /// Another process has put right what the failure left: the files say again what is so.
  private var wasPutRight = false
  /// While what a failure left behind is put right: a crash must find the flag still set.
  var isRecovering = false
  var isLocked = false
  /// The lock is being waited for, on the thread that asked for it.
  var isLocking = false
  var isClosed = false
  /// After a seal that failed for want of space: the size at which to try again.
  var sealNotBefore: UInt64 = 0
  /// Reused by every append.
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

  /// Refuses all further writes, here and, through the lock file, everywhere.
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
    // Where even this fails, the next opener judges by the mark alone, which is as safe.
    _ = try? lock.writeState(state)
    return error
  }

  /// After a failure: whether another process has opened the log since, and so what others write can be
  /// read here too.
  mutating func isPutRight() -> Bool {
    if !wasPutRight, let state = try? lock.readState() {
      wasPutRight = !state.isPoisoned && !isCurrent(state)
    }
    return wasPutRight
  }

  /// Whether nothing has been announced since what is known here was loaded. A lock file that is missing or
  /// empty says nothing: whatever it said may have been taken away with it.
  func isCurrent(_ state: LockState) -> Bool {
    state.generation != 0 && state.generation == generation && state.file == lockFile
  }

  mutating func remember(_ state: LockState) {
    (generation, lockFile) = (state.generation, state.file)
  }

  /// Adds to what is known to be damaged: to be said once, however often it is met.
  mutating func note(_ findings: [LogFinding]) {
    let new = findings.filter { !damage.contains($0) }
    options.telemetry.found(new)
    damage.append(contentsOf: new)
  }

  /// Tells the other processes to look again. To be called before anything is replaced or cut.
  mutating func changeGeneration() throws(LogError) {
    var state = LockState()
    state.generation = generation &+ 1
    state.isPoisoned = isRecovering
    // Only then: a number that the file does not have would be the next that another process gives.
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
    damage = damage.filter(loader.damage.contains)
    note(loader.damage)
    // Damaged segments are left as they are.
    if !damage.isEmpty { active = nil }
    known = loader.snapshot.ranges
    pending = []
    shared.replace(loader.snapshot)
  }
}
