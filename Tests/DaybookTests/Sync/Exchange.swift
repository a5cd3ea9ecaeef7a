import DaybookFrames
import DaybookLogEngine
import GRDB

@testable import Daybook
@testable import DaybookEngine

/// Brings the events of another store into this one, and none back.
func bring(_ other: Store, into store: Store) async throws {
  let snapshot = other.core.log.snapshot()
  let known = store.core.log.vector
  let frames = try snapshot.entries.filter { $0.firstSequence > known[$0.origin] }
    .map { try snapshot.frame(at: $0) }
  try await store.core.onCommitThread { try $0.receive(frames) }
}

extension StoreEngine {
  /// Takes any frames, unsigned or of later software.
  func receive(_ frames: [Frame]) throws {
    try log.lock()
    defer { log.unlock() }
    for frame in frames { try log.append(frame) }
    try log.sync()
    try readModel.writeWithoutTransaction { db in try catchUp(db) }
  }
}
