package import DaybookReplication

/// A zone as a hub serves it, independent of its storage. ``FolderZones`` keeps zones in folders; a
/// database could.
package protocol HostedZone: Sendable {
  /// Stores the ranges of a request durably, and returns the answer.
  /// - Parameter answerBytes: The most bytes of ranges in the answer. A larger range comes alone.
  /// - Throws: ``SyncError`` if the request is at fault. After any other error, the zone is closed
  ///   and reopened.
  func exchange(_ request: SyncRequest, answerBytes: Int) async throws -> ZoneAnswer

  /// Returns what is new since the zone held what `digest` describes, for listeners.
  /// - Parameter bytes: The most bytes of ranges.
  /// - Returns: nil if the news is unknown or too large. Listeners are then told to ask.
  func news(since digest: KnowledgeDigest, bytes: Int) async throws -> SyncResponse?

  /// Returns the zone's status.
  func status() async throws -> ZoneStatus

  /// Finishes what is in progress, and closes the zone. No calls follow.
  func close() async throws
}

extension HostedZone {
  package func news(since digest: KnowledgeDigest, bytes: Int) async throws -> SyncResponse? { nil }
}

/// The answer of a zone to a request.
package struct ZoneAnswer: Sendable {
  package var response: SyncResponse
  /// The zone's status after the exchange.
  package var status: ZoneStatus
  /// The number of new stamps.
  package var stamped: UInt64

  package init(response: SyncResponse, status: ZoneStatus, stamped: UInt64) {
    self.response = response
    self.status = status
    self.stamped = stamped
  }
}

/// The status of a zone.
package struct ZoneStatus: Hashable, Sendable {
  /// The digest of what the zone holds.
  package var digest: KnowledgeDigest
  /// The bytes that count towards the zone's limit.
  package var bytes: UInt64
  /// The number of events that wait for a stamp.
  package var pending: Int
  /// The first waiting events of some origins, with the reason.
  package var waiting: [WaitingEvents]
  /// The number of origins of which a peer holds another history, so that their events cannot pass.
  package var forked: Int

  package init(
    digest: KnowledgeDigest, bytes: UInt64, pending: Int, waiting: [WaitingEvents] = [],
    forked: Int = 0
  ) {
    self.digest = digest
    self.bytes = bytes
    self.pending = pending
    self.waiting = waiting
    self.forked = forked
  }
}

/// The directory of a hub's zones.
package protocol ZoneDirectory: Sendable {
  /// Opens a zone; nil if there is no zone of that name.
  func open(_ name: ZoneName) async throws -> (any HostedZone)?

  /// Creates a zone, unless there is one of that name.
  /// - Parameter id: The zone that the requester's store belongs to; nil for a new identifier.
  func create(_ name: ZoneName, id: ZoneID?) async throws
}
