import EventCore
import Foundation
import GRDB
import Projections

/// Whether a read model, in one snapshot, is what the log says.
struct ReadModelCheck {
  private let live: Database

  init(_ live: Database) { self.live = live }

  /// Makes a read model aside and names the first thing in which this one differs. This one has caught up with
  /// the log afterwards: what cannot be projected is a difference, too.
  func difference(
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
      return try ReadModelComparison(live: view, fresh: freshView).firstDifference()
    }
  }

  /// Whether the rows add up to the digest in the checkpoint.
  func digestDifference(_ feed: LogFeed) throws -> ReadModelDifference? {
    let view = try ReadModelView(live, source: feed)
    defer { view.close() }
    let sum = try view.recomputedDigest()
    guard sum != view.digest else { return nil }
    return ReadModelDifference(
      place: "checkpoint",
      message: "the rows add up to the digest \(sum), and the checkpoint says \(view.digest)")
  }

  /// What SQLite says of its own structures.
  func structureFindings() throws -> [String] {
    try live.texts("PRAGMA integrity_check(10)").filter { $0 != "ok" }
      .map { "the read model: \($0)" }
  }

  /// What FTS5 says of its own. Needs a connection that can write, and writes nothing.
  func searchFindings() throws -> [String] {
    try Search.indexes(live).compactMap { name in
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

/// Names for files that are soon removed again.
enum TemporaryFile {
  static func path(_ prefix: String) -> String {
    FileManager.default.temporaryDirectory.appending(path: "\(prefix)-\(UUID()).sqlite")
      .path(percentEncoded: false)
  }
}
