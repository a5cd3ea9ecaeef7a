import Daybook
import DaybookEventCore
import Foundation
import GRDB

/// Checks that stores which have replayed a history agree with each other and with the history.
struct HistoryCheck {
  private let history: History
  private(set) var findings: [String] = []

  init(_ history: History) { self.history = history }

  var isEqual: Bool { findings.isEmpty }

  private mutating func require(_ holds: Bool, _ finding: @autoclosure () -> String) {
    if !holds { findings.append(finding()) }
  }

  // MARK: - Stores among themselves

  /// What two stores must agree on: digest, conflicts, and every row.
  private struct Account {
    var digest: Store.DigestReport
    var conflicts: [Conflict]
    var tables: [String: [[String]]]
  }

  private static func account(of store: Store) async throws -> Account {
    let tables = try await store.read { db in
      try Dictionary(
        uniqueKeysWithValues: HistoryWriter.definitions.map { definition in
          (
            definition.collection,
            try Row.fetchAll(db, sql: "SELECT * FROM \(definition.collection) ORDER BY id")
              .map { Self.text($0) }
          )
        })
    }
    return Account(
      digest: try await store.digest(), conflicts: try await store.conflicts().all(), tables: tables
    )
  }

  private mutating func compare(_ name: String, _ account: Account, with first: Account) {
    require(account.digest.isComplete, "\(name) has events that it does not understand")
    require(
      account.digest.vector == first.digest.vector,
      "\(name) holds other events than the first store: \(account.digest.vector), "
        + "\(first.digest.vector)")
    require(
      account.digest.digest == first.digest.digest,
      "\(name) has the digest \(account.digest.digest), the first store \(first.digest.digest)")
    require(
      account.conflicts == first.conflicts,
      "\(name) lists \(account.conflicts.count) conflicts, the first store "
        + "\(first.conflicts.count), and not the same")
    for (table, rows) in first.tables.sorted(by: { $0.key < $1.key }) {
      require(
        account.tables[table] == rows,
        "\(name) shows other \(table) than the first store")
    }
  }

  /// Compares stores with the first one, and that one with itself after a rebuild.
  mutating func compare(_ stores: [Store]) async throws -> (conflicts: Int, rebuild: Duration) {
    guard let store = stores.first else { return (0, .zero) }
    let first = try await Self.account(of: store)
    for other in stores {
      compare(
        other.url.lastPathComponent, try await Self.account(of: other), with: first)
      let status = try await other.status()
      require(
        status.isHealthy && status.lag == 0 && status.waiting == 0 && status.misfits == 0
          && status.parked == 0 && status.opaque == 0 && status.incidents.isEmpty,
        "\(other.url.lastPathComponent) is not as it should be: \(status)")
      require(
        status.unstamped ?? 0 == 0,
        "\(status.unstamped ?? 0) events of \(other.url.lastPathComponent) have no stamp")
    }
    let start = ContinuousClock.now
    try await store.rebuild()
    let elapsed = ContinuousClock.now - start
    compare("a rebuild", try await Self.account(of: store), with: first)
    return (first.conflicts.count, elapsed)
  }

  /// Verifies a store on the disk, and returns the time that this took.
  mutating func verify(_ store: Store) async throws -> Duration {
    let start = ContinuousClock.now
    let verification = try await store.verify()
    require(
      verification.isSound,
      "\(store.url.lastPathComponent) does not verify: \(verification)")
    return ContinuousClock.now - start
  }

  // MARK: - With the history

