package import EventCore
package import LogEngine

/// One branch of an origin that has two: its events from one on.
package struct Branch: Sendable {
  package var origin: ReplicaID
  package var from: UInt64

  package init(origin: ReplicaID, from: UInt64) {
    self.origin = origin
    self.from = from
  }
}

extension IdentityFile {
  /// Whether a branch is this store's own work, of now or of before it was renewed.
  /// - Parameter current: the last event that the store holds of the branch's origin.
  package func hasWritten(_ branch: Branch, current: UInt64) -> Bool {
    written(as: branch.origin, current: current) >= branch.from
  }
}

/// Writes a log anew without a branch, and what the branch said again, as another replica.
package struct LogWithoutBranch {
  private let snapshot: LogSnapshot
  private let branch: Branch

  /// - Parameter snapshot: whole: this replica's local collections stay with it.
  package init(_ snapshot: LogSnapshot, _ branch: Branch) {
    self.snapshot = snapshot
    self.branch = branch
  }

  /// Writes it, durably.
  /// - Parameters:
  ///   - next: an empty log that nobody else has.
  ///   - renewed: as whom the branch is written again; nil where another replica is its author.
  ///   - key: of the replica that writes it, if it has it: where it is another from now on, it has to say
  ///     its last word.
  ///   - zone: 16 bytes.
  /// - Returns: how many of its events were written again: what this version cannot read is not.
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

  /// A head: without one, nobody could take its events from here.
  private func close(_ key: Identity, _ zone: [UInt8], _ next: EventLog) throws {
    try next.sync()
    let last = EventID(key.id, next.vector[key.id])
    guard last.sequence > 0, let chain = try next.chain(after: last) else { return }
    try next.append(try Head(zone: zone, sequence: last.sequence, chain: chain, by: key))
  }

  private func copy(to next: EventLog) throws {
    var pending = 0
    for entry in snapshot.entries {
      if entry.origin != branch.origin || entry.lastSequence < branch.from {
        try next.append(try snapshot.frame(at: entry))
      } else if entry.firstSequence < branch.from {
        try next.append(try beginning(of: try snapshot.frame(at: entry)))
      } else {
        continue
      }
      pending += entry.length
      guard pending >= 4 << 20 else { continue }
      pending = 0
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
