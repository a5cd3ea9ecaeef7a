#if !os(Linux) || DEBUG
  import Foundation
  import DaybookLocks

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// One request of a session and its answer, between the session's delegate and the reader.
  ///
  /// A session has no back-pressure on Linux: it hands over what arrives, and a task that was
  /// suspended sends its request again. So what waits to be read is limited, and beyond that the
  /// exchange fails.
  final class URLSessionExchange: Sendable {
    enum Event: Sendable {
      case head(HubReply)
      case piece(Data)
    }

    /// The most bytes that wait to be read. It is more than any answer of a hub has.
    static let unreadBytesMax = 64 << 20

    private struct State {
      var clock: URLSessionClock
      /// The bytes that wait to be read.
      var unread = 0
      /// Whether the head of the answer has arrived.
      var hasBegun = false
      /// The failure for which the task was cancelled, if it was cancelled here.
      var failure: TransportFailure?
      var isCancelled = false
      var isRedirected = false
      var watch: Task<Void, Never>?
    }

    private let task: URLSessionDataTask
    private let state: Mutex<State>
    private let told: AsyncThrowingStream<Event, any Error>.Continuation

    /// Creates an exchange.
    /// - Parameters:
    ///   - task: The task, which is not running yet.
    ///   - clock: The timeouts.
    ///   - told: Takes the events for the reader. The task is cancelled when the reader goes away.
    init(
      _ task: URLSessionDataTask, _ clock: URLSessionClock,
      telling told: AsyncThrowingStream<Event, any Error>.Continuation
    ) {
      self.task = task
      self.told = told
      state = Mutex(State(clock: clock))
    }

    var identifier: Int { task.taskIdentifier }

    func start() {
      told.onTermination = { [weak self] reason in
        if case .cancelled = reason { self?.cancel(nil) }
      }
      let watch = Task { [weak self] in
        while let next = self?.check() {
          do { try await Task.sleep(until: next, clock: .continuous) } catch { return }
        }
      }
      state.withLock { $0.watch = watch }
      task.resume()
    }

    /// Counts a piece that was read.
    func read(_ piece: Data) { state.withLock { $0.unread -= piece.count } }

    // MARK: - The session

    func sent(_ bytes: Int64) { state.withLock { $0.clock.sent(Int(clamping: bytes)) } }

    func begin(_ response: URLResponse) {
      guard let response = response as? HTTPURLResponse else { return }
      let isFirst = state.withLock { state in
        state.clock.received()
        defer { state.hasBegun = true }
        return !state.hasBegun
      }
      guard isFirst else { return }
      told.yield(
        .head(
          HubReply(status: response.statusCode) { response.value(forHTTPHeaderField: $0) }))
    }

    func take(_ piece: Data) {
      let isTooMuch = state.withLock { state in
        state.clock.received()
        state.unread += piece.count
        return state.unread > Self.unreadBytesMax
      }
      if isTooMuch {
        cancel(TransportFailure(kind: .broken, cause: "more arrives than can be read"))
      } else {
        told.yield(.piece(piece))
      }
    }

    func end(_ response: URLResponse?, _ error: (any Error)?) {
      // Foundation on Linux says nothing of a redirection that leads nowhere until it ends.
      if error == nil, let response { begin(response) }
      let (failure, hasBegun, hasSent) = state.withLock { state in
        state.watch?.cancel()
        return (state.failure, state.hasBegun, state.clock.isConnected)
      }
      if let failure {
        told.finish(throwing: failure)
      } else if let error {
        told.finish(
          throwing: (error as? URLError)?.code == .cancelled
            ? CancellationError()
            : TransportFailure(error, of: task, hasBegun: hasBegun, hasSent: hasSent))
      } else {
        told.finish()
      }
    }

    /// Returns whether the task is still running, which then ends with a redirection.
    func isRedirected() -> Bool {
      state.withLock { state in
        guard !state.isCancelled else { return false }
        state.isRedirected = true
        return true
      }
    }

    // MARK: - The end

    private func cancel(_ failure: TransportFailure?) {
      let isFirst = state.withLock { state in
        guard !state.isCancelled, !state.isRedirected else { return false }
        state.isCancelled = true
        state.failure = failure
        return true
      }
      if isFirst { task.cancel() }
    }

    /// Ends the exchange if its time is over.
    /// - Returns: When to look again; nil if it is over.
    private func check() -> ContinuousClock.Instant? {
      let clock = state.withLock(\.clock)
      let now = ContinuousClock.now
      if now < clock.end { return clock.nextCheck(after: now) }
      cancel(clock.failure)
      return nil
    }
  }
#endif
