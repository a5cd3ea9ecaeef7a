internal import Daybook
internal import EventCore
internal import LogEngine
internal import Replication
internal import Simulation

/// A computer with a disk, a clock, and a store or a hub that runs on it now and then.
final class Machine {
  enum Role { case store, hub }

  let number: Int
  let name: String
  let role: Role
  let clock: SimulatedClock
  let options: EventLog.Options
  var disk: SimulatedDisk
  /// Nil while it is down.
  var process: (any ReplicaProcess)?
  /// Of a store; outlives the process.
  var readModel: SimulatedReadModel?
  /// The versions of the sync protocol that its software knows.
  var speaks = SyncProtocol.versions
  /// Its copy of the folder that stores share, where they do.
  var folder: FolderCopy?
  /// What answers for the folder; gone with the process.
  var folderResponder: FolderResponder?
  /// What is going to fail on its disk.
  var plan: FaultPlan?
  /// Something has been made to fail since the last time that all was put right.
  var mayFail = false

  /// Rises with each new disk: what was held before may be gone.
  var disks = 0
  /// Every identity that it has had on this disk.
  var identities: Set<ReplicaID> = []
  /// What was durable when it was last looked at.
  var held: [ReplicaID: SequenceRanges] = [:]
  /// Some of that lies beyond a gap.
  var hasGap = false
  /// What of ``held`` was compared with the truth since the process began.
  var compared: [ReplicaID: SequenceRanges] = [:]
  var headsCompared = 0
  /// What it has told others that it holds.
  var told: [ReplicaID: SequenceRanges] = [:]
  /// How far it may hold private origins: what it has written itself, and what was on its disk when that
  /// was put in. Nil until the latter was looked at.
  private(set) var ownLocal: [ReplicaID: UInt64]?
  /// Copies of its disk, without the key.
  var backups: [SimulatedDisk] = []
  /// A copy of another's disk, with the key: how far that one's own events went then.
  var cloned: (identity: ReplicaID, through: UInt64)?

  init(
    _ number: Int, _ name: String, _ role: Role, _ disk: SimulatedDisk, _ clock: SimulatedClock,
    _ options: EventLog.Options
  ) {
    self.number = number
    self.name = name
    self.role = role
    self.disk = disk
    self.clock = clock
    self.options = options
  }

  var store: SimulatedStore? { process as? SimulatedStore }
  var hub: SimulatedHub? { process as? SimulatedHub }

  /// Another disk is put in; what is on it was never looked at.
  func replaceDisk(_ next: SimulatedDisk) {
    disk = next
    disks += 1
    readModel = nil
    plan = nil
    mayFail = false
    identities = []
    held = [:]
    told = [:]
    ownLocal = nil
    cloned = nil
  }

  func wroteLocally(through sequence: UInt64, of origin: ReplicaID) {
    let known = ownLocal?[origin] ?? 0
    ownLocal?[origin] = max(known, sequence)
  }

  /// - Returns: an event of a private origin that has no business here.
  func strange(_ vector: VersionVector) -> EventID? {
    let local = vector.local.entries
    guard let known = ownLocal else {
      // A disk that was just put in: nobody has sent it anything yet.
      ownLocal = Dictionary(uniqueKeysWithValues: local.map { ($0.origin, $0.sequence) })
      return nil
    }
    return local.first { known[$0.origin] ?? 0 < $0.sequence }.map {
      EventID($0.origin, $0.sequence)
    }
  }

  /// The process is gone: what it held in memory, too.
  func die() {
    if let process { note(process.told) }
    store?.readModel.close()
    process = nil
    folderResponder = nil
    compared = [:]
    headsCompared = 0
  }

  /// Remembers what was said to others.
  func note(_ knowledge: Knowledge) {
    for (origin, entry) in knowledge.entries {
      for run in entry.runs { told[origin, default: SequenceRanges()].insert(run.range) }
    }
  }

  /// What it can hand on to others.
  var offered: VersionVector {
    guard let process else { return VersionVector() }
    let known = disk.observing { try? process.reading.knowledge(signer: process.signer?.id) }
    return known?.vector ?? VersionVector()
  }

  /// The log has refused to go on until it is opened again.
  var isPoisoned: Bool {
    guard let log = process?.log else { return false }
    do throws(LogError) {
      try log.lock()
      log.unlock()
      return false
    } catch { return error.code == .poisoned }
  }

  /// The disk does what it should again.
  func heal() {
    plan = nil
    mayFail = false
    disk.clearFailures()
    disk.setCapacity(nil)
    folder?.heal()
  }
}
