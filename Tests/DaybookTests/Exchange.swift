import EventCore
import LogEngine

@testable import Daybook

/// Brings what another store holds into this one, as a sync will.
func bring(_ other: Store, into store: Store) async throws {
  let snapshot = other.log.snapshot()
  let known = store.log.vector
  let frames = try snapshot.entries.filter { $0.firstSequence > known[$0.origin] }
    .map { try snapshot.frame(at: $0) }
  try await store.onCommitThread { try $0.receive(frames) }
}
