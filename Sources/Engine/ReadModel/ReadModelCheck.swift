import DaybookEventCore
package import DaybookProjections
import Foundation
package import GRDB

/// A comparison of a read model, in one snapshot, with the log.
package struct ReadModelCheck {
  private let live: Database

  package init(_ live: Database) { self.live = live }

  /// Builds a second read model from the log, and returns the first difference; nil if there is
  /// none.
  ///
  /// It covers the events that this read model has applied.
  package func difference(
    from feed: LogFeed, progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) throws -> ReadModelDifference? {
    let view = try ReadModelView(live, source: feed)
    defer { view.close() }
    let path = TemporaryFile.path("daybook-verify")
    defer { try? StoreFiles.removeReadModel(path) }
    _ = try Rebuild(source: feed, progress: progress).run(
      into: path, selection: .vector(view.wholeVector))
    let queue = try ReadModelFile.openAlone(path)
    defer { try? queue.close() }
    return try queue.read { fresh in
      let freshView = try ReadModelView(fresh, source: feed)
      defer { freshView.close() }
      return try ReadModelComparison(live: view, fresh: freshView) {
        for db in [live, fresh] { _ = try? db.makeStatement(sql: "SELECT 1") }
      }.firstDifference()
    }
  }

  /// Returns a difference if the rows do not add up to the digest in the checkpoint; else nil.
  package func digestDifference(_ feed: LogFeed) throws -> ReadModelDifference? {
    let view = try ReadModelView(live, source: feed)
    defer { view.close() }
    let sum = try view.recomputedDigest()
    guard sum != view.digest else { return nil }
    return ReadModelDifference(
      place: "checkpoint",
      message: "the rows add up to the digest \(sum), and the checkpoint says \(view.digest)")
  }

  /// Returns the problems that SQLite finds in its structures, ten at most.
  func structureFindings() throws -> [String] {
    try live.texts("PRAGMA integrity_check(10)").filter { $0 != "ok" }
      .map { "the read model: \($0)" }
  }

  /// Returns the problems that FTS5 finds in its search indexes.
  ///
  /// Needs a transaction that can write, whose changes are then rolled back: rows that have changed
  /// since they were indexed are indexed first.
  func searchFindings() throws -> [String] {
    do { try SearchBacklog.indexAll(live) } catch {
      guard error.code == .damagedReadModel else { throw error }
      return ["a search index does not match what the read model says that it has"]
    }
    return try Search.indexes(live).compactMap { name in
      let quoted = "\"\(name)\""
      do {
        try live.execute(
          sql: "INSERT INTO \(quoted)(\(quoted), rank) VALUES ('integrity-check', 1)")
        return nil
      } catch {
        guard ReadModelFile.isDamage(error) else { throw error }
        return "the search index \(name) does not match its table"
      }
    }
  }
}

/// Names for temporary files.
enum TemporaryFile {
  static func path(_ prefix: String) -> String {
    FileManager.default.temporaryDirectory.appending(path: "\(prefix)-\(UUID()).sqlite")
      .path(percentEncoded: false)
  }
}
