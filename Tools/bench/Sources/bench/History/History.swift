import Foundation

/// A history of commits by many authors, for `daybook history`.
///
/// It has one JSON object per line (broken here). Parents precede their children, and each author's
/// commits are numbered from 1.
///
/// ```
/// {"id":"9a94…","origin":"7ca6…","seq":1,"parents":["4102…"],"ts":963519945,
///   "changes":[["M","pep-0000.txt"]]}
/// ```
struct History: Sendable {
  /// The kind of a change of a file, with git's letter.
  enum ChangeKind: String, Sendable {
    case added = "A"
    case modified = "M"
    case retyped = "T"
    case deleted = "D"
  }

  struct Change: Sendable {
    var kind: ChangeKind
    var path: String
  }

  struct Commit: Sendable {
    var id: String
    var author: String
    /// The commit's number among its author's commits.
    var sequence: Int
    /// The indices of its parents in the history, all before its own.
    var parents: [Int]
    /// The time by its author's clock, in milliseconds since 1970.
    var authored: Int64
    /// The changes, at most one for each path.
    var changes: [Change]
  }

  let commits: [Commit]

  var merges: Int { commits.count { $0.parents.count > 1 } }
  var changes: Int { commits.reduce(0) { $0 + $1.changes.count } }
  var parents: Int { commits.reduce(0) { $0 + $1.parents.count } }
  var authors: Set<String> { Set(commits.map(\.author)) }
  var paths: Set<String> { Set(commits.flatMap { $0.changes.map(\.path) }) }

  /// Divides the authors among groups with similar numbers of commits.
  ///
  /// The authors with the most commits come first; of equal ones, the earlier author. Each goes to
  /// the group that has the fewest commits so far.
  ///
  /// - Returns: For each group, the indices of its commits, in the order of the history.
  func divided(among count: Int) -> [[Int]] {
    var authors: [String: (commits: Int, first: Int)] = [:]
    for (place, commit) in commits.enumerated() {
      authors[commit.author, default: (0, place)].commits += 1
    }
    let ranked = authors.sorted {
      $0.value.commits != $1.value.commits
        ? $0.value.commits > $1.value.commits : $0.value.first < $1.value.first
    }
    var loads = Array(repeating: 0, count: count)
    var groups: [String: Int] = [:]
    for (author, value) in ranked {
      let group = loads.indices.min { (loads[$0], $0) < (loads[$1], $1) } ?? 0
      loads[group] += value.commits
      groups[author] = group
    }
    var divided = Array(repeating: [Int](), count: count)
    for (place, commit) in commits.enumerated() {
      divided[groups[commit.author] ?? 0].append(place)
    }
    return divided
  }

  // MARK: - Reading

  private struct Line: Decodable {
    var id: String
    var origin: String
    var seq: Int
    var parents: [String]
    var ts: Int64
    var changes: [[String]]
  }

  /// The most commits that are read. A table of bits grows with its square; see ``HistoryFiles``.
  private static let commitsMax = 65_536

  /// Reads a history.
  ///
  /// - Parameter count: The number of commits to read, from the first on; nil for all.
  /// - Throws: ``BenchError`` if a line is no commit that fits those before.
  init(path: String, first count: Int?) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    var places: [String: Int] = [:]
    var latest: [String: Int] = [:]
    var commits: [Commit] = []
    let lines = data.split(separator: UInt8(ascii: "\n"))
    for (index, bytes) in lines.prefix(count ?? lines.count).enumerated() {
      func wrong(_ what: String) -> BenchError { BenchError("\(path), line \(index + 1): \(what)") }
      guard index < Self.commitsMax else { throw wrong("more than \(Self.commitsMax) commits") }
      let line: Line
      do { line = try JSONDecoder().decode(Line.self, from: bytes) } catch {
        throw wrong("no commit: \(error)")
      }
      guard places.updateValue(index, forKey: line.id) == nil else {
        throw wrong("\(line.id) is there already")
      }
      guard line.seq == (latest[line.origin] ?? 0) + 1 else {
        throw wrong("\(line.seq) does not follow the author's last number")
      }
      latest[line.origin] = line.seq
      let parents = try line.parents.map { parent in
        guard let place = places[parent], place < index else {
          throw wrong("the parent \(parent) does not come before")
        }
        return place
      }
      guard Set(parents).count == parents.count else { throw wrong("a parent is there twice") }
      let changes = try line.changes.map { change in
        guard change.count == 2, let kind = ChangeKind(rawValue: change[0]) else {
          throw wrong("\(change) is no change that is known: A, M, T or D and a path")
        }
        return Change(kind: kind, path: change[1])
      }
      guard Set(changes.map(\.path)).count == changes.count else {
        throw wrong("a path is there twice")
      }
      let (authored, isTooFar) = line.ts.multipliedReportingOverflow(by: 1000)
      guard !isTooFar else { throw wrong("no time") }
      commits.append(
        Commit(
          id: line.id, author: line.origin, sequence: line.seq, parents: parents,
          authored: authored, changes: changes))
    }
    guard !commits.isEmpty else { throw BenchError("\(path) has no commits") }
    self.commits = commits
  }
}

/// The final files of a history.
struct HistoryFiles {
  /// For each path, the changes that no later change of it has seen.
  ///
  /// A single one determines the file. If there are several, their order in the stores decides.
  private(set) var latest: [String: [Int]] = [:]
  /// The existing files, each with its latest commit, if the commits are applied line by line.
  private(set) var linear: [String: Int] = [:]

  /// - Parameter groups: Groups that write alone, each commit having seen the earlier ones of its
  ///   group; nil if every commit has seen its ancestors.
  init(_ history: History, groups: [[Int]]?) {
    let words = (history.commits.count + 63) / 64
    /// For each commit, a bit for each commit that it has seen.
    var seen: [[UInt64]] = []
    var before: [Int: Int] = [:]
    for group in groups ?? [] {
      for (place, next) in zip(group, group.dropFirst()) { before[next] = place }
    }
    for (place, commit) in history.commits.enumerated() {
      var row = Array(repeating: UInt64(0), count: words)
      for parent in groups == nil ? commit.parents : before[place].map({ [$0] }) ?? [] {
        for word in 0..<words { row[word] |= seen[parent][word] }
        row[parent / 64] |= 1 << UInt64(parent % 64)
      }
      for change in commit.changes {
        latest[change.path, default: []].removeAll { row[$0 / 64] >> UInt64($0 % 64) & 1 == 1 }
        latest[change.path, default: []].append(place)
        linear[change.path] = change.kind == .deleted ? nil : place
      }
      seen.append(row)
    }
  }
}
