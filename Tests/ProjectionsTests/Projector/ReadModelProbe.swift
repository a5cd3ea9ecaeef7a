import DaybookEventCore
import Foundation
import GRDB

@testable import DaybookProjections
@testable import DaybookReferenceModel

/// A read model in a file, driven by hand, and what it shows in the reference model's terms.
final class ReadModelProbe {
  let path: String
  let source: ArrayEventSource
  private var queue: DatabaseQueue
  private(set) var projector: Projector
  private let limits: ReadModelLimits
  /// Sets up each connection.
  private let prepare: @Sendable (OpaquePointer) -> Void

  init(
    _ source: ArrayEventSource, folder: URL, limits: ReadModelLimits = .standard,
    prepare: @escaping @Sendable (OpaquePointer) -> Void = { _ in }
  ) throws {
    self.limits = limits
    self.prepare = prepare
    path = folder.appending(path: "\(UUID()).sqlite").path
    self.source = source
    queue = try DatabaseQueue(path: path)
    projector = try queue.writeWithoutTransaction { db in
      let cache = StatementCache(db.sqliteConnection!)
      try cache.execute("PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY")
      try ReadModelFormat.create(cache)
      prepare(db.sqliteConnection!)
      return try Projector(connection: db.sqliteConnection!, source: source, limits: limits)
    }
  }

  func catchUp() throws {
    try projector.catchUp { try transaction($0) }
  }

  /// Applies the last event of an origin of the source as the replica that writes it does.
  func write(_ id: EventID, _ event: EncodedEvent, chain: Hash256) throws {
    let envelope = try event.envelope.withUnsafeBytes { try Envelope(decoding: $0) }
    guard case .present(let bytes) = event.body else { return }
    let body = try bytes.withUnsafeBytes { try Body(decoding: $0, codec: envelope.bodyCodec) }
    try transaction {
      try projector.beginLocalEvent(id, envelope)
      for (position, operation) in body.operations.enumerated() {
        try projector.apply(operation, at: position, of: id)
      }
      try projector.finishEvent()
      projector.setChain(of: id.origin, chain)
      try projector.save()
    }
  }

  @discardableResult
  private func transaction<T>(_ body: () throws -> T) throws -> T {
    try queue.writeWithoutTransaction { db in
      try projector.sql.execute("BEGIN IMMEDIATE")
      do {
        let value = try body()
        try projector.sql.execute("COMMIT")
        return value
      } catch {
        try projector.sql.execute("ROLLBACK")
        try projector.reload()
        throw error
      }
    }
  }

  /// Makes one collection again, as one transaction.
  @discardableResult
  func rebuild(collection: String) throws -> Int {
    try transaction { try projector.rebuild(collection: collection) }
  }

  func reopen() throws {
    projector.close()
    try queue.close()
    queue = try DatabaseQueue(path: path)
    projector = try queue.writeWithoutTransaction {
      prepare($0.sqliteConnection!)
      return try Projector(connection: $0.sqliteConnection!, source: source, limits: limits)
    }
  }

  /// What readers use, on a snapshot.
  func view<T>(_ body: (ReadModelView, Database) throws -> T) throws -> T {
    try queue.writeWithoutTransaction { db in
      let view = try ReadModelView(db, source: source, limits: limits)
      defer { view.close() }
      return try body(view, db)
    }
  }

  /// How many rows an internal table has.
  func count(_ table: String) throws -> Int? {
    try reading { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") }
  }

  /// The connection itself.
  func reading<T>(_ body: (Database) throws -> T) throws -> T {
    try queue.writeWithoutTransaction(body)
  }

  /// Changes the read model behind the projector's back.
  func damage(_ sql: String) throws {
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  /// The first thing in which this read model differs from one that is made now.
  func differenceFromRebuilt(folder: URL) throws -> ReadModelDifference? {
    let path = folder.appending(path: "\(UUID()).sqlite").path
    var options = Rebuild.Options()
    (options.limits, options.prepare) = (limits, prepare)
    _ = try Rebuild(source: source, options: options).run(into: path)
    let fresh = try DatabaseQueue(path: path)
    return try fresh.writeWithoutTransaction { db in
      try queue.writeWithoutTransaction { live in
        let (a, b) = (
          try ReadModelView(live, source: source, limits: limits),
          try ReadModelView(db, source: source, limits: limits)
        )
        defer {
          a.close()
          b.close()
        }
        return try ReadModelComparison(live: a, fresh: b).firstDifference()
      }
    }
  }

  func state() throws -> ProjectedState {
    try queue.writeWithoutTransaction { try ProjectedState(shownBy: $0, projector) }
  }

  /// What a rebuild makes of the same events.
  static func rebuilt(
    _ source: ArrayEventSource, folder: URL, selection: Selection = .all, partitionBytes: Int,
    limits: ReadModelLimits = .standard,
    prepare: @escaping @Sendable (OpaquePointer) -> Void = { _ in }
  ) throws -> ProjectedState {
    let path = folder.appending(path: "\(UUID()).sqlite").path
    var options = Rebuild.Options()
    options.partitionBytes = partitionBytes
    options.memoryBytes = partitionBytes
    // Both ways of making primary keys are tried.
    options.makesKeysLate = partitionBytes > 1000
    // Small collections are sorted in memory, others through a file.
    options.sortBytes = 300
    (options.limits, options.prepare) = (limits, prepare)
    let rebuild = Rebuild(source: source, options: options)
    _ = try rebuild.run(into: path, selection: selection)
    let queue = try DatabaseQueue(path: path)
    return try queue.writeWithoutTransaction { db in
      let projector = try Projector(
        connection: db.sqliteConnection!, source: source, limits: limits)
      defer { projector.close() }
      return try ProjectedState(shownBy: db, projector)
    }
  }
}
