/// Counts of what happened in runs.
package struct ReplicationStatistics: Sendable {
  package var steps = 0
  package var events = 0
  package var stamps = 0
  package var exchanges = 0
  package var sessions = 0
  package var lost = 0
  package var repeated = 0
  package var spoiled = 0
  /// Messages of a protocol version that the receiver does not know.
  package var otherVersions = 0
  package var crashes = 0
  package var failures = 0
  package var hubsLost = 0
  package var clones = 0
  package var restores = 0
  package var forks = 0
  /// Ranges that were sent without their beginnings.
  package var pieces = 0
  /// Number of times that a machine began to hold events beyond a gap.
  package var gaps = 0
  /// Number of branches that were removed; ``reissued`` counts the events written again.
  package var removals = 0
  package var reissued = 0
  package var conflicts = 0
  /// Edits of pages that authors wrote; ``texts`` counts the texts that were compared in the end.
  package var typed = 0
  package var texts = 0
  /// Transactions on local collections.
  package var local = 0
  /// Exchanges with a shared folder.
  ///
  /// ``carried`` counts changes that its program brought, and ``folders`` the runs with a folder.
  package var folderExchanges = 0
  package var carried = 0
  package var folders = 0
  /// Events signed by hostile authors; ``liars`` counts false claims of a fork.
  package var hostile = 0
  package var liars = 0
  /// Hubs that were restored to an earlier state with their keys.
  package var hubsWithKeys = 0
  /// Forks that were detected and settled through a shared folder.
  package var folderForks = 0
  /// Forks whose winning history only a lost hub had stamped.
  package var lostHubForks = 0
  package var rounds = 0
  package var calls = 0

  package init() {}

  private static let parts: [any WritableKeyPath<Self, Int> & Sendable] = [
    \.steps, \.events, \.stamps, \.exchanges, \.sessions, \.lost, \.repeated, \.spoiled, \.crashes,
    \.failures, \.hubsLost, \.clones, \.restores, \.forks, \.removals, \.reissued, \.conflicts,
    \.calls, \.local,
    \.folderExchanges, \.carried, \.folders, \.otherVersions, \.gaps, \.pieces, \.hostile, \.liars,
    \.hubsWithKeys, \.folderForks, \.lostHubForks, \.typed, \.texts,
  ]

  package mutating func add(_ other: Self) {
    for part in Self.parts { self[keyPath: part] += other[keyPath: part] }
    rounds = max(rounds, other.rounds)
  }

  package var description: String {
    """
    \(steps) steps, \(events) events, \(local) of them local, \(stamps) stamps, \
    \(exchanges) exchanges in \(sessions) sessions, \(lost) messages lost, \
    \(repeated) repeated, \(spoiled) spoiled, \(otherVersions) of another version, \
    \(crashes) crashes and \(failures) failed calls of \(calls), \
    \(hubsLost) hubs lost or restored, \(restores) stores restored, \(clones) clones, \
    \(forks) forks with \(removals) branches removed and \(reissued) events written again, \
    \(pieces) ranges cut, \(gaps) gaps, \(folders) shared folders with \
    \(folderExchanges) exchanges and \(carried) changes carried, \
    \(hostile) events of hostile authors, \(liars) lies about forks, \
    \(hubsWithKeys) hubs put back with their keys, \(folderForks) forks in folders, \
    \(lostHubForks) forks that a lost hub had stamped, \
    \(typed) edits typed, \(texts) texts compared, \
    \(conflicts) conflicts at the end, converged in at most \(rounds) rounds
    """
  }
}
