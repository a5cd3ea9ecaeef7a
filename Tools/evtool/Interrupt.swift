import Foundation
import Synchronization

/// The request to stop the process, by SIGINT or SIGTERM.
enum Interrupt {
  private static let requested = Atomic<Bool>(false)
  /// The pipe end by which the signal handler wakes a thread. The handler itself may do almost
  /// nothing.
  private static let wakes = Atomic<Int32>(-1)

  static var isRequested: Bool { requested.load(ordering: .relaxed) }

  /// Handles signals: the first one requests a stop after the work in progress. A second one has
  /// the system's default effect.
  static func listen() {
    requested.store(false, ordering: .relaxed)
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        Interrupt.requested.store(true, ordering: .relaxed)
        signal(number, SIG_DFL)
      }
    }
  }

  /// Makes the next signal run `cleanUp` and end the process at once.
  static func endAfter(_ cleanUp: @escaping @Sendable () -> Void) {
    var ends: [Int32] = [-1, -1]
    // Without a pipe, signals keep their current effect.
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
