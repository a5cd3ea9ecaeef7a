import Synchronization

/// Lets so many through at a time; the others wait in turn, and not too many of them.
final class Gate: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Bool, Never>] = []
  }

  private let state: Mutex<State>
  private let waitingMax: Int

  init(_ count: Int, waitingMax: Int) {
    state = Mutex(State(free: count))
    self.waitingMax = waitingMax
  }

  /// - Returns: nil where too many wait already.
  func pass<T>(_ body: () async throws -> T) async throws -> T? {
    guard await enter() else { return nil }
    defer { leave() }
    return try await body()
  }

  private func enter() async -> Bool {
    await withCheckedContinuation { continuation in
      let verdict: Bool? = state.withLock { state in
        if state.free > 0 {
          state.free -= 1
          return true
        }
        guard state.waiting.count < waitingMax else { return false }
        state.waiting.append(continuation)
        return nil
      }
      if let verdict { continuation.resume(returning: verdict) }
    }
  }

  private func leave() {
    let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume(returning: true)
  }
}

/// The requests that are under way, and whether new ones are let in.
final class Traffic: Sendable {
  private struct State {
    var count = 0
    var isStopping = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// - Returns: false where the hub is stopping; else ``leave()`` is to be called.
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

  /// Lets nobody in from here on.
  func stop() { state.withLock { $0.isStopping = true } }

  /// Waits until nothing is under way, or the task is cancelled.
  func settle() async {
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

/// Bytes of request bodies that are in memory, of all clients together.
final class ByteBudget: Sendable {
  private let free: Mutex<Int>

  init(_ bytes: Int) { free = Mutex(bytes) }

  private func take(_ bytes: Int) -> Bool {
    free.withLock { free in
      guard bytes <= free else { return false }
      free -= bytes
      return true
    }
  }

  private func give(_ bytes: Int) { free.withLock { $0 += bytes } }

  /// What one request holds; given back when it is let go.
  final class Share: Sendable {
    private let budget: ByteBudget
    private let taken = Mutex(0)

    init(_ budget: ByteBudget) { self.budget = budget }

    deinit { budget.give(taken.withLock { $0 }) }

    /// - Returns: whether there was room.
    func grow(by bytes: Int) -> Bool {
      guard budget.take(bytes) else { return false }
      taken.withLock { $0 += bytes }
      return true
    }
  }
}
