import DaybookEngine
import DaybookEventCore
import DaybookLogEngine
import DaybookReplication

/// A store's side of a series of exchanges with one peer. Only one task may use it at a time; every
/// method may wait for the disk.
final class SyncRun: @unchecked Sendable {
  let replica: StoreReplica
  private var session = SyncSession()
  /// The sizes of batches on the line to the peer; the next run begins with them.
  private(set) var line: LineSizes
  /// The number of requests lost in a row.
  private var losses = 0

  /// The most requests lost in a row. The next loss ends the run.
  private static let lossesMax = 3

  /// Begins a series of exchanges.
  /// - Parameters:
  ///   - store: the store.
  ///   - line: the sizes of batches that the run before has found.
  init(_ store: OpenStore, _ line: LineSizes = LineSizes()) throws {
    replica = try StoreReplica(store)
    self.line = line
  }

  var progress: SyncProgress { session.progress }
  var refusals: [RangeRefusal] { session.refusals.values.sorted { $0.event < $1.event } }
  var peer: ReplicaID? { session.peer }

  /// The events that the peer is known to hold.
  var held: VersionVector { session.held }

  /// Sends a request to the peer.
  /// - Returns: the response; nil if there is none and the sync goes on nevertheless: the peer
  ///   refuses events from this replica, the line broke while a message was on its way, or the
  ///   store has moved to the zone of a folder. The next request takes account of it.
  /// - Throws: ``SyncError``.
  func exchange(_ request: SyncRequest, with peer: some SyncPeer) async throws -> SyncResponse? {
    let refused = session.lastingRefusals
    let began = ContinuousClock.now
    do {
      let response = try await replica.exchange(request, with: peer, refused: refused)
      losses = 0
      line.noteArrived(request, response, in: .now - began)
      return response
    } catch let empty as EmptyZone {
      try replica.move(to: empty.better)
      session = SyncSession()
      return nil
    } catch let error as SyncError {
      switch error.code {
      case .readOnly where !session.isPullOnly: session.peerTakesNothing()
      case .interrupted,
        .tooLarge where !request.ranges.isEmpty && line.up.bytes > BatchSize.least:
        try await lost(request, error, isRemote: peer.isRemote)
      default: throw error
      }
      return nil
    }
  }

  /// Takes note of a request that was lost, or whose response was. Waits before the next one if
  /// several were lost in a row.
  private func lost(
    _ request: SyncRequest, _ error: SyncError, isRemote: Bool
  ) async throws {
    line.noteLost(request)
    session.exchangeWasLost()
    losses += 1
    guard isRemote, losses <= Self.lossesMax else { throw error }
    guard losses > 1 else { return }
    let pause = Duration.milliseconds(25 << (2 * losses)) * Double.random(in: 0.5...1.5)
    try await Task.sleep(for: max(pause, error.retryAfter.map { min($0, .seconds(30)) } ?? .zero))
  }

  /// The number of events that the peer lacks and is not sent, because it accepts none from this
  /// replica.
  var unsent: UInt64 {
    session.isPullOnly ? replica.log.vector.shared.lead(over: session.held) : 0
  }

  /// Marks that the peer may hold new events, so that the next request asks for them.
  func peerHasChanged() { session.peerHasChanged() }

  /// Returns a finding if the peer has lost everything since an earlier sync.
  /// - Parameter acknowledged: the last of this store's events that the peer held then.
  func emptied(since acknowledged: UInt64, findings: [SyncFinding]) -> SyncFinding? {
    defer { session.wasFoundEmpty = false }
    // Files that have not arrived are not gone.
    guard session.wasFoundEmpty, acknowledged > 0, progress.eventsSent > 0,
      !findings.contains(where: { $0.events != nil })
    else { return nil }
    return SyncFinding(
      .emptied, "",
      "the peer was empty, although it held events of this store at the last sync: this store has "
        + "filled it again")
  }

  /// Takes in the peer's response, if there is one, and returns the next request to send; nil if
  /// both hold the same events.
  func next(after response: SyncResponse?, to peer: some SyncPeer) throws -> SyncRequest? {
    let before = replica.changes
    if let response { try session.receive(response, replica) }
    if replica.changes == before { try replica.refresh() }
    session.withheld = peer.selfPublishing.subtracting([replica.replica])
    if peer.isRemote {
      (session.requestBytes, session.answerBytes) = (line.up.bytes, line.down.bytes)
    }
    guard case .send(let request) = try session.next(replica) else { return nil }
    return request
  }

  /// What the peer held when it last reported; nil if it never did.
  var peerDigest: KnowledgeDigest? { session.peerDigest }

  /// Takes in events that the peer has announced without being asked.
  func hear(_ news: [SyncResponse]) throws {
    for news in news { try session.hear(news, replica) }
  }
}

/// The sizes of batches on the line to a peer, in both directions.
struct LineSizes: Sendable {
  private(set) var up = BatchSize()
  private(set) var down = BatchSize()

  mutating func noteArrived(_ request: SyncRequest, _ response: SyncResponse, in time: Duration) {
    up.noteArrived(Self.bytes(request.ranges), in: time)
    down.noteArrived(Self.bytes(response.ranges), in: time)
  }

  /// Records that a request or its response was lost. Nobody knows which of them, so both become
  /// smaller.
  mutating func noteLost(_ request: SyncRequest) {
    if request.ranges.isEmpty {
      down.noteLost(down.bytes)
    } else {
      up.noteLost(Self.bytes(request.ranges))
      down.noteLost(0)
    }
  }

  private static func bytes(_ ranges: [EventRange]) -> Int { ranges.reduce(0) { $0 + $1.size } }
}
