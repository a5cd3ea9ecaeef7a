import DaybookLocks

/// Hands values to any number of loops. A slow loop gets the newest value only.
package final class Broadcast<Value: Sendable>: Sendable {
  private struct State {
    var next = 0
    var loops: [Int: AsyncStream<Value>.Continuation] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Returns a stream of the values: the current one, and those that are sent from now on.
  ///
  /// The stream of a broadcast that is closed has the current value only.
  /// - Parameter current: returns the current value, after the stream has begun to listen.
  package func values(beginningWith current: () -> Value) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(1))
    let token = state.withLock { state -> Int? in
      guard !state.isClosed else { return nil }
      state.next += 1
      state.loops[state.next] = continuation
      return state.next
    }
    continuation.yield(current())
    guard let token else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.loops[token] = nil }
    }
    return stream
  }

  /// Hands a value to all loops.
  package func send(_ value: Value) {
    for loop in state.withLock({ Array($0.loops.values) }) { loop.yield(value) }
  }

  /// Ends the loops that are there. Others may begin.
  package func endLoops() {
    let loops = state.withLock { state in
      defer { state.loops = [:] }
      return Array(state.loops.values)
    }
    for loop in loops { loop.finish() }
  }

  /// Ends all loops, also those that begin later.
  package func close() {
    state.withLock { $0.isClosed = true }
    endLoops()
  }
}
