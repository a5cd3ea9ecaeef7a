import DaybookLocks

/// Wakes one waiting task when it is rung, or when a time limit expires. Any task or thread may
/// ring it.
final class Alarm: Sendable {
  private struct State {
    var isRung = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func ring() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.isRung = state.waiter == nil
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Waits until the alarm is rung, the time limit expires, or the task is cancelled. Returns at
  /// once if it was rung since the last wait.
  /// - Parameter time: the time limit; nil for none.
  func wait(atMost time: Duration?) async {
    let timer = time.map { time in
      Task { [self] in
        try await Task.sleep(for: time)
        ring()
      }
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = state.withLock { state -> Bool in
          defer { state.isRung = false }
          guard !state.isRung else { return true }
          state.waiter = continuation
          return false
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      ring()
    }
    timer?.cancel()
  }
}
