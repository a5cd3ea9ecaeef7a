import DaybookLocks

/// The requests in progress, and whether new ones are accepted.
final class RequestsInProgress: Sendable {
  private struct State {
    var count = 0
    var isStopping = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Counts a request as in progress.
  /// - Returns: false if the hub is stopping. After true, the caller must call ``leave()``.
  func enter() -> Bool {
    state.withLock { state in
      guard !state.isStopping else { return false }
      state.count += 1
      return true
    }
  }

  func leave() {
    release { state in
      state.count -= 1
      return state.count == 0
    }
  }

  /// Refuses all requests from here on.
  func stop() { state.withLock { $0.isStopping = true } }

  /// Waits until no request is in progress, or the task is canceled.
  func waitUntilNone() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = state.withLock { state in
          if state.count == 0 || Task.isCancelled { return true }
          state.waiting.append(continuation)
          return false
        }
        if isDone { continuation.resume() }
      }
    } onCancel: {
      release { _ in true }
    }
  }

  private func release(_ isDue: (inout State) -> Bool) {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      guard isDue(&state) else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
