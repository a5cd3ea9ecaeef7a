import Synchronization

/// Writes down how it stands with the peers of an engine: in the background, and once a second at most, as
/// a file's replacement keeps the disk from what is waited for.
final class PeerNotes: Sendable {
  private struct State {
    /// Not written yet, by address; nil where a peer is to be forgotten.
    var waiting: [String: PeerState?] = [:]
    var writer: Task<Void, Never>?
  }

  private let file: PeerFile
  private let state = Mutex(State())

  init(_ file: PeerFile) { self.file = file }

  func note(_ peer: PeerState) { set(peer.address, peer) }

  func forget(_ address: String) { set(address, nil) }

  /// Writes what is waiting, and returns when that is done.
  func finish() async {
    let writer = state.withLock { $0.writer }
    writer?.cancel()
    await writer?.value
  }

  private func set(_ address: String, _ peer: PeerState?) {
    state.withLock { state in
      state.waiting.updateValue(peer, forKey: address)
      guard state.writer == nil else { return }
      state.writer = Task(executorPreference: Blocking.executor) { [self] in
        while let next = take() {
          file.update(next)
          // Over at once where somebody waits for the end.
          try? await Task.sleep(for: .seconds(1))
        }
      }
    }
  }

  /// Nil where nothing is waiting: the next begins another writer.
  private func take() -> [String: PeerState?]? {
    state.withLock { state in
      defer { state.waiting = [:] }
      guard state.waiting.isEmpty else { return state.waiting }
      state.writer = nil
      return nil
    }
  }
}
