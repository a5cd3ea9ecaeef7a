import DaybookCDiskCalls
import DaybookSimulation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A fault of system calls: its error, the calls that it hits, and whether it happens once or for
/// good.
struct DiskFault: Sendable, CustomStringConvertible {
  enum Scope: Sendable, CaseIterable {
    /// Every call that uses the disk.
    case everything
    /// Calls that would change the disk, as if it were read-only.
    case changes
    case syncs
  }

  var error: Int32
  var scope: Scope
  var isForGood: Bool
  /// Prefix of the file names that the fault hits; "" for all.
  var prefix: String
  /// Number of calls before the fault.
  var wait: Int
  /// Whether syncs, too, report a full disk, as with quotas or copy-on-write file systems.
  var findsOutLate = false

  static func random(_ random: inout SplitMix64) -> DiskFault {
    let prefixes = [
      "", "", "", "log/", "log/mark", "lock", "identity", "read-model.sqlite",
      "read-model.sqlite-wal", "read-model.next", "quarantine",
    ]
    let isFull = random.below(2) == 0
    return DiskFault(
      error: isFull ? ENOSPC : EIO,
      scope: isFull ? .changes : Scope.allCases[random.below(3)],
      isForGood: random.below(2) == 0,
      prefix: StoreRun.folderName + "/" + prefixes[random.below(prefixes.count)],
      wait: random.below(random.below(2) == 0 ? 15 : 150),
      findsOutLate: isFull && random.below(4) == 0)
  }

  var isDue: Bool { wait == 0 }

  /// Returns whether the fault makes `call` fail.
  ///
  /// - Parameters:
  ///   - exists: Whether the call's path exists.
  ///   - size: The size of the call's file in bytes, if it is open.
  func hits(_ call: daybook_call, exists: Bool, size: Int64) -> Bool {
    let creates = call.kind == DAYBOOK_CALL_OPEN && call.creates != 0 && !exists
    if error == ENOSPC {
      // Calls that need no space succeed. Overwriting may need space: some file systems write every
      // block to a new place.
      switch call.kind {
      case DAYBOOK_CALL_OPEN: return creates
      case DAYBOOK_CALL_WRITE, DAYBOOK_CALL_GROW, DAYBOOK_CALL_MAKE_FOLDER: return true
      case DAYBOOK_CALL_RESIZE: return call.offset > size
      case DAYBOOK_CALL_SYNC: return findsOutLate
      default: return false
      }
    }
    switch scope {
    case .everything: return true
    case .syncs: return call.kind == DAYBOOK_CALL_SYNC
    case .changes:
      return call.kind != DAYBOOK_CALL_READ && call.kind != DAYBOOK_CALL_LOOK
        && (call.kind != DAYBOOK_CALL_OPEN || creates)
    }
  }

  var description: String {
    let which =
      switch scope {
      case .everything: "every call"
      case .changes: "what changes something"
      case .syncs: "a sync"
      }
    let place = prefix.isEmpty ? "" : " of \(prefix)…"
    return "after \(wait) calls, \(which)\(place) fails\(isForGood ? " for good" : "") with "
      + (error == ENOSPC ? "a full disk" : "an I/O error")
      + (findsOutLate ? ", which syncs find out" : "")
  }
}
