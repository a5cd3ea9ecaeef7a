package import DaybookEventCore
package import DaybookFrames
import DaybookLocks

/// The log of a store: its events in segments, durable.
///
/// Writing goes `lock`, `append`…, `sync`, `unlock`, by one thread at a time. Appended records are
/// durable, and readers see them, once `sync` has returned. Reading goes through ``snapshot()``,
/// from any thread, at any time. Several processes may have the log open.
package final class EventLog: Sendable {
  private let writer: Mutex<LogWriter>
  private let shared: SharedSnapshot
  private let storeLock: any StoreLock
  package let options: Options

  /// Opens the log in a store's folder, creates it if there is none, and recovers from a crash.
  ///
  /// Cost: three small reads for each sealed segment; the active one is read and checked.
  /// - Parameters:
  ///   - storage: the store's folder.
  ///   - lock: the commit lock; held during the call, unless the options say read-only.
  ///   - applied: the events that the read model has applied; nil if there is no read model. They
  ///     were durable, so those that the log lacks are reported as damage.
  /// - Returns: the log, and a report of what was found. A damaged log opens too: see
  ///   ``RecoveryReport/damage``.
  /// - Throws: ``LogError``: `.ioFailed` and `.noSpace` (nothing is lost; try again), `.locked`,
  ///   `.newerFormat`, `.notFound` if a log to open read-only does not exist.
  package static func open(
    storage: any Storage, lock: any StoreLock, options: Options, applied: VersionVector? = nil
  ) throws(LogError) -> (log: EventLog, report: RecoveryReport) {
    var writer = LogWriter(storage: storage, lock: lock, options: options)
    if options.isReadOnly {
      let report = try writer.loadReadOnly(applied: applied)
      options.telemetry.recovered(report)
      return (EventLog(writer), report)
    }
    try lock.lock(timeout: options.lockTimeout)
    defer { lock.unlock() }
    let report = try writer.recover(applied: applied)
    options.telemetry.recovered(report)
    return (EventLog(writer), report)
  }

  private init(_ writer: LogWriter) {
    shared = writer.shared
    storeLock = writer.lock
    options = writer.options
    self.writer = Mutex(writer)
  }

  // MARK: - Writing

  /// Notes that the identity asked for by ``RecoveryReport/mustRenewIdentity`` is durable.
  ///
  /// Later openings no longer ask for a new identity.
  package func identityRenewed() throws(LogError) {
    try writer.withLock { writer throws(LogError) in try writer.identityRenewed() }
  }

  /// Waits for the commit lock, takes it, and reads what other processes have written.
  ///
  /// - Throws: `.locked` if this log holds the lock already or another process holds it for too
  ///   long; `.poisoned`, `.replaced`, `.readOnly`, `.closed`, `.ioFailed`. The lock is not held
  ///   then.
  package func lock() throws(LogError) {
    try writer.withLock { writer throws(LogError) in try writer.beginLocking() }
    let asked = ContinuousClock.now
    // Outside the mutex: other calls need not wait until another process releases the lock.
    do { try storeLock.lock(timeout: options.lockTimeout) } catch {
      writer.withLock { $0.giveUpLocking() }
      throw error
    }
    let time = ContinuousClock.now - asked
    try writer.withLock { writer throws(LogError) in try writer.endLocking(after: time) }
  }

  /// Releases the commit lock.
  ///
  /// Records that were appended and not synced are abandoned.
  package func unlock() {
    writer.withLock { writer in
      try? writer.abandon()
      writer.releaseLock()
    }
  }

  /// Appends a frame to the log with one system call.
  ///
  /// The frame is durable, and readers see it, only after ``sync()``.
  /// - Returns: the entry of the new record, with its position.
  /// - Throws: `.notContiguous` if the log has any of the events; `.noSpace`, after which the log
  ///   is unchanged; `.damaged`, `.poisoned`, `.notLocked`, `.readOnly`, `.closed`.
  @discardableResult
  package func append(_ frame: Frame) throws(LogError) -> RecordEntry {
    try writer.withLock { writer throws(LogError) in try writer.append(frame) }
  }

  /// Appends a head to the log, unless the log already holds it.
  ///
  /// If frames of the same origin follow it, up to the head's event, and a crash comes before all
  /// of them are durable, recovery cuts them off together with the head.
  /// - Parameter again: whether to append the head even if the log holds it, because such frames
  ///   follow.
  package func append(_ head: Head, again: Bool = false) throws(LogError) {
    try writer.withLock { writer throws(LogError) in try writer.append(head, again: again) }
  }

  /// Starts the fsync of the appended records on another thread; ``sync()`` waits for it.
  ///
  /// Records that are appended between the two calls need another fsync.
  /// - Throws: `.poisoned`, `.notLocked`, `.damaged`, `.readOnly`, `.closed`.
  package func beginSync() throws(LogError) {
    try writer.withLock { writer throws(LogError) in try writer.beginSync() }
  }

  /// Makes all appended records durable.
  ///
  /// Cost: one fsync, and one small write for the mark.
  /// - Throws: `.poisoned` if the disk fails. It is uncertain then if the records are durable, and
  ///   nothing more can be written until the log is opened again.
  package func sync() throws(LogError) {
    try writer.withLock { writer throws(LogError) in try writer.sync() }
  }

  /// Removes the records appended since the last ``sync()``, durably.
  ///
  /// Cost: one fsync, if there are such records.
  /// - Throws: `.poisoned` if that fails.
  package func abandon() throws(LogError) {
    try writer.withLock { writer throws(LogError) in try writer.abandon() }
  }

  /// Seals the active segment if it has reached its full size.
  ///
  /// The lock must be held, and no record may be unsynced. Cost: 65 ms for 20,000 commits of one
  /// event (5 MB).
  /// - Returns: the outcome; a seal that fails throws no error.
  @discardableResult
  package func rollIfNeeded() throws(LogError) -> SealOutcome {
    try writer.withLock { writer throws(LogError) in try writer.rollIfNeeded() }
  }

  /// Seals the active segment, whatever its size, and earlier segments that are not sealed.
  ///
  /// The lock must be held. Unsynced records are synced first.
  /// - Returns: the outcome for the active segment; a seal that fails throws no error.
  @discardableResult
  package func seal() throws(LogError) -> SealOutcome {
    try writer.withLock { writer throws(LogError) in try writer.seal() }
  }

  /// Closes the log: releases reserved space, seals the active segment if it is large enough, and
  /// refuses further calls.
  ///
  /// Snapshots stay readable.
  package func close() throws(LogError) {
    if writer.withLock({ $0.mustLockToClose }) {
      do { try lock() } catch {
        writer.withLock { $0.isClosed = true }
        throw error
      }
    }
    try writer.withLock { writer throws(LogError) in try writer.close() }
  }

  /// Whether this log holds the commit lock.
  package var isLocked: Bool { writer.withLock { $0.isLocked } }

  // MARK: - Reading

  /// Returns the durable log as it is now, without private origins; see ``LogSnapshot/whole``.
  ///
  /// Cost: next to nothing.
  package func snapshot() -> LogSnapshot { shared.current.shared }

  /// The durable events of each origin that is not private.
  package var ranges: [ReplicaID: SequenceRanges] { snapshot().ranges }

  /// The sequence up to which the log holds every event, for each origin that is not private.
  package var vector: VersionVector { snapshot().vector }

  /// The sequence up to which the log holds every event, for each origin, including private ones.
  package var wholeVector: VersionVector { shared.current.vector }

  package var durableEnd: LogPosition { shared.current.durableEnd }

  /// Returns the chain value after `event`, which may be of a private origin.
  ///
  /// See ``LogSnapshot/chain(after:)``.
  package func chain(after event: EventID) throws(LogError) -> Hash256? {
    try shared.current.chain(after: event)
  }

  /// Reads what other processes have made durable, without the commit lock.
  package func refreshForReading() throws(LogError) {
    try writer.withLock { writer throws(LogError) in try writer.refreshForReading() }
  }

  /// Reads every byte of the log and checks everything that can be checked; changes nothing.
  ///
  /// Cost: reads, decompresses and hashes everything. Records written during the call are not
  /// checked.
  /// - Parameter progress: called now and then with the bytes done and the bytes in all.
  /// - Returns: the findings. Damage is not an error.
  /// - Throws: ``LogError`` if a file cannot be read.
  package func verify(progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in })
    throws(LogError) -> LogVerification
  {
    let (storage, lock, damage) = writer.withLock { ($0.storage, $0.lock, $0.damage) }
    var verifier = LogVerifier(storage: storage, lock: lock, snapshot: shared.current)
    return try verifier.run(damage: damage, progress: progress)
  }

  /// The damage found so far.
  ///
  /// If there is any, ordinary writes are refused.
  package var damage: [LogFinding] { shared.damage }

  /// The segments, in order.
  ///
  /// - Throws: `.ioFailed` if the size of a segment's file cannot be read.
  package var segments: [SegmentInfo] {
    get throws(LogError) {
      var segments: [SegmentInfo] = []
      for part in shared.current.parts {
        let bytes = try part.segment.file().size()
        segments.append(
          part.segment.withIndex { index in
            SegmentInfo(
              number: part.segment.number, bytes: bytes, isSealed: part.segment.isSealed,
              records: index.records, events: index.events)
          })
      }
      return segments
    }
  }
}
