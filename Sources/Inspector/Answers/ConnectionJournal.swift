import DaybookEngine
import DaybookEventCore
import DaybookLocks
import Foundation

/// What has happened between the store and its peers since the inspector was started, for the
/// timeline and the picture of latencies.
final class ConnectionJournal: Sendable {
  struct Entry: Sendable {
    /// Milliseconds since 1970.
    var time: Int64
    var address: String
    var phase: PeerState.Phase
    var message: String?
    var cure: String?
  }

  struct Latency: Sendable {
    var time: Int64
    var address: String
    /// The time from the beginning of an exchange to its end, in milliseconds.
    var milliseconds: Int64
    var events: UInt64
  }

  private struct Peer {
    var phase: PeerState.Phase?
    var problem: String?
    /// When an exchange began, and how many events had passed by then.
    var began: (time: Int64, events: UInt64)?
    var failedAt: Int64?
  }

  private struct State {
    var entries: [Entry] = []
    var latencies: [Latency] = []
    var peers: [String: Peer] = [:]
  }

  /// The most entries that are kept; older ones go.
  private static let countMax = 2000
  private let state = Mutex(State())

  /// Notes the states of all peers, after one of them has changed.
  func note(_ states: [PeerState], at now: Int64 = Date.now.milliseconds) {
    state.withLock { state in
      for peer in states { Self.note(peer, now, &state) }
      state.entries.removeFirst(max(0, state.entries.count - Self.countMax))
      state.latencies.removeFirst(max(0, state.latencies.count - Self.countMax))
    }
  }

  private static func note(_ peer: PeerState, _ now: Int64, _ state: inout State) {
    var known = state.peers[peer.address] ?? Peer()
    defer { state.peers[peer.address] = known }
    let events = peer.sent &+ peer.received
    if peer.phase == .syncing, known.began == nil { known.began = (now, events) }
    if peer.phase == .idle, let began = known.began {
      state.latencies.append(
        Latency(
          time: now, address: peer.address, milliseconds: max(0, now - began.time),
          events: events &- min(events, began.events)))
    }
    if peer.phase != .syncing { known.began = nil }
    if peer.phase == .offline || peer.phase == .error {
      if known.phase != peer.phase || known.problem != peer.problem { known.failedAt = now }
    }
    guard peer.phase != known.phase || peer.problem != known.problem else { return }
    (known.phase, known.problem) = (peer.phase, peer.problem)
    // Each exchange begins and ends; only what differs from that is news.
    if peer.phase == .syncing { return }
    let last = state.entries.last { $0.address == peer.address }
    if last?.phase == peer.phase, last?.message == peer.problem { return }
    state.entries.append(
      Entry(
        time: now, address: peer.address, phase: peer.phase, message: peer.problem,
        cure: peer.cure))
  }

  var entries: [Entry] { state.withLock { $0.entries } }
  var latencies: [Latency] { state.withLock { $0.latencies } }

  /// When the current problem of a peer began; nil if there was none since the start.
  func failed(_ address: String) -> Int64? { state.withLock { $0.peers[address]?.failedAt } }
}
