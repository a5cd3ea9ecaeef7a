import DaybookEventCore
import DaybookLogEngine
import DaybookReplication

/// A store's exchanges with one peer, until both hold the same or the session is given up.
final class Session {
  let number: Int
  let from: Int
  let to: Int
  var session: SyncSession
  var choice: VersionChoice
  /// The exchange whose response it waits for; nil if none.
  var waitsFor: Int?
  var exchanges = 0
  /// Whether a message was spoiled, so that its knowledge of the peer may be wrong.
  var isSpoiled = false
  /// The events that both machines could offer when it began; ``disks`` says on which disks.
  let began: (from: VersionVector, to: VersionVector)
  let disks: (from: Int, to: Int)

  init(
    _ number: Int, from: Machine, to: Machine, batchBytes: Int
  ) {
    self.number = number
    self.from = from.number
    self.to = to.number
    session = SyncSession(batchBytes: batchBytes)
    choice = VersionChoice(known: from.speaks)
    began = (from.offered, to.offered)
    disks = (from.disks, to.disks)
  }
}
