package import DaybookEngine
package import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import DaybookProjections
package import DaybookReplication
import GRDB

extension StoreEngine {
  /// What peers need to know about a store.
  package struct SyncFacts: Sendable {
    package var identity: Identity
    package var zone: ZoneID
    package var authority: [UInt8]?
    /// Whether the read model lacks events of the log.
    var isBehind: Bool
  }

  package func syncFacts() throws -> SyncFacts {
    if try identity.known() == nil {
      try log.lock()
      defer { log.unlock() }
      _ = try identity.current()
    }
    return SyncFacts(
      identity: try identity.current(), zone: ZoneID(bytes: identity.file.zone),
      authority: identity.file.authority, isBehind: isBehind)
  }

  /// Takes ranges from a peer. They are durable in the log when the call returns. They are
  /// projected at once unless a rebuild is quicker; ``OpenStore/projectReceived()`` does that
  /// later.
  /// - Throws: `LogError` `privateOrigin` if a range holds events of a private origin, which must
  ///   never be sent. Then nothing is taken. Also what the log and the read model throw.
  package func ingest(_ ranges: [CheckedRange]) throws {
    let frames = ranges.flatMap(\.frames)
    if let frame = frames.first(where: { $0.header.origin.isPrivate }) {
      throw LogError(
        .privateOrigin,
        "events of the private origin \(frame.header.origin) came from elsewhere, "
          + "and are not taken",
        hint: "Local collections never leave their replica: update the software that sent them")
    }
    try log.lock()
    defer { log.unlock() }
    try readModel.writeWithoutTransaction { db in try ingestLocked(ranges, db) }
    moveWriteAheadLog()
    _ = try? log.rollIfNeeded()
  }

  private func ingestLocked(_ ranges: [CheckedRange], _ db: Database) throws {
    let wasBehind = isBehind
    isBehind = true
    var isApplied = false
    do {
      try log.ingest(ranges, as: replica, renew: identity.renew, pin: identity.pin) { frames in
        isApplied = !wasBehind && applyEarly(frames, db)
      }
    } catch {
      if isApplied {
        feed.forgetAppended()
        takeBack(db)
      }
      throw error
    }
    if isApplied {
      try commit(db)
      // The events may have closed a gap, and the log may hold more events beyond it.
      isBehind = projector.wholeVector != log.wholeVector
    }
    if isBehind, !log.isWorthRebuilding(from: projector.wholeVector) { try catchUp(db) }
  }

  /// Limits of what is applied while the disk writes it: the number of frames, and their unpacked
  /// bytes in total. They allow for an edit and its stamp.
  private static let earlyFramesMax = 4
  private static let earlyBytesMax = 64 << 10

  /// Applies appended frames that are not durable yet, in a transaction of the read model. The
  /// caller commits the transaction once the frames are durable.
  /// - Returns: false if nothing was applied. The read model then catches up after the events are
  ///   durable.
  private func applyEarly(_ frames: [Frame], _ db: Database) -> Bool {
    let bytes = frames.reduce(0) { $0 + $1.header.rawLength }
    guard 1...Self.earlyFramesMax ~= frames.count, bytes <= Self.earlyBytesMax,
      followAll(frames, log.wholeVector)
    else { return false }
    do {
      try begin(db) {
        for frame in frames { try feed.hand(appended: frame) { try projector.apply($0) } }
        try projector.save()
        try writePages(db)
      }
      return true
    } catch {
      feed.forgetAppended()
      return false
    }
  }

  /// Returns whether no frame lies beyond a gap.
  private func followAll(_ frames: [Frame], _ vector: VersionVector) -> Bool {
    var vector = vector
    return frames.allSatisfy { frame in
      defer { vector[frame.header.origin] = frame.header.lastSequence }
      return vector[frame.header.origin] + 1 == frame.header.firstSequence
    }
  }
}
