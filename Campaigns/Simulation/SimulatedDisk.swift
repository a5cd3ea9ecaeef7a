internal import EventCore
internal import LogEngine
internal import Synchronization

/// A disk in memory that fails where it is told to, and loses at a power failure what a real one
/// may.
///
/// - What was written to a file is durable, sector by sector, after ``StorageFile/sync()``; before,
///   a power failure keeps the old sector, the new one, or a torn mixture.
/// - Names, of files and of folders, are durable after ``Storage/syncFolder(_:)`` of the folder that they are
///   in; before, a power failure undoes any of them, or the latest ones, from some point on. What is in a
///   folder goes with its name.
/// - A failed sync of a folder makes some of its names durable.
/// - A failed sync leaves the data in memory and counts it as written, as file systems do: the next
///   sync reports success and the sectors are lost all the same.
///
/// Everything follows from the seed and the calls.
package final class SimulatedDisk: Sendable {
  package enum Operation: Hashable, Sendable, CaseIterable {
    case open, list, makeFolder, rename, remove, syncFolder
    case read, write, sync, truncate, allocate, size, lockState
  }

  /// What an injected failure does.
  package enum Failure: Hashable, Sendable {
    case ioFailed
    case noSpace
    /// A write succeeds, with one bit other than it should be.
    case silentCorruption
    /// A write succeeds, and lands somewhere else, in this or another file.
    case misdirectedWrite
    /// The power goes, during the call.
    case powerLoss
  }

  /// What a silent fault has spoiled.
  package struct Spoiled: Hashable, Sendable {
    package var name: String
    package var range: Range<Int>
    /// All files at that moment.
    package var existing: Set<String>
  }

  /// When to fail.
  package enum Moment: Hashable, Sendable, CustomStringConvertible {
    /// At the n-th call from now on, from 1.
    case call(Int)
    /// At the n-th call of that kind from now on.
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

  /// Every call fails, from the n-th on, or every one of that kind from then on.
  package func injectForGood(_ failure: Failure, from n: Int, _ operation: Operation? = nil) {
    state.withLock { state in
      state.lasting.append(
        DiskState.Lasting(from: state.calls + n, operation: operation, failure: failure))
    }
  }

  /// Takes back what ``inject(_:at:)`` and ``injectForGood(_:from:_:)`` have planned.
  package func clearFailures() { state.withLock { $0.forgetFailures() } }

  /// How many calls have failed, or done something else than they said, as injected.
  package var failures: Int { state.withLock { $0.failures } }

  /// What silent faults have spoiled so far.
  package var spoiled: [Spoiled] { state.withLock { $0.spoiled } }

  /// What `body` asks of the disk neither counts nor fails: for checks between the calls of what is
  /// tested.
  package func observing<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    state.withLock { $0.isObserved = true }
    defer { state.withLock { $0.isObserved = false } }
    return try body()
  }

  /// Calls are recorded from now on; see ``takeJournal()``.
  package func startJournal() { state.withLock { $0.journal = [] } }

  /// The calls since the last time, one a line.
  package func takeJournal() -> [String] {
    state.withLock { state in
      let lines = state.journal ?? []
      if state.journal != nil { state.journal = [] }
      return lines
    }
  }

  /// Calls so far.
  package var calls: Int { state.withLock { $0.calls } }
  package var isOff: Bool { state.withLock { $0.isOff } }
  /// Bytes that all files together may have; nil for no limit.
  package func setCapacity(_ bytes: Int?) { state.withLock { $0.capacity = bytes } }

  /// The power goes and comes back: what was not durable is decided by lot. Files that are open
  /// stay as they are to those who hold them, who are dead.
  package func loseAndRestorePower() { state.withLock { $0.loseAndRestorePower() } }

  /// The process dies and another starts: what was written stays, locks are given up.
  package func killProcess() { state.withLock { $0.restart() } }

  /// One of several processes dies: its lock is given up, and the others go on, after a power
  /// failure that was injected to stop it too.
  /// - Parameter keepsLock: another than the dead one may hold it.
  package func revive(keepsLock: Bool = false) {
    state.withLock {
      $0.isOff = false
      if !keepsLock { $0.lockHolder = nil }
    }
  }

  package func releaseLock() { state.withLock { $0.lockHolder = nil } }

  /// Calls of that kind so far.
  package func count(of operation: Operation) -> Int {
    state.withLock { $0.callsByKind[operation, default: 0] }
  }

  /// An independent copy of what is on the disk now, durable or not.
  package func copy(seed: UInt64) -> SimulatedDisk {
    let other = SimulatedDisk(seed: seed)
    let folders = state.withLock { $0.contents() }
    other.state.withLock { $0.restore(folders) }
    return other
  }

  // MARK: - For tests: looking and tampering

  /// Every file's name and contents.
  package var files: [String: [UInt8]] {
    state.withLock { state in state.contents().files }
  }

  /// Changes a file behind everyone's back, durably.
  package func tamper(_ name: String, _ change: (inout [UInt8]) -> Void) {
    state.withLock { state in
      guard let file = state.names[name] else { return }
      var bytes = state.files[file]?.current ?? []
      change(&bytes)
      state.files[file] = DiskState.File(durable: bytes)
    }
  }

  /// Puts a file there, durably.
  package func put(_ name: String, _ bytes: [UInt8]) {
    state.withLock { state in
      state.changeDurably(.set(name, state.makeFile(DiskState.File(durable: bytes))))
    }
  }

  /// Takes a file away, durably.
  package func removeFile(_ name: String) {
    state.withLock { $0.changeDurably(.remove(name)) }
  }
}
