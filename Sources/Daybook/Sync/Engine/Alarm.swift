import Synchronization

/// Wakes one waiting task, for one of several reasons or when a time limit expires. Any task or
/// thread may ring it.
final class Alarm: Sendable {
  enum Reason: Hashable, Sendable { case local, remote, news, now, stop }

  private struct State {
    var rung: Set<Reason> = []
    var waiter: (reasons: Set<Reason>, continuation: CheckedContinuation<Void, Never>)?
  }

  private let state = Mutex(State())

  func ring(_ reason: Reason) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.rung.insert(reason)
      guard let waiter = state.waiter, waiter.reasons.contains(reason) else { return nil }
      state.waiter = nil
      return waiter.continuation
    }
    waiter?.resume()
  }

  /// Waits until one of `reasons` is rung, the time limit expires, or the task is cancelled.
  /// Returns at once if one of them was rung since the last wait.
  /// - Parameters:
  ///   - reasons: the reasons to wake for.
  ///   - time: the time limit.
  /// - Returns: all reasons that were rung, including those not waited for. They are cleared.
  func wait(for reasons: Set<Reason>, atMost time: Duration) async -> Set<Reason> {
    let reasons = reasons.union([.stop])
    let timer = Task { [self] in
      try await Task.sleep(for: time)
      expire()
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = state.withLock { state -> Bool in
          guard state.rung.isDisjoint(with: reasons) else { return true }
          state.waiter = (reasons, continuation)
          return false
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      ring(.stop)
    }
    timer.cancel()
    return state.withLock { state in
      defer { state.rung = state.rung.intersection([.stop]) }
      return state.rung
    }
  }

  private func expire() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      defer { state.waiter = nil }
      return state.waiter?.continuation
    }
    waiter?.resume()
  }
}
