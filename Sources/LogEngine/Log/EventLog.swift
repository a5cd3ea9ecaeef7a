package import EventCore
internal import Synchronization

/// The log of a store: the events that it holds, in segments, durable.
///
/// Writing goes `lock`, `append`…, `sync`, `unlock`, by one thread at a time. What was appended is
/// seen by readers, and survives, once `sync` has returned. Reading goes through ``snapshot()``,
/// from any thread, at any time. Several processes may have the log open.
package final class EventLog: Sendable {
  private let writer: Mutex<LogWriter>
  private let shared: SharedSnapshot
  private let storeLock: any StoreLock
  package let options: Options

  /// Opens the log in a store's folder, makes it where there is none, and recovers what a crash
  /// left.
  ///
  /// Sealed segments cost three small reads each; the active one is read and checked.
  /// - Parameters:
  ///   - storage: the store's folder.
  ///   - lock: held during the call, unless the options say read-only.
  ///   - applied: what the read model holds. It was durable, so what of it the log lacks was lost.
  ///     Nil where there is no read model.
  /// - Returns: the log, and what was found. A damaged log opens too: see
  ///   ``RecoveryReport/damage``.
  /// - Throws: ``LogError``: `.ioFailed` and `.noSpace` (nothing is lost; try again),
  ///   `.locked`, `.newerFormat`, `.notFound` where a log to be only read is not there.
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

  /// The replica has taken the new identity that ``RecoveryReport/mustRenewIdentity`` asked for, and it
  /// is durable: the next opening asks no more.
  package func identityRenewed() throws(LogError) {
    try writer.withLock { writer throws(LogError) in try writer.identityRenewed() }
  }

  /// Takes the commit lock, waiting for it, and takes in what other processes have written.
  /// - Throws: `.locked` where this log holds it already or another for too long, `.poisoned`,
  ///   `.replaced`, `.readOnly`, `.closed`, `.ioFailed`. The lock is not held then.
  package func lock() throws(LogError) {
    try writer.withLock { writer throws(LogError) in try writer.beginLocking() }
    let asked = ContinuousClock.now
    // Not within the mutex: nobody who only asks something has to wait for another process.
    do { try storeLock.lock(timeout: options.lockTimeout) } catch {
      writer.withLock { $0.giveUpLocking() }
      throw error
    }
    let time = ContinuousClock.now - asked
    try writer.withLock { writer throws(LogError) in try writer.endLocking(after: time) }
  }

  /// Gives up the commit lock. What was appended and not synced is abandoned.
  package func unlock() {
    writer.withLock { writer in
      try? writer.abandon()
      writer.releaseLock()
    }
  }

  /// Writes a frame to the end of the log; one call to the system. It is durable, and seen, only
  /// after ``sync()``.
  /// - Returns: where it lies.
  /// - Throws: `.notContiguous` where the log has any of the events; `.noSpace`, after which all is
  ///   as it was; `.damaged`, `.poisoned`, `.notLocked`, `.readOnly`, `.closed`.
  @discardableResult
  package func append(_ frame: Frame) throws(LogError) -> RecordEntry {
    try writer.withLock { writer throws(LogError) in try writer.append(frame) }
  }

  /// Writes a head to the end of the log; one that is there already is not written again.
  package func append(_ head: Head) throws(LogError) {
    try writer.withLock { writer throws(LogError) in try writer.append(head) }
  }

  /// Begins the fsync of what was appended on a thread of its own, for ``sync()`` to wait for. What is
  /// appended between the two costs another.
  /// - Throws: `.poisoned`, `.notLocked` and the like, as ``append(_:)-(Frame)``.
  package func beginSync() throws(LogError) {
    try writer.withLock { writer throws(LogError) in try writer.beginSync() }
  }

  /// Makes everything that was appended durable: one fsync, and one small write for the mark.
  /// - Throws: `.poisoned`: whether it is durable is uncertain, and nothing more can be written
  ///   until the log is opened again.
  package func sync() throws(LogError) {
    try writer.withLock { writer throws(LogError) in try writer.sync() }
  }

  /// Takes back what was appended since the last ``sync()``, for good: one fsync, where there is
  /// anything to take back.
  /// - Throws: `.poisoned` where that failed.
  package func abandon() throws(LogError) {
    try writer.withLock { writer throws(LogError) in try writer.abandon() }
  }

  /// Seals the active segment if it has reached its size. To be called with the lock held and
  /// nothing pending. Took 65 ms for 20,000 commits of one event (5 MB).
  /// - Returns: what was done; a seal that failed is no error.
  @discardableResult
  package func rollIfNeeded() throws(LogError) -> SealOutcome {
    try writer.withLock { writer throws(LogError) in try writer.rollIfNeeded() }
  }

  /// Seals the active segment, whatever its size, and those before it that are not sealed. Like
  /// ``rollIfNeeded()`` otherwise.
  @discardableResult
  package func seal() throws(LogError) -> SealOutcome {
    try writer.withLock { writer throws(LogError) in try writer.seal() }
  }

  /// Gives reserved space back, seals the active segment if that is worthwhile, and refuses further
  /// calls. Snapshots stay readable.
  package func close() throws(LogError) {
    if writer.withLock({ $0.mustLockToClose }) {
      do { try lock() } catch {
        writer.withLock { $0.isClosed = true }
        throw error
      }
    }
    try writer.withLock { writer throws(LogError) in try writer.close() }
  }

  // MARK: - Reading

  /// The durable log as it is now, but for private origins: see ``LogSnapshot/whole``. Costs next to
  /// nothing.
  package func snapshot() -> LogSnapshot { shared.current.shared }

  /// The durable events of each origin that may be told to others.
  package var ranges: [ReplicaID: SequenceRanges] { snapshot().ranges }

  /// How far the log holds every event, of each origin that may be told to others.
  package var vector: VersionVector { snapshot().vector }

  /// The same with private origins.
  package var wholeVector: VersionVector { shared.current.vector }

  package var durableEnd: LogPosition { shared.current.durableEnd }

  /// See ``LogSnapshot/chain(after:)``; also of a private origin.
  package func chain(after event: EventID) throws(LogError) -> Hash256? {
    try shared.current.chain(after: event)
  }

  /// Takes in what other processes have made durable, without the lock.
  package func refreshForReading() throws(LogError) {
    try writer.withLock { writer throws(LogError) in try writer.refreshForReading() }
  }

  /// Reads every byte of the log and checks all that can be checked; changes nothing.
  ///
  /// Costs reading, decompressing and hashing everything. What is written meanwhile is not looked
  /// at.
  /// - Parameter progress: bytes done, and bytes in all; called now and then.
  /// - Throws: ``LogError`` where a file cannot be read. Damage is no error: it is what is looked
  ///   for.
  package func verify(progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in })
    throws(LogError) -> LogVerification
  {
    let (storage, lock, damage) = writer.withLock { ($0.storage, $0.lock, $0.damage) }
    var verifier = LogVerifier(storage: storage, lock: lock, snapshot: shared.current)
    return try verifier.run(damage: damage, progress: progress)
  }

  /// What was found damaged, if anything: ordinary writes are refused then.
  package var damage: [LogFinding] { shared.damage }

  /// The segments, in order.
  /// - Throws: `.ioFailed` where the size of one cannot be found out.
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
