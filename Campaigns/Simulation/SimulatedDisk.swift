import DaybookEventCore
import DaybookLocks
import DaybookLogEngine

/// A disk in memory with injected failures, which loses at a power failure what a real disk may
/// lose.
///
/// - What was written to a file is durable, sector by sector, after ``StorageFile/sync()``. Before
///   that, a power failure keeps the old sector, the new one, or a torn mixture.
/// - Names of files and folders are durable after ``Storage/syncFolder(_:)`` of their folder.
///   Before that, a power failure undoes any of the changes, or the latest ones, from some point
///   on. A folder's content goes with its name.
/// - A failed sync of a folder makes some of its names durable.
/// - A failed sync of a file leaves the data in memory and counts it as written, as file systems
///   do. The next sync reports success, but the sectors are lost.
///
/// The seed and the calls determine everything.
package final class SimulatedDisk: Sendable {
  package enum Operation: Hashable, Sendable, CaseIterable {
    case open, list, makeFolder, rename, remove, syncFolder
    case read, write, sync, truncate, allocate, size, lockState
  }

  /// The effect of an injected failure.
  package enum Failure: Hashable, Sendable {
    case ioFailed
    case noSpace
    /// A write succeeds, with one bit wrong.
    case silentCorruption
    /// A write succeeds, but goes to another place in this or another file.
    case misdirectedWrite
    /// The power fails during the call.
    case powerLoss
  }

  /// A place that a silent fault has spoiled.
  package struct Spoiled: Hashable, Sendable {
    package var name: String
    package var range: Range<Int>
    /// The names of all files at that moment.
    package var existing: Set<String>
  }

  /// The moment of a failure.
  package enum Moment: Hashable, Sendable, CustomStringConvertible {
    /// The n-th call from now on, counted from 1.
    case call(Int)
    /// The n-th call of that kind from now on.
    case next(Operation, Int)

    package var description: String {
      switch self {
      case .call(let n): "call \(n) from here"
      case .next(let operation, let n): "\(operation) \(n) from here"
      }
    }
  }

  let state: Mutex<DiskState>

  package init(seed: UInt64) { state = Mutex(DiskState(seed: seed)) }

  package func inject(_ failure: Failure, at moment: Moment) {
    state.withLock { state in
      switch moment {
      case .call(let n): state.planned[state.calls + n] = failure
      case .next(let operation, let n):
        state.plannedByKind[operation, default: [:]][state.callsByKind[operation, default: 0] + n] =
          failure
      }
    }
  }

  /// Makes every call fail from the n-th on, or every call of one kind.
  package func injectForGood(_ failure: Failure, from n: Int, _ operation: Operation? = nil) {
    state.withLock { state in
      state.lasting.append(
        DiskState.Lasting(from: state.calls + n, operation: operation, failure: failure))
    }
  }

  /// Cancels what ``inject(_:at:)`` and ``injectForGood(_:from:_:)`` have planned.
  package func clearFailures() { state.withLock { $0.forgetFailures() } }

  /// Number of injected failures so far, silent faults included.
  package var failures: Int { state.withLock { $0.failures } }

  /// The places that silent faults have spoiled so far.
  package var spoiled: [Spoiled] { state.withLock { $0.spoiled } }

  /// Runs `body` with calls that neither count nor fail.
  ///
  /// This is for checks between the calls of the code under test.
  package func observing<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    state.withLock { $0.isObserved = true }
    defer { state.withLock { $0.isObserved = false } }
    return try body()
  }

  /// Records calls from now on; see ``takeJournal()``.
  package func startJournal() { state.withLock { $0.journal = [] } }

  /// Returns the calls since the last time, one per line.
  package func takeJournal() -> [String] {
    state.withLock { state in
      let lines = state.journal ?? []
      if state.journal != nil { state.journal = [] }
      return lines
    }
  }

  /// Number of calls so far.
  package var calls: Int { state.withLock { $0.calls } }
  package var isOff: Bool { state.withLock { $0.isOff } }
  /// Sets the number of bytes that all files together may have; nil for no limit.
  package func setCapacity(_ bytes: Int?) { state.withLock { $0.capacity = bytes } }

  /// Simulates a power failure and a restart.
  ///
  /// Chance decides what remains of the changes that were not durable. Files that are open become
  /// invalid.
  package func loseAndRestorePower() { state.withLock { $0.loseAndRestorePower() } }

  /// Ends the process and starts another: written data stays, and locks are released.
  package func killProcess() { state.withLock { $0.restart() } }

  /// Ends one of several processes, while the others go on.
  ///
  /// Its lock is released. The disk works again if a power failure was injected to stop the
  /// process.
  ///
  /// - Parameter keepsLock: Whether the lock stays, because another process may hold it.
  package func revive(keepsLock: Bool = false) {
    state.withLock {
      $0.isOff = false
      if !keepsLock { $0.lockHolder = nil }
    }
  }

  package func releaseLock() { state.withLock { $0.lockHolder = nil } }

  /// Returns the number of calls of that kind so far.
  package func count(of operation: Operation) -> Int {
    state.withLock { $0.callsByKind[operation, default: 0] }
  }

  /// Returns an independent copy of the disk, with durable and other changes; all are durable in
  /// the copy.
  package func copy(seed: UInt64) -> SimulatedDisk {
    let other = SimulatedDisk(seed: seed)
    let folders = state.withLock { $0.contents() }
    other.state.withLock { $0.restore(folders) }
    return other
  }

  // MARK: - For tests: looking and tampering

  /// The content of every file by its name.
  package var files: [String: [UInt8]] {
    state.withLock { state in state.contents().files }
  }

  /// Changes a file durably, outside any call.
  package func tamper(_ name: String, _ change: (inout [UInt8]) -> Void) {
    state.withLock { state in
      guard let file = state.names[name] else { return }
      var bytes = state.files[file]?.current ?? []
      change(&bytes)
      state.files[file] = DiskState.File(durable: bytes)
    }
  }

  /// Adds or replaces a file durably.
  package func put(_ name: String, _ bytes: [UInt8]) {
    state.withLock { state in
      state.changeDurably(.set(name, state.makeFile(DiskState.File(durable: bytes))))
    }
  }

  /// Removes a file durably.
  package func removeFile(_ name: String) {
    state.withLock { $0.changeDurably(.remove(name)) }
  }
}
