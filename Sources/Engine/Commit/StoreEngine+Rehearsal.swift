import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import DaybookProjections
import GRDB

extension StoreEngine {
  /// Runs transactions like commits, one after another, and rolls all of them back.
  ///
  /// Each transaction sees those before it. Nothing reaches the log. Other writers wait meanwhile.
  package func rehearse(_ body: (Rehearsal) throws -> Void) throws {
    try bulkLoad?.end()
    try log.lock()
    defer { log.unlock() }
    try readModel.writeWithoutTransaction { db in
      try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
      defer {
        takeBack(db)
        feed.forgetAppended()
      }
      try refresh(db)
      try requireOwn()
      // A new identity would be written to the disk. A temporary one, which no replica ever sees,
      // suffices here.
      let identity =
        try self.identity.known() ?? Identity(seed: StoreEnvironment.system.randomBytes(32))
      try body(Rehearsal(self, db, identity))
    }
  }
}

/// A run of transactions that are tried and rolled back.
package final class Rehearsal {
  private let engine: StoreEngine
  private let database: Database
  private let identity: Identity
  private var group: CommitGroup?

  fileprivate init(_ engine: StoreEngine, _ database: Database, _ identity: Identity) {
    self.engine = engine
    self.database = database
    self.identity = identity
  }

  /// Tries one transaction, which sees those that were tried before it.
  /// - Throws: the error that a commit would be refused with. No other transaction may follow then.
  package func run<T: Sendable>(_ write: SeriesWrite<T>) throws -> T {
    let job = try WriteJob(
      actor: write.actor ?? "", label: write.label, annotations: write.annotations,
      body: write.body, finish: { _ in })
    if let outcome = try group?.run(job) { return try WriteJob.value(try outcome.get()) }
    // The frames of a group go to the log, which a rehearsal does not write.
    try endGroup()
    let writer = EventWriter(
      projector: engine.projector, database: database, identity: identity, packer: engine.packer,
      bulkLoad: nil, types: engine.types, tick: engine.tick)
    let next = CommitGroup(writer, isShared: true)
    group = next
    guard let outcome = try next.run(job) else {
      throw StoreError(.other, "a group of transactions has no room for its first")
    }
    return try WriteJob.value(try outcome.get())
  }

  private func endGroup() throws {
    guard let writer = group?.writer else { return }
    try writer.reconcile()
    for frame in try writer.frames() {
      engine.projector.setChain(of: frame.header.origin, frame.header.chain)
      try engine.feed.hand(appended: frame) { _ in }
    }
    self.group = nil
  }
}
