#if Macros
  import Daybook
  import DaybookLocks

  /// A peer behind a network that can be cut.
  final class Network: SyncPeer {
    private let peer: any SyncPeer
    /// The number of exchanges that still fail; nil for all of them.
    private let failing: Mutex<Int?>

    private let error: SyncError

    let address: String

    /// - Parameters:
    ///   - peer: the peer that is reached while the network is up.
    ///   - failures: the number of exchanges that fail at first; nil for all, until ``restore()``.
    ///   - error: what an exchange that fails throws.
    init(
      to peer: any SyncPeer, failures: Int? = 0,
      error: SyncError = SyncError(
        .unreachable, "the network is down", hint: "Switch it on")
    ) {
      self.peer = peer
      self.error = error
      address = "network:\(peer.address)"
      failing = Mutex(failures)
    }

    /// Makes all exchanges fail.
    func cut() { failing.withLock { $0 = nil } }

    /// Lets exchanges through again.
    func restore() { failing.withLock { $0 = 0 } }

    func exchange(_ request: SyncRequest) async throws -> SyncResponse {
      let isDown = failing.withLock { failing in
        guard let count = failing else { return true }
        failing = max(0, count - 1)
        return count > 0
      }
      if isDown { throw error }
      return try await peer.exchange(request)
    }
  }

  /// A peer that takes a request and never answers it.
  final class SilentPeer: SyncPeer {
    let address = "silent:"
    /// Yields when a request has come.
    let requests: AsyncStream<Void>
    private let asked: AsyncStream<Void>.Continuation

    init() { (requests, asked) = AsyncStream.makeStream() }

    func exchange(_ request: SyncRequest) async throws -> SyncResponse {
      asked.yield()
      // Ends only when the sync is stopped, which cancels the exchange.
      let (answers, continuation) = AsyncStream.makeStream(of: Void.self)
      for await _ in answers {}
      continuation.finish()
      throw SyncError(.unreachable, "there was no answer")
    }
  }

  extension SyncEngine.Options {
    /// Retries at once, and asks only if something has happened.
    static var quick: SyncEngine.Options {
      var options = SyncEngine.Options()
      options.firstRetry = .milliseconds(2)
      options.lastRetry = .milliseconds(10)
      options.interval = .seconds(86_400)
      return options
    }
  }

  extension StoreSync {
    /// Waits for a state that meets a condition, and returns it.
    @discardableResult
    func state(where isMet: (PeerState) -> Bool) async -> PeerState? {
      for await state in states where isMet(state) { return state }
      return nil
    }

    /// Waits until the peer holds an event.
    func waitUntilSent(_ event: EventID) async throws {
      for await _ in states {
        switch try await delivery(of: event) {
        case .sent, .stamped: return
        case .waiting, .local: continue
        }
      }
    }
  }
#endif
