package import DaybookEventCore
import DaybookFrames
package import DaybookLogEngine

/// One branch of a forked origin: its events from `from` on.
package struct Branch: Sendable {
  package var origin: ReplicaID
  package var from: UInt64

  package init(origin: ReplicaID, from: UInt64) {
    self.origin = origin
    self.from = from
  }
}

extension IdentityFile {
  /// Returns whether this store has written a branch, under its current identity or an earlier one.
  /// - Parameters:
  ///   - branch: the branch in question.
  ///   - current: the number of the last event that the store holds of the branch's origin.
  package func hasWritten(_ branch: Branch, current: UInt64) -> Bool {
    written(as: branch.origin, current: current) >= branch.from
  }
}

/// Rewrites a log without a branch, and reissues the events of that branch under another
/// replica.
package struct LogWithoutBranch {
  private let snapshot: LogSnapshot
  private let branch: Branch

  /// Creates a writer for the log without a branch.
  /// - Parameters:
  ///   - snapshot: a snapshot of the whole log, including this replica's local collections.
  ///   - branch: the branch to leave out.
  package init(_ snapshot: LogSnapshot, _ branch: Branch) {
    self.snapshot = snapshot
    self.branch = branch
  }

  /// Writes the new log and makes it durable.
  /// - Parameters:
  ///   - next: an empty log that is not open anywhere else.
  ///   - renewed: the identity under which the branch is reissued; nil if another replica is its
  ///     author.
  ///   - key: the identity of the store so far, if its key is available. If `renewed` is given, it
  ///     signs a last head for its events.
  ///   - zone: the zone's id, 16 bytes.
  /// - Returns: the number of events that were reissued. Events that this version cannot read are
  ///   not among them.
  /// - Throws: `LogError`, and what reading the old log throws.
  package func write(
    to next: EventLog, as renewed: Identity?, closing key: Identity?, zone: [UInt8]
  ) throws -> UInt64 {
    var reissued: UInt64 = 0
    try next.lock()
    try copy(to: next)
    if let renewed {
      if let key { try close(key, zone, next) }
      let frames = try Reissue(snapshot, branch, renewed).frames()
      for frame in frames.frames { try next.append(frame) }
      reissued = frames.events
    }
    try next.sync()
    next.unlock()
    return reissued
  }

  /// Appends a head for the last event of the store's old identity. Without it, no replica could
  /// receive these events from this log.
  private func close(_ key: Identity, _ zone: [UInt8], _ next: EventLog) throws {
    try next.sync()
    let last = EventID(key.id, next.vector[key.id])
    guard last.sequence > 0, let chain = try next.chain(after: last) else { return }
    try next.append(try Head(zone: zone, sequence: last.sequence, chain: chain, by: key))
  }

  private func copy(to next: EventLog) throws {
    var unsynced = 0
    for entry in snapshot.entries {
      if entry.origin != branch.origin || entry.lastSequence < branch.from {
        try next.append(try snapshot.frame(at: entry))
      } else if entry.firstSequence < branch.from {
        try next.append(try beginning(of: try snapshot.frame(at: entry)))
      } else {
        continue
      }
      unsynced += entry.length
      guard unsynced >= 4 << 20 else { continue }
      unsynced = 0
      try next.sync()
      try next.rollIfNeeded()
    }
    for entry in snapshot.heads
    where entry.event.origin != branch.origin || entry.event.sequence < branch.from {
      try next.append(try snapshot.head(at: entry))
    }
  }

  private func beginning(of frame: Frame) throws -> Frame {
    let first = frame.header.firstSequence
    guard let chain = try snapshot.chain(after: EventID(branch.origin, first - 1)) else {
      throw LogError(.damaged, "the chain before event \(first) of \(branch.origin) is not known")
    }
    return try Frame(
      origin: branch.origin, firstSequence: first,
      events: Array(try frame.events().prefix(Int(branch.from - first))),
      chainBefore: Chain(value: chain))
  }
}
