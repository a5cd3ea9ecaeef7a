import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import DaybookProjections
package import Foundation

/// Repairs a store from its own sound parts and from other copies.
package struct StoreRepair {
  private let files: StoreFiles
  private let sources: [URL]
  private let acceptsLoss: Bool
  private let isDryRun: Bool
  private var options: EngineOptions
  private let environment: StoreEnvironment
  private var report = RepairReport()
  private var hasTornTail = false
  /// The new contents of the file “identity”, if it must be written again, and how they were
  /// obtained.
  private var madeIdentity: (file: IdentityFile, words: String)?

  package init(
    _ url: URL, sources: [URL], acceptsLoss: Bool, isDryRun: Bool, options: EngineOptions,
    environment: StoreEnvironment = .system
  ) {
    files = StoreFiles(folder: url)
    self.sources = sources
    self.acceptsLoss = acceptsLoss
    self.isDryRun = isDryRun
    self.options = options
    self.options.isReadOnly = false
    self.environment = environment
  }

  package mutating func run(_ progress: @escaping @Sendable (UInt64, UInt64) -> Void) throws
    -> RepairReport
  {
    // If nothing of a store exists, throw before any file is created.
    if try !files.exists, try !hasLog { _ = try IdentityFile.read(files) }
    let gate = StoreGate(files)
    guard try gate.tryExclude() else {
      throw LogError(
        .locked, "another process has the store open",
        hint: "close it there, and try again")
    }
    defer { gate.release() }
    let copies = try sources.map { try Self.source($0) }
    let identity = try soundIdentity(copies)
    let isLogMended = try mendLog(identity, copies, progress)
    let before = try verification(progress)
    take(before)
    if isDryRun, hasTornTail {
      report.actions.append("the torn tail, which was never acknowledged, would be cut off")
    }
    if isDryRun { report.isSound = before?.isSound == true && report.findings.isEmpty }
    guard isLogMended, !isDryRun else { return report }
    guard before?.isSound != true else {
      // A sound store may still have a torn tail, or a read model that is behind.
      if hasTornTail || report.isDone || before?.notes.isEmpty == false {
        try open(rebuilds: false, gate)
      }
      if hasTornTail {
        report.actions.append("the torn tail, which was never acknowledged, was cut off")
        report.isDone = true
      }
      report.isSound = true
      return report
    }
    report.isDone = true
    var mustRebuild = false
    do { try open(rebuilds: false, gate) } catch let error as ProjectionError {
      // Catching up with the log met damage in the read model.
      guard error.code == .damagedReadModel else { throw error }
      mustRebuild = true
    }
    var after = try StoreVerifier(folder: files.folder).run(progress: progress)
    let isRight = after.readModelFindings.isEmpty && after.difference == nil
    if after.log.isSound, mustRebuild || !isRight {
      try open(rebuilds: true, gate)
      report.actions.append("the read model was made again from the log")
      after = try StoreVerifier(folder: files.folder).run(progress: progress)
    }
    report.isSound = after.log.isSound && after.readModelFindings.isEmpty && after.difference == nil
    return report
  }

  /// Verifies the store. Returns nil if its identity cannot be read, which happens in a dry run
  /// that leaves it unrepaired.
  private func verification(_ progress: @escaping @Sendable (UInt64, UInt64) -> Void) throws
    -> StoreVerification?
  {
    do { return try StoreVerifier(folder: files.folder).run(progress: progress) } catch let error
      as StoreError where error.code == .damaged || error.code == .notAStore
    { return nil }
  }

  /// Adds the findings of a verification that are not in the report yet.
  private mutating func take(_ found: StoreVerification?) {
    guard let found else { return }
    var words = found.log.findings.map(\.description) + found.fileFindings
    words += found.readModelFindings
    if let difference = found.difference { words.append("\(difference)") }
    for word in words where !report.findings.contains(word) { report.findings.append(word) }
    guard isDryRun || !report.isDone, found.log.isSound else { return }
    if !found.readModelFindings.isEmpty || found.difference != nil, isDryRun {
      report.actions.append("the read model would be made again from the log")
    }
  }

  // MARK: - Identity

  /// Returns the store's identity. If its file cannot be read, the identity is derived from the
  /// key, or else taken from a copy of the same replica.
  private mutating func soundIdentity(_ copies: [Copy]) throws -> IdentityFile {
    let read = Result { try IdentityFile.read(files) }
    if case .success(let identity) = read { return identity }
    guard case .failure(let error as StoreError) = read,
      try error.code == .damaged || error.code == .notAStore && hasLog
    else { return try read.get() }
    // The key has no checksum, so it is checked against the read model if there is one.
    let shown = try peek()
    func copy(of replica: ReplicaID?) -> IdentityFile? {
      copies.lazy.compactMap(\.identity).first { $0.replica == replica }
    }
    // A copy of the same replica also knows the zone.
    let key = try identityOfKey().map { copy(of: $0.replica) ?? $0 }
    let isProven = key.map { $0.replica == shown?.replica || shown?.vector[$0.replica] ?? 0 > 0 }
    guard let made = isProven == true ? key : copy(of: shown?.replica) ?? key else {
      return try read.get()
    }
    report.findings.append(error.message)
    let origin = made.replica == key?.replica ? "the key" : "a copy"
    madeIdentity = (made, "made again from \(origin)")
    if isDryRun {
      report.actions.append("the file “identity” would be made again from \(origin)")
    }
    return made
  }

  private func identityOfKey() throws -> IdentityFile? {
    guard let data = try DiskPath.read(files.key),
      let text = String(utf8: data),
      let seed = Hex.decode(text.trimmingCharacters(in: .whitespacesAndNewlines)),
      let key = try? Identity(seed: seed)
    else { return nil }
    return IdentityFile(key)
  }

  /// Writes the recovered identity, if there is one. Called only after it is certain that the
  /// repair goes ahead.
  private mutating func mendIdentity() throws {
    guard let (file, words) = madeIdentity, !isDryRun else { return }
    // As far as is known, this key belongs to another replica. Keep it, because it would be
    // overwritten.
    if let key = try identityOfKey(), key.replica != file.replica {
      report.quarantined.append(try quarantine.setAside(files.key, as: "identity.key"))
    }
    if try files.exists {
      report.quarantined.append(try quarantine.setAside(files.identity, as: "identity"))
    }
    try DurableFile.write(file.text, to: files.identity, mode: 0o644)
    report.actions.append("the file “identity” was \(words)")
    report.isDone = true
    madeIdentity = nil
  }

  /// Returns what the read model shows. A dry run needs no right to write for that.
  private func peek() throws -> ReadModelFile.Peek? {
    try isDryRun
      ? ReadModelFile.peekReading(files.readModel, source: NoEvents())
      : ReadModelFile.peek(files.readModel, source: NoEvents())
  }

  private var quarantine: Quarantine { Quarantine(files: files) }

  private var hasLog: Bool {
    get throws(StoreError) { try DiskPath.exists(files.log) }
  }

  // MARK: - Log

  /// Repairs the log.
  /// - Returns: whether the log is usable now; false for a dry run that found damage, or if events
  ///   would be lost without consent.
  private mutating func mendLog(
    _ identity: IdentityFile, _ copies: [Copy], _ progress: (UInt64, UInt64) -> Void
  ) throws -> Bool {
    let lock = CommitLock(folder: files.path, isReadOnly: isDryRun)
    try lock.lock(timeout: options.lockTimeout)
    defer { lock.unlock() }
    let found = try peek()
    let own = found?.replica == identity.replica ? found : nil
    let environment = environment
    var repair = try LogRepair.inspect(
      storage: FileStorage(folder: files.folder.path(percentEncoded: false)), lock: lock,
      evidence: .init(
        replica: identity.replica, applied: own?.vector ?? VersionVector(),
        chains: own?.chains ?? [:]),
      random: { environment.randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) } },
      progress: progress)
    hasTornTail = repair.hasTornTail
    report.findings += repair.findings.map(\.description)
    for copy in copies {
      try repair.fill(from: copy.snapshot, isOwn: copy.replica == identity.replica)
    }
    report.fetched = repair.fetched
    report.lost = repair.lost
    guard repair.isNeeded else {
      try mendIdentity()
      return true
    }
    report.mayHaveLostMore = repair.mayHaveLostMore
    report.takesNewIdentity = repair.mustRenewIdentity
    // If no segment has to be rewritten, the loss was accepted by an earlier repair and needs no
    // new consent.
    let isAllowed = repair.losesNothing || acceptsLoss || repair.segments.isEmpty
    guard isAllowed, !isDryRun else {
      describe(repair, isDone: false)
      return false
    }
    try mendIdentity()
    // Set the key aside first. After a crash, the log could otherwise lack events whose numbers the
    // replica would use again. Without a key, the store takes a new identity with its next write.
    if repair.mustRenewIdentity, try DiskPath.exists(files.key) {
      report.quarantined.append(try quarantine.setAside(files.key, as: "identity.key"))
    }
    report.quarantined += try repair.apply()
    report.isDone = true
    describe(repair, isDone: true)
    if let own, !repair.holds(own.vector), try DiskPath.exists(files.readModel) {
      let path = try quarantine.setReadModelAside()
      report.quarantined.append("quarantine/\((path as NSString).lastPathComponent)")
      report.actions.append(
        "the read model, which shows what the log has lost, was set aside, to be made again")
    }
    return true
  }

  private mutating func describe(_ repair: LogRepair, isDone: Bool) {
    let numbers = repair.segments.map(String.init).joined(separator: ", ")
    let which = repair.segments.count == 1 ? "segment \(numbers)" : "segments \(numbers)"
    let verb = isDone ? (repair.segments.count == 1 ? "was" : "were") : "would be"
    if !repair.segments.isEmpty {
      report.actions.append(
        "\(which) of the log \(verb) written anew from what is sound, after a copy to quarantine")
    }
    if repair.fetched > 0 {
      let verb = isDone ? (repair.fetched == 1 ? "was" : "were") : "would be"
      let what = repair.fetched == 1 ? "event" : "events"
      report.actions.append("\(repair.fetched) \(what) \(verb) fetched, on this store's chain")
    }
    for events in repair.lost {
      report.actions.append("\(events) \(isDone ? "are" : "would be") lost")
    }
    if repair.mayHaveLostMore {
      report.actions.append(
        "it is not known what else was in \(which): more events may be lost")
    }
    if repair.mustRenewIdentity {
      report.actions.append(
        "the store \(isDone ? "takes" : "would take") a new identity with its next write, since "
          + "events of its own may be lost")
    }
  }

  /// The log in another folder.
  private struct Copy {
    var snapshot: LogSnapshot
    /// The identity of the store that the copy was made of; nil if it cannot be read.
    var identity: IdentityFile?
    var replica: ReplicaID? { identity?.replica }
  }

  /// Opens a source: the folder of a backup or of a store.
  /// - Throws: ``StoreError`` `notAStore` if the folder holds neither.
  private static func source(_ url: URL) throws -> Copy {
    if let manifest = try BackupManifest.read(url) {
      return Copy(
        snapshot: try LogRepair.source(BackupStorage(manifest, folder: url)),
        identity: try? IdentityFile(text: manifest.identity))
    }
    let files = StoreFiles(folder: url)
    guard try DiskPath.exists(files.log) else {
      throw StoreError(
        .notAStore,
        "there is neither a backup nor a store at “\(url.path(percentEncoded: false))”",
        hint: "Name a folder that `evtool backup` has made, or another store")
    }
    return Copy(
      snapshot: try LogRepair.source(FileStorage(folder: url.path(percentEncoded: false))),
      identity: try identity(files))
  }

  /// Returns the identity of a store; nil if its file is damaged or missing.
  private static func identity(_ files: StoreFiles) throws -> IdentityFile? {
    do { return try IdentityFile.read(files) } catch {
      guard error.code == .damaged || error.code == .notAStore else { throw error }
      return nil
    }
  }

  // MARK: - Opening

  /// Opens the store once, which performs recovery, and rebuilds the read model if necessary.
  private mutating func open(rebuilds: Bool, _ gate: StoreGate) throws {
    // Opening shares the gate, so take it exclusively again afterwards.
    defer { _ = try? gate.tryExclude() }
    var options = options
    options.rebuildsReadModel = rebuilds
    let parts = try StoreOpening(url: files.folder, options: options).open(gate)
    defer { _ = try? parts.engine?.close() }
    if !parts.recovery.isClean || !parts.recovery.notes.isEmpty {
      let words = parts.recovery.description.split(separator: "\n").map(String.init)
      for word in words where !report.actions.contains(word) { report.actions.append(word) }
      report.isDone = true
      if let copy = parts.recovery.tornTail?.copy { report.quarantined.append(copy) }
    }
  }
}