  /// Checks that exactly the history's commits, parents and changes are shown, as they were
  /// written.
  mutating func compareCommits(_ store: Store) async throws {
    let (commits, parents, changes) = try await store.read { db in
      (
        try Row.fetchAll(
          db,
          sql: """
            SELECT hash, author, sequence, CAST(unixepoch(authored) AS TEXT) AS authored, changes
            FROM commits
            """
        ).map { Self.text($0) },
        try Row.fetchAll(
          db,
          sql: """
            SELECT child.hash, parent.hash, place FROM parents
            JOIN commits AS child ON child.id = source JOIN commits AS parent ON parent.id = target
            """
        ).map { Self.text($0) },
        // A deleted file has no row, but the id identifies it.
        try Row.fetchAll(
          db,
          sql: """
            SELECT hash, target, kind FROM changes JOIN commits ON commits.id = source
            """
        ).map { Self.text($0) }
      )
    }
    var expected: [[String]] = []
    var related: [[String]] = []
    var touched: [[String]] = []
    for commit in history.commits {
      expected.append([
        commit.id, commit.author, "\(commit.sequence)", "\(commit.authored / 1000)",
        "\(commit.changes.count)",
      ])
      for (place, parent) in commit.parents.enumerated() {
        related.append([commit.id, history.commits[parent].id, "\(place)"])
      }
      for change in commit.changes {
        let file = DerivedID.id(collection: "files", key: [.text(change.path)])
        touched.append([commit.id, file, change.kind.rawValue])
      }
    }
    for (what, shown, said) in [
      ("commits", commits, expected), ("parents", parents, related), ("changes", changes, touched),
    ] {
      require(
        shown.count == said.count && Set(shown) == Set(said),
        "\(shown.count) \(what) are shown, not the \(said.count) that the history has")
    }
  }

  /// Numbers of files at the end.
  struct Files {
    var shown = 0
    /// Files that would be shown if the history were applied line by line.
    var linear = 0
    /// Files with several latest changes that have not seen each other, so that the history is
    /// ambiguous.
    var open = 0
    /// Files whose presence or latest commit differs from the result line by line.
    var different = 0
    /// Files whose fields come from more than one commit.
    var mixed = 0
  }

  /// Checks that each file is shown as its latest change left it, or one of several latest changes.
  ///
  /// - Parameter groups: Groups that have written alone; nil if all stores have waited for parents.
  mutating func compareFiles(_ store: Store, groups: [[Int]]?) async throws -> Files {
    let rows = try await store.read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT path, hash, status, files.author AS author, commits.author AS by
          FROM files LEFT JOIN commits ON commits.id = latest
          """
      ).map { Self.text($0) }
    }
    let said = HistoryFiles(history, groups: groups)
    let places = Dictionary(
      uniqueKeysWithValues: history.commits.enumerated().map { ($1.id, $0) })
    let shown = Dictionary(grouping: rows) { $0[0] }
    var files = Files(shown: rows.count, linear: said.linear.count)
    files.mixed = rows.count { $0[3] != $0[4] }
    for (path, latest) in said.latest.sorted(by: { $0.key < $1.key }) {
      let rows = shown[path] ?? []
      require(rows.count < 2, "\(path) is shown \(rows.count) times")
      let place = rows.first.flatMap { places[$0[1]] }
      if latest.count > 1 { files.open += 1 }
      if place != said.linear[path] { files.different += 1 }
      let kinds = latest.map { change(of: path, by: $0) }
      if let row = rows.first {
        let isOne = place.map { latest.contains($0) && change(of: path, by: $0) != .deleted }
        let said = latest.map { history.commits[$0].id }.joined(separator: ", ")
        require(
          isOne ?? false, "\(path) is shown as of \(row[1]), and its latest changes are by \(said)")
      } else {
        require(kinds.contains(.deleted), "\(path) is not shown, and no latest change deletes it")
      }
    }
    let unknown = shown.keys.filter { said.latest[$0] == nil }.sorted()
    require(unknown.isEmpty, "files that no commit has touched: \(unknown)")
    return files
  }

  private func change(of path: String, by place: Int) -> History.ChangeKind? {
    history.commits[place].changes.first { $0.path == path }?.kind
  }

  private static func text(_ row: Row) -> [String] {
    row.databaseValues.map { $0.isNull ? "NULL" : String.fromDatabaseValue($0) ?? "\($0)" }
  }
}
