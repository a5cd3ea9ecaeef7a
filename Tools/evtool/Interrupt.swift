import Foundation
import Synchronization

/// Whether someone asked to stop (SIGINT, SIGTERM).
enum Interrupt {
  private static let requested = Atomic<Bool>(false)
  /// Where the signal handler, which may do next to nothing, wakes the thread that may do more.
  private static let wakes = Atomic<Int32>(-1)

  static var isRequested: Bool { requested.load(ordering: .relaxed) }

  /// The first time asks politely: what is under way is finished. The second time is the system's
  /// own way.
  static func listen() {
    requested.store(false, ordering: .relaxed)
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        Interrupt.requested.store(true, ordering: .relaxed)
        signal(number, SIG_DFL)
      }
    }
  }

  /// From now on, being asked to stop runs `cleanUp` and ends the process at once.
  static func endAfter(_ cleanUp: @escaping @Sendable () -> Void) {
    var ends: [Int32] = [-1, -1]
    // Without a pipe the system's own way has to do.
    guard pipe(&ends) == 0 else { return }
    let waits = ends[0]
    wakes.store(ends[1], ordering: .relaxed)
    let thread = Thread {
      var byte: UInt8 = 0
      while read(waits, &byte, 1) < 0, errno == EINTR {}
      cleanUp()
      StandardError.line("evtool: interrupted")
      _exit(ExitStatus.interrupted.rawValue)
    }
    thread.start()
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        var byte: UInt8 = 0
        _ = write(Interrupt.wakes.load(ordering: .relaxed), &byte, 1)
      }
    }
  }
}
