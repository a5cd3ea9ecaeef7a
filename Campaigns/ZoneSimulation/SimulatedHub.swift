import DaybookEngine
import DaybookEventCore
import DaybookHubZone
import DaybookLogEngine
import DaybookPeers
import DaybookReplication
import DaybookSimulation

/// A hub's zone without the files of `Zone`: its log, its identity and its writer.
final class SimulatedHub: ReplicaProcess {
  let log: EventLog
  let responder = SyncResponder(rememberedMax: 3)
  var beforeStoring: (() -> Void)?
  var told = Knowledge()
  let zone: ZoneID
  let writer: ZoneWriter
  let reader: LogReader
  /// Whether the hub before it was lost after a store had been cloned.
  var isSuccessor = false
  /// A branch that it has to give up, because another history was stamped first.
  private(set) var doomed: Branch?

  /// Opens a zone as `Zone.open` does; creates it if the disk has none.
  init(
    _ disk: SimulatedDisk, _ options: EventLog.Options, _ zone: ZoneID, authority: Identity,
    _ clock: SimulatedClock, _ random: RandomBytes
  ) throws {
    self.zone = zone
    var hub = try ZoneIdentity.open(
      in: IdentityOnDisk(storage: SimulatedStorage(disk)), authority: authority, zone: zone,
      randomBytes: random.next)
    let report: RecoveryReport
    (log, report) = try EventLog.open(
      storage: SimulatedStorage(disk), lock: SimulatedLock(disk), options: options)
    guard report.damage.isEmpty else {
      throw ReplicationViolation(.kept, "the hub's log is damaged: \(report)")
    }
    let identity = try hub.keepOrRenew(log, report)
    writer = ZoneWriter(
      log, zone: zone, identity: identity, authority: authority,
      wallMilliseconds: { clock.wallMilliseconds }, renewing: hub.renew)
    reader = LogReader(log)
    try writer.store([])
  }

  var replica: ReplicaID { writer.replica }
  var authority: [UInt8]? { writer.authority }
  var takesGaps: Bool { false }
  var signer: Identity? { writer.identity }

  func close() { try? writer.close() }

  func store(_ ranges: [CheckedRange]) throws {
    beforeStoring?()
    try writer.store(ranges)
  }

  func stampIncomplete(after offer: PeerOffer) throws -> Bool {
    try writer.stampIncomplete(after: offer)
  }

  func settleFork(shownBy ranges: [EventRange]) throws {
    guard let branch = try writer.settleFork(shownBy: ranges, self) else { return }
    guard isSuccessor else {
      // A hub that has stamped all that it held before a store was cloned cannot be shown that
      // another history was stamped first.
      throw ReplicationViolation(
        .kept, "the hub would give up \(branch.origin) from \(branch.from), which it has stamped")
    }
    doomed = branch
  }

  func adopt(_ zone: ZoneID) throws {
    throw SyncError(.wrongZone, "a hub's zone stays what it is")
  }
}
