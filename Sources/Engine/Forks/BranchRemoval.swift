package import DaybookEventCore
import DaybookFrames
package import DaybookLogEngine
import Foundation

/// Removes one branch of an origin from the log of a store, or of a hub's zone, after a fork, and
/// keeps the old log.
///
/// The log without the branch is written beside the old one, complete and durable. Then the two
/// change places, and the old log moves to `quarantine/`. The file `branch-removal` records that
/// the exchange of the logs has begun; the next opening of the store completes it. Until that file
/// exists, the removal has no effect.
package struct BranchRemoval {
  package struct Outcome {
    /// The folder of the old log, relative to the store's folder.
    package var quarantined: String
    package var removed: UInt64
    /// The new replica under which the branch was reissued; nil if another replica is its author.
    package var renewed: ReplicaID?
    /// The number of events that were reissued. Events that this version cannot read remain only in
    /// the old log.
    package var reissued: UInt64 = 0
  }

  let files: StoreFiles
  let environment: StoreEnvironment

  package init(files: StoreFiles, environment: StoreEnvironment) {
    self.files = files
    self.environment = environment
  }

  /// Removes a branch from the log of a store that no process has open.
  /// - Throws: `LogError` `locked` if the store is open; what copying the log throws.
  package static func remove(_ branch: Branch, of files: StoreFiles) throws -> Outcome {
    try StoreGate.alone(files) {
      let log = try EventLog.reading(files)
      try log.requireWhole()
      let outcome = try BranchRemoval(files: files, environment: .system).run(
        branch, log, try IdentityFile.read(files))
      try log.close()
      try BranchRemoval.finish(files)
      return outcome
    }
  }

  /// Writes the log without the branch and records that the exchange of the logs has begun.
  /// ``finish(_:)`` completes it.
  /// - Parameters:
  ///   - branch: the branch to remove.
  ///   - log: the store's log; no other process has it open, and nothing is written to it
  ///     meanwhile.
  ///   - identity: the store's identity file.
  /// - Throws: `StoreError`, `LogError`, and what copying the log throws.
  package func run(_ branch: Branch, _ log: EventLog, _ identity: IdentityFile) throws -> Outcome {
    // Remove what an interrupted attempt left behind.
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
    outcome.quarantined = try Quarantine(files: files).freeName("fork")
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

  // MARK: - Changing places

  /// Completes a removal that has begun; does nothing if there is none.
  /// - Parameter gate: the gate of the store, which the caller holds shared.
  /// - Throws: `LogError` `locked` if another process has the store open; else as
  ///   ``finish(_:)``.
  package static func finish(_ files: StoreFiles, _ gate: StoreGate) throws {
    guard try DiskPath.exists(files.removal) else { return }
    guard try gate.tryExclude() else {
      throw LogError(.locked, "another process is putting a fork right", hint: "try again")
    }
    try finish(files)
    try gate.share()
  }

  /// Completes a removal that has begun; does nothing if there is none. The caller must hold the
  /// store exclusively and must not have opened any part of it.
  /// - Throws: ``StoreError`` `damaged` if the file `branch-removal` cannot be understood.
  package static func finish(_ files: StoreFiles) throws {
    guard let data = try DiskPath.read(files.removal) else { return }
    let folder = files.path
    let name = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard name.hasPrefix("quarantine/fork-"), !name.contains("..") else {
      throw StoreError(
        .damaged, "the store's file “branch-removal” is damaged",
        hint: "Restore the store from a backup or another store")
    }
    let storage = FileStorage(folder: folder)
    let aside = folder + "/" + name
    try DiskPath.makeFolder(aside)
    // The read model goes first, because it is evidence of what the log has held.
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
      // Sync the destination before the source, so that a crash cannot lose the entry in both.
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
