/// Counts of what happened in runs.
package struct DiskStatistics: Sendable {
  package var calls = 0
  package var crashes = 0
  package var deaths = 0
  package var recoveries = 0
  package var crashesInRecovery = 0
  package var acknowledged = 0
  package var failures = 0
  package var lies = 0
  package var damages = 0
  /// Number of times the lock file was removed or replaced, or a stray file was added.
  package var meddled = 0

  package init() {}

  package mutating func add(_ other: DiskStatistics) {
    calls += other.calls
    crashes += other.crashes
    deaths += other.deaths
    recoveries += other.recoveries
    crashesInRecovery += other.crashesInRecovery
    acknowledged += other.acknowledged
    failures += other.failures
    lies += other.lies
    damages += other.damages
    meddled += other.meddled
  }

  package var description: String {
    "\(calls) calls of the disk, \(acknowledged) acknowledged commits, \(crashes) power losses "
      + "and \(deaths) deaths within a call, \(failures) failed calls, \(lies) silent faults, "
      + "\(recoveries) recoveries (\(crashesInRecovery) crashed), \(damages) damages, "
      + "\(meddled) lock files taken away and stray files"
  }
}
