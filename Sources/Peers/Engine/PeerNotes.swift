import DaybookEngine
import DaybookEventCore
import DaybookLocks

/// Records the states of an engine's peers in the background, at most once a second. Replacing the
/// file more often would compete with more urgent disk writes.
final class PeerNotes: Sendable {
  private struct State {
    /// States that are not written yet, by address; a nil value deletes the peer.
    var waiting: [String: PeerState?] = [:]
    var writer: Task<Void, Never>?
  }

  private let file: PeerFile
  private let state = Mutex(State())

  init(_ file: PeerFile) { self.file = file }

  /// Returns what was last recorded about a peer; nil if nothing is.
  func known(_ address: String) -> PeerState? {
    ((try? file.read()) ?? []).first { $0.address.isSame(as: address) }
  }

  func note(_ peer: PeerState) { set(peer.address, peer) }

  func forget(_ address: String) { set(address, nil) }

  /// Writes the waiting states, and returns when they are written.
  func finish() async {
    let writer = state.withLock { $0.writer }
    writer?.cancel()
    await writer?.value
  }

  private func set(_ address: String, _ peer: PeerState?) {
    state.withLock { state in
      state.waiting.updateValue(peer, forKey: address)
      guard state.writer == nil else { return }
      state.writer = Blocking.task { [self] in
        while let next = take() {
          file.update(next)
          // Cancellation ends this pause early.
          try? await Task.sleep(for: .seconds(1))
        }
      }
    }
  }

  /// Takes the waiting states. Returns nil if there are none; then the writer ends, and the next
  /// note starts another.
  private func take() -> [String: PeerState?]? {
    state.withLock { state in
      defer { state.waiting = [:] }
      guard state.waiting.isEmpty else { return state.waiting }
      state.writer = nil
      return nil
    }
  }
}
