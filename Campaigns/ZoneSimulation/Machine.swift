import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import DaybookPeers
import DaybookReplication
import DaybookSimulation

/// A computer with a disk, a clock, and a store or a hub that runs on it at times.
final class Machine {
  enum Role { case store, hub }

  let number: Int
  let name: String
  let role: Role
  let clock: SimulatedClock
  let options: EventLog.Options
  var disk: SimulatedDisk
  /// The running process; nil while it is down.
  var process: (any ReplicaProcess)?
  /// The read model of a store, which outlives the process.
  var readModel: SimulatedReadModel?
  /// The versions of the sync protocol that its software knows.
  var speaks = SyncProtocol.versions
  /// Its copy of the shared folder; nil if the stores share none.
  var folder: CopiedFolder?
  /// The responder for the folder; it ends with the process.
  var folderResponder: FolderResponder?
  /// The planned fault of its disk.
  var plan: FaultPlan?
  /// Whether a fault was injected since the last repair.
  var mayFail = false
  /// Whether a fault was injected since its process began. The log may have been poisoned then, and
  /// says so only when it is used.
  var mayBePoisoned = false

  /// Number of disk replacements; after each one, earlier events may be gone.
  var disks = 0
  /// Every identity that it has had on this disk.
  var identities: Set<ReplicaID> = []
  /// The durable events when it was last checked.
  var held: [ReplicaID: SequenceRanges] = [:]
  /// Whether some of ``held`` lies beyond a gap.
  var hasGap = false
  /// The part of ``held`` that was compared with the truth since the process began.
  var compared: [ReplicaID: SequenceRanges] = [:]
  var headsCompared: [HeadEntry] = []
  /// The events that it has told others it holds.
  var told: [ReplicaID: SequenceRanges] = [:]
  /// The last event of each private origin that it may hold; nil until the disk is examined.
  ///
  /// These are the events that it wrote itself, and those on its disk when that was put in.
  private(set) var ownLocal: [ReplicaID: UInt64]?
  /// Copies of its disk, without the key.
  var backups: [SimulatedDisk] = []
  /// If its disk was cloned with the key, the copied identity and its last event in the copy.
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

  /// Replaces the disk; the new one is not yet examined.
  func replaceDisk(_ next: SimulatedDisk) {
    disk = next
    disks += 1
    readModel = nil
    plan = nil
    mayFail = false
    mayBePoisoned = false
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

  /// Returns an event of a private origin that must not be here; nil if there is none.
  func strange(_ vector: VersionVector) -> EventID? {
    let local = vector.local.entries
    guard let known = ownLocal else {
      // The disk is new, and no other machine has sent anything to it yet.
      ownLocal = Dictionary(uniqueKeysWithValues: local.map { ($0.origin, $0.sequence) })
      return nil
    }
    return local.first { known[$0.origin] ?? 0 < $0.sequence }.map {
      EventID($0.origin, $0.sequence)
    }
  }

  /// Ends the process and discards its memory.
  func die() {
    if let process { note(process.told) }
    store?.die()
    process = nil
    mayBePoisoned = mayFail
    folderResponder = nil
    compared = [:]
    headsCompared = []
  }

  /// Records what was told to others.
  func note(_ knowledge: Knowledge) {
    for (origin, entry) in knowledge.entries {
      for run in entry.runs { told[origin, default: SequenceRanges()].insert(run.range) }
    }
  }

  /// The events that it can send to others.
  var offered: VersionVector {
    guard let process else { return VersionVector() }
    let known = disk.observing { try? process.reader.knowledge(signer: process.signer?.id) }
    return known?.vector ?? VersionVector()
  }

  /// Whether the log refuses to go on until it is opened again.
  var isPoisoned: Bool {
    guard let log = process?.log else { return false }
    do throws(LogError) {
      try log.lock()
      log.unlock()
      return false
    } catch { return error.code == .poisoned }
  }

  /// Ends all faults, so that the disk and the folder work again.
  func heal() {
    plan = nil
    mayFail = false
    disk.clearFailures()
    disk.setCapacity(nil)
    folder?.heal()
  }
}
