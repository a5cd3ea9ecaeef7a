public import Replication

/// A zone as a hub serves it, wherever it is kept. ``FolderZones`` keeps zones in folders; a database
/// could.
public protocol HostedZone: Sendable {
  /// Stores what a request brings, durably, and answers it.
  /// - Parameter answerBytes: most bytes of ranges in the answer; a larger range comes alone.
  /// - Throws: ``SyncError`` where the request is at fault; anything else where the zone is, which then
  ///   is closed and opened again.
  func exchange(_ request: SyncRequest, answerBytes: Int) async throws -> ZoneAnswer

  /// What is new since the zone held what `digest` says, for those who listen.
  /// - Parameter bytes: most bytes of ranges.
  /// - Returns: nil where it cannot be told so: they are told that there is something new, and ask.
  func news(since digest: KnowledgeDigest, bytes: Int) async throws -> SyncResponse?

  /// How it stands.
  func status() async throws -> ZoneStatus

  /// Finishes what is under way. Nothing is asked afterwards.
  func close() async throws
}

extension HostedZone {
  public func news(since digest: KnowledgeDigest, bytes: Int) async throws -> SyncResponse? { nil }
}

/// What a zone says to a request.
public struct ZoneAnswer: Sendable {
  public var response: SyncResponse
  /// How the zone stands afterwards.
  public var status: ZoneStatus
  /// How many stamps were given.
  public var stamped: UInt64

  public init(response: SyncResponse, status: ZoneStatus, stamped: UInt64) {
    self.response = response
    self.status = status
    self.stamped = stamped
  }
}

/// How a zone stands.
public struct ZoneStatus: Hashable, Sendable {
  /// Of what it holds.
  public var digest: KnowledgeDigest
  /// Bytes that count towards its limit.
  public var bytes: UInt64
  /// Events that wait for a stamp.
  public var pending: Int
  /// Why the first of them wait, of some origins.
  public var waiting: [WaitingEvents]

  public init(
    digest: KnowledgeDigest, bytes: UInt64, pending: Int, waiting: [WaitingEvents] = []
  ) {
    self.digest = digest
    self.bytes = bytes
    self.pending = pending
    self.waiting = waiting
  }
}

/// Where a hub's zones are.
public protocol ZoneDirectory: Sendable {
  /// Opens a zone; nil where there is none of that name.
  func open(_ name: ZoneName) async throws -> (any HostedZone)?

  /// Makes a zone if there is none of that name.
  /// - Parameter id: of the zone that the asker's store belongs to; nil for a new one.
  func create(_ name: ZoneName, id: ZoneID?) async throws
}
