import Daybook
import DaybookLocks
import DaybookPeers
import DaybookReplication
import Foundation

/// A shared folder as a peer from which a store takes a little at first, and then more.
///
/// A store that lacks much begins with small answers, which grow. Between two exchanges, the lists
/// are made to show what has come, if it doubles what is shown or a second has passed. So the first
/// notes are there at once, and all lists together cost little more than one at the end.
final class GradualPeer: JudgedPeer, LiveSyncPeer {
  private struct State {
    var answerBytes = GradualPeer.firstBytes
    /// The number of events that have come since the sync began.
    var received: UInt64 = 0
    /// The number of them when the lists last showed all.
    var shown: UInt64 = 0
    var lastShown = ContinuousClock.now
    var onExchange: (@Sendable ([String]) -> Void)?
  }

  private static let firstBytes = 64 << 10
  /// How much larger each answer may be than the one before.
  private static let growth = 4
  private static let interval = Duration.seconds(1)

  private let folder: FolderPeer
  private let store: Store
  private let state = Mutex(State())

  init(_ folder: FolderPeer, _ store: Store) {
    self.folder = folder
    self.store = store
  }

  /// Sets what is called after each exchange, with the placeholders in the folder.
  func onExchange(_ body: @escaping @Sendable ([String]) -> Void) {
    state.withLock { $0.onExchange = body }
  }

  var address: String { folder.address }
  var selfPublishing: Set<ReplicaID> { folder.selfPublishing }
  var findings: [SyncReport.Finding] { folder.findings }
  var isRemote: Bool { folder.isRemote }
  var received: UInt64 { state.withLock { $0.received } }
  var missing: UInt64 { folder.eventsMissing(in: store.core) }

  func changes() -> AsyncThrowingStream<PeerChange, any Error> { folder.changes() }

  func exchange(_ request: SyncRequest) async throws -> SyncResponse {
    try await exchange(request) { try await folder.exchange($0) }
  }

  func exchange(_ request: SyncRequest, judge: HistoryJudge) async throws -> SyncResponse {
    try await exchange(request) { try await folder.exchange($0, judge: judge) }
  }

  private func exchange(
    _ request: SyncRequest, _ send: (SyncRequest) async throws -> SyncResponse
  ) async throws -> SyncResponse {
    try await showReceived()
    var request = request
    request.answerBytes = min(request.answerBytes, state.withLock { $0.answerBytes })
    let response = try await send(request)
    let count = response.ranges.reduce(0) { $0 + UInt64($1.count) }
    let report = state.withLock { state in
      state.received += count
      state.answerBytes =
        count == 0 ? Self.firstBytes : min(Self.growth * state.answerBytes, SyncProtocol.batchBytes)
      return state.onExchange
    }
    report?(folder.findings.filter { $0.code == .placeholder }.map(\.path))
    return response
  }

  /// Makes the lists show what has come, if it is time.
  private func showReceived() async throws {
    let now = ContinuousClock.now
    let isTime = state.withLock { state in
      let new = state.received - state.shown
      guard new > 0, new >= state.shown || now - state.lastShown >= Self.interval else {
        return false
      }
      return true
    }
    guard isTime else { return }
    let received = received
    try await store.core.projectReceived()
    state.withLock { state in
      state.shown = received
      state.lastShown = .now
    }
  }
}
