package import Daybook
import DaybookEngine
import DaybookEventCore
package import DaybookHubZone
import DaybookLocks
import DaybookReplication
import Foundation
import Logging

/// The zones in the folder of a hub.
package struct FolderZones: ZoneDirectory {
  private let folder: HubFolder
  private let authority: Identity
  private let options: Zone.Options

  /// Reads the hub's authority from the folder.
  /// - Throws: ``HubError`` if the folder is not a hub's folder.
  package init(_ folder: HubFolder, options: Zone.Options) throws {
    self.folder = folder
    authority = try folder.authority()
    self.options = options
  }

  package func open(_ name: ZoneName) async throws -> (any HostedZone)? {
    guard try folder.hasZone(name) else { return nil }
    var options = options
    options.logger[metadataKey: "zone"] = "\(name)"
    return try await Blocking.run { [options] in
      let zone = try Zone.open(
        at: folder.folder(of: name), authority: authority, options: options)
      return FolderZone(zone)
    }
  }

  package func create(_ name: ZoneName, id: ZoneID?) async throws {
    try await Blocking.run {
      do { try folder.createZone(name, id: id) } catch let error as HubError
        where error.code == .exists
      {}
    }
  }
}

/// A zone in a folder. Calls that may wait for the disk run on a thread that may block.
final class FolderZone: HostedZone {
  private let zone: Zone
  private let responder = SyncResponder()
  /// The number of the zone's stamps that were reported.
  private let told = Mutex<UInt64>(0)

  init(_ zone: Zone) { self.zone = zone }

  func exchange(_ request: SyncRequest, answerBytes: Int) async throws -> ZoneAnswer {
    try await Blocking.run { [self] in
      let response = try respond(to: request, answerBytes)
      return ZoneAnswer(
        response: response, status: try currentStatus(), stamped: newlyStamped())
    }
  }

  /// Returns the number of stamps since the last call. With concurrent exchanges, each stamp is
  /// reported once.
  private func newlyStamped() -> UInt64 {
    let count = zone.stampedCount
    return told.withLock { told in
      defer { told = max(told, count) }
      return count > told ? count - told : 0
    }
  }

  /// Answers a request within the zone's room.
  ///
  /// A full zone still sends events. Ranges whose size alone exceeds the room are refused without
  /// decoding.
  private func respond(to request: SyncRequest, _ answerBytes: Int) throws -> SyncResponse {
    guard !request.ranges.isEmpty, var room = try zone.room else {
      return try zone.respond(to: request, responder, answerBytes: answerBytes)
    }
    var taken = request
    taken.ranges = []
    var refusals: [SyncResponse.Refusal] = []
    var refused: Set<ReplicaID> = []
    for range in request.ranges where !refused.contains(range.origin) {
      let isHeld = zone.held(of: range.origin).contiguous >= range.last
      let weight = isHeld ? 0 : max(UInt64(range.size), EventWeight.least(of: range))
      if isHeld || weight <= room && room > 0 {
        room -= weight
        taken.ranges.append(range)
      } else {
        refused.insert(range.origin)
        refusals.append(SyncResponse.Refusal(.full, EventID(range.origin, range.first)))
      }
    }
    var response = try zone.respond(to: taken, responder, answerBytes: answerBytes)
    response.refusals += refusals
    return response
  }

  func status() async throws -> ZoneStatus {
    try await Blocking.run { [self] in try currentStatus() }
  }

  private func currentStatus() throws -> ZoneStatus {
    try zone.steady {
      let knowledge = try zone.knowledge()
      responder.noted(knowledge)
      return ZoneStatus(
        digest: knowledge.digest, bytes: try zone.countedBytes, pending: zone.pendingCount,
        waiting: zone.waiting, forked: zone.forked.count)
    }
  }

  func news(since digest: KnowledgeDigest, bytes: Int) async throws -> SyncResponse? {
    try await Blocking.run { [self] in
      try zone.steady { try responder.news(since: digest, zone, bytes: bytes) }
    }
  }

  func close() async throws { try await Blocking.run { [self] in try zone.close() } }
}
