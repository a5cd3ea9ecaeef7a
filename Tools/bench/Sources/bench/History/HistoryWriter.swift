import Daybook
import DaybookEventCore
import Foundation

/// Writes a history as entities: commits and files, with their relationships.
///
/// The ids are derived from hashes and paths. Stores that add the same file concurrently therefore
/// make one entity.
struct HistoryWriter: Sendable {
  let history: History
  private let commits: [String]
  private let files: [String: String]

  init(_ history: History) {
    self.history = history
    commits = history.commits.map {
      DerivedID.id(collection: "commits", key: [.text($0.id)])
    }
    files = Dictionary(
      uniqueKeysWithValues: history.paths.map {
        ($0, DerivedID.id(collection: "files", key: [.text($0)]))
      })
  }

  static let definitions = [
    Definition(
      "commits",
      [
        .text("hash"),
        .text("author").indexed(),
        .integer("sequence"),
        .timestamp("authored").indexed(),
        .integer("changes"),
      ]
    ).keyed(by: "hash"),
    Definition(
      "files",
      [
        .text("path"),
        .text("status"),
        .text("latest").references("commits"),
        .text("author").indexed(),
      ]
    ).keyed(by: "path"),
    Definition(
      collection: "parents", attributes: ["relationship": .boolean(true)],
      fields: [.integer("place")]
    ).keyed(by: "source", "target"),
    Definition(
      collection: "changes", attributes: ["relationship": .boolean(true)],
      fields: [.text("kind")]
    ).keyed(by: "source", "target"),
  ]

  static func define(_ store: Store) async throws {
    try await store.write { tx in for definition in definitions { try tx.define(definition) } }
  }

  /// Writes a commit as one event: its entity, the relationships to its parents, and its changes of
  /// files.
  ///
  /// - Parameter isAlone: Whether the store need not hold the parents.
  /// - Returns: The event, and its number of operations.
  /// - Throws: ``BenchError`` if the store must show the parents but does not.
  func write(_ place: Int, to store: Store, isAlone: Bool = false) async throws -> (
    event: EventID, operations: Int
  ) {
    let commit = history.commits[place]
    let (commits, files) = (commits, files)
    return try await store.write(actor: commit.author) { tx in
      for parent in commit.parents where !isAlone {
        guard try tx.fetch("commits", commits[parent]) != nil else {
          throw BenchError.found(
            "\(store.url.lastPathComponent) does not show a parent of \(commit.id)")
        }
      }
      let id = try tx.insert(
        "commits",
        [
          "hash": .text(commit.id), "author": .text(commit.author),
          "sequence": .integer(Int64(commit.sequence)), "authored": .timestamp(commit.authored),
          "changes": .integer(Int64(commit.changes.count)),
        ])
      var operations = 1
      for (number, parent) in commit.parents.enumerated() {
        try tx.insert(
          "parents",
          [
            "source": .text(id), "target": .text(commits[parent]),
            "place": .integer(Int64(number)),
          ])
        operations += 1
      }
      for change in commit.changes {
        guard let file = files[change.path] else { continue }
        operations += try Self.write(change, of: commit, id, to: file, tx)
      }
      return (tx.event, operations)
    }
  }

  /// Writes one change of a file, and returns the number of operations.
  ///
  /// The store's state decides whether to insert, to update or to delete: a commit can change a
  /// file that a concurrent one has added or deleted.
  private static func write(
    _ change: History.Change, of commit: History.Commit, _ id: String, to file: String,
    _ tx: WriteTransaction
  ) throws -> Int {
    var operations = 2
    if change.kind != .deleted {
      let made = try tx.put(
        "files",
        [
          "path": .text(change.path), "status": .text(change.kind.rawValue), "latest": .text(id),
          "author": .text(commit.author),
        ])
      guard made == file else { throw BenchError.found("\(change.path) is \(made), not \(file)") }
    } else if try tx.fetch("files", file) != nil {
      try tx.delete("files", file)
    } else {
      operations = 1
    }
    try tx.insert(
      "changes",
      ["source": .text(id), "target": .text(file), "kind": .text(change.kind.rawValue)])
    return operations
  }
}
