internal import EventCore
internal import LogEngine
internal import Replication

/// One side's exchanges with one peer, until both hold the same or it is given up.
final class Session {
  let number: Int
  let from: Int
  let to: Int
  var session: SyncSession
  var choice: VersionChoice
  /// The exchange whose answer it waits for.
  var waitsFor: Int?
  var exchanges = 0
  /// Messages were spoiled, so what it believes may be wrong.
  var isSpoiled = false
  /// What both could offer when it began, and on which disks.
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
