import Daybook
import DaybookEngine
import DaybookHubZone
import DaybookPeers
import DaybookReplication

/// A zone of this hub as the peer of its inspector's store, which exchanges with it as any client
/// does, without HTTP.
struct InspectedZone: LiveSyncPeer {
  /// How long the inspector waits between two looks at a zone that goes on changing. People see no
  /// difference, and the hub's other clients come first.
  private static let pause = Duration.milliseconds(200)

  let zone: ZoneName
  let pool: ZonePool
  let gate: Gate
  let answerBytes: Int

  var address: String { "zone \(zone)" }
  var isRemote: Bool { false }

  func exchange(_ request: SyncRequest) async throws -> SyncResponse {
    do {
      let exchanged = try await gate.pass(owner: address, bytes: 0) { [self] in
        try await pool.use(zone) { hosted, feed in
          let answer = try await hosted.exchange(request, answerBytes: answerBytes)
          // Clients that listen ask for what is new.
          feed.publish(answer.status.digest) { _ in nil }
          return answer.response
        }
      }
      guard let exchanged else { throw SyncError(.unavailable, "the hub has too much to do") }
      guard let response = exchanged else {
        throw SyncError(.unavailable, "the hub has no zone \(zone)")
      }
      return response
    } catch let error as SyncError { throw error } catch {
      throw SyncError(.unavailable, "the zone cannot be used now")
    }
  }

  func changes() -> AsyncThrowingStream<PeerChange, any Error> {
    let (stream, continuation) = AsyncThrowingStream<PeerChange, any Error>.makeStream()
    let task = Task {
      do {
        try await listen { continuation.yield($0) }
        continuation.finish()
      } catch { continuation.finish(throwing: error) }
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  private func listen(_ tell: (PeerChange) -> Void) async throws {
    let (feed, id, wakes, start) = try await pool.startListening(zone, ZoneNews.Wish())
    do {
      let digest = try await pool.use(zone) { hosted, feed in
        let status = try await hosted.status()
        feed.begin(status.digest)
        return status.digest
      }
      var place = start
      place.digest = digest
      tell(.changed(digest))
      for await _ in wakes {
        switch feed.telling(&place) {
        case .nothing, .own: continue
        case .changed(let digest): tell(.changed(digest))
        case .news: tell(.changed(nil))
        }
        try await Task.sleep(for: Self.pause)
      }
    } catch {
      await pool.stopListening(zone, id)
      throw error
    }
    await pool.stopListening(zone, id)
  }
}
