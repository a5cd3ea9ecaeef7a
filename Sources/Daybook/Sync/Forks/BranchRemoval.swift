import EventCore
import Foundation
import LogEngine

/// Takes one branch of an origin out of a store's log, after a fork, and keeps it aside.
///
/// The log without it is made beside the old one, whole and durable; then the two change places, and
/// the old log stays in `quarantine/`. The file `branch-removal` says that the change has begun:
/// whoever opens the store then finishes it. Before it is there, nothing has happened.
struct BranchRemoval {
  struct Outcome {
    /// Where the old log is, relative to the store's folder.
    var quarantined: String
    var removed: UInt64
    /// As whom the branch was written again; nil where another replica is its author.
    var renewed: ReplicaID?
    /// How much of it: what cannot be read by this version is kept aside only.
    var reissued: UInt64 = 0
  }

  let files: StoreFiles
  let environment: StoreEnvironment

  /// - Parameter log: the store's; nobody else has it open.
  func run(_ branch: Branch, _ log: EventLog, _ identity: IdentityFile) throws -> Outcome {
    // What an attempt left that was cut off before it counted.
    if try DiskPath.exists(files.nextLog) {
      try FileManager.default.removeItem(atPath: files.nextLog)
    }
    try DiskPath.makeFolder(files.nextLog)
    let snapshot = log.snapshot().whole
    let isOwn = identity.hasWritten(branch, current: snapshot.vector[branch.origin])
    let renewed = isOwn ? try Identity(seed: environment.randomBytes(32)) : nil
    let key = try identity.identity(files)
    var outcome = Outcome(
      quarantined: "", removed: snapshot.vector[branch.origin] - (branch.from - 1),
      renewed: renewed?.id)
    let next = try openNext()
    outcome.reissued = try LogWithoutBranch(snapshot, branch).write(
      to: next, as: renewed, closing: key, zone: identity.zone)
    let written = next.vector[identity.replica]
    try next.close()
    if let renewed {
      let file = identity.renewed(as: renewed, through: key == nil ? 0 : written)
      try DurableFile.write(
        Hex.encode(renewed.seed) + "\n", to: files.nextLog + "/identity.key", mode: 0o600)
      try DurableFile.write(file.text, to: files.nextLog + "/identity", mode: 0o644)
    }
    outcome.quarantined = try quarantine(branch)
    try DurableFile.write(outcome.quarantined + "\n", to: files.removal, mode: 0o644)
    return outcome
  }

  private func openNext() throws -> EventLog {
    let environment = environment
    return try EventLog.open(
      storage: FileStorage(folder: files.nextLog), lock: CommitLock(folder: files.nextLog),
      options: EventLog.Options(random: {
        environment.randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) }
      })
    ).log
  }

  private func quarantine(_ branch: Branch) throws -> String {
    try DiskPath.makeFolder(files.quarantine)
    var number = 1
    while try DiskPath.exists("\(files.quarantine)/fork-\(number)") { number += 1 }
    return "quarantine/fork-\(number)"
  }

  // MARK: - Changing places

  /// Finishes a removal that has begun; does nothing where none has. To be called by one who has the
  /// store alone, before anything of it is opened.
  static func finish(_ files: StoreFiles) throws {
    guard let data = try DiskPath.read(files.removal) else { return }
    let folder = files.path
    let name = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard name.hasPrefix("quarantine/fork-"), !name.contains("..") else {
      throw StoreError(
        .damaged, "the store's file “branch-removal” is damaged",
        hint: "Restore the store from a backup or another replica")
    }
    let storage = FileStorage(folder: folder)
    let aside = folder + "/" + name
    try DiskPath.makeFolder(aside)
    // The read model goes first: it is evidence for what the log has held.
    try StoreFiles.removeReadModel(files.readModel)
    try storage.syncFolder("")
    func move(_ from: String, _ to: String) throws {
      guard try DiskPath.exists(from),
        try !DiskPath.exists(to) || (to as NSString).lastPathComponent.hasPrefix("identity")
      else { return }
      try DiskPath.move(from, to: to)
    }
    if try DiskPath.exists(files.nextLog + "/log") {
      try move(files.log, aside + "/log")
      // First where it is now, then where it was: never in neither.
      try storage.syncFolder(name)
      try storage.syncFolder("")
      try move(files.nextLog + "/log", files.log)
    }
    try move(files.nextLog + "/identity.key", files.key)
    try move(files.nextLog + "/identity", files.identity)
    try storage.syncFolder("")
    try? FileManager.default.removeItem(atPath: files.nextLog)
    try DiskPath.remove(files.removal)
    try storage.syncFolder("")
  }
}
