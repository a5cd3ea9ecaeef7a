import Foundation

/// The request to stop the process, by SIGINT or SIGTERM.
enum Interrupt {
  private static let requested = SignalCell(0)
  /// The pipe end by which the signal handler wakes a thread. The handler itself may do almost
  /// nothing.
  private static let wakes = SignalCell(-1)
  /// Whether a signal is about to end the process; see ``endAfter(_:)``.
  private static let isEnding = SignalCell(0)

  static var isRequested: Bool { requested.value != 0 }

  /// Handles signals: the first one requests a stop after the work in progress. A second one has
  /// the system's default effect.
  static func listen() {
    requested.value = 0
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        Interrupt.requested.value = 1
        signal(number, SIG_DFL)
        Interrupt.wake()
      }
    }
  }

  /// Requests a stop, from the handler of another signal.
  static func request() {
    requested.value = 1
    wake()
  }

  /// Waits until a stop is requested. To be called after ``listen()``.
  static func wait() async {
    guard let end = makePipe() else {
      while !isRequested { try? await Task.sleep(for: .milliseconds(100)) }
      return
    }
    // A signal that came before there was a pipe has written nothing to it.
    if isRequested { return }
    await withCheckedContinuation { continuation in
      let thread = Thread {
        awaitWake(end)
        continuation.resume()
      }
      thread.start()
    }
  }

  /// Makes the next signal run `cleanUp` and end the process at once.
  static func endAfter(_ cleanUp: @escaping @Sendable () -> Void) {
    // Without a pipe, signals keep their current effect.
    guard let end = makePipe() else { return }
    let thread = Thread {
      awaitWake(end)
      isEnding.value = 1
      cleanUp()
      StandardError.line("evtool: interrupted")
      _exit(ExitStatus.interrupted.rawValue)
    }
    thread.start()
    for number in [SIGINT, SIGTERM] { signal(number) { _ in Interrupt.wake() } }
  }

  /// Waits for the end of the process if a signal is about to end it: what fails meanwhile may fail
  /// because of the clean-up, and is no news.
  static func awaitEnd() {
    while isEnding.value != 0 { sleep(1) }
  }

  // MARK: - The pipe

  /// Makes the pipe by which signals wake a thread. Returns the end to read; nil if there is none.
  private static func makePipe() -> Int32? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    wakes.value = ends[1]
    return ends[0]
  }

  private static func awaitWake(_ end: Int32) {
    var byte: UInt8 = 0
    while read(end, &byte, 1) < 0, errno == EINTR {}
  }

  /// Called by signal handlers.
  private static func wake() {
    var byte: UInt8 = 0
    let end = wakes.value
    if end >= 0 { _ = write(end, &byte, 1) }
  }
}
