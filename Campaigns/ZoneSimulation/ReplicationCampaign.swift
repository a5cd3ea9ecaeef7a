/// A series of runs, each with a seed of its own.
package struct ReplicationCampaign: Sendable {
  /// A run that found a broken promise.
  package struct Failure: Sendable {
    package var seed: UInt64
    package var violation: ReplicationViolation
    /// The steps of the run, one line each.
    package var story: [String]
  }

  package private(set) var runs = 0
  package private(set) var statistics = ReplicationStatistics()

  package init() {}

  /// Runs each seed until one fails.
  ///
  /// - Returns: The first run that failed, repeated with a trace; nil if none failed.
  package mutating func run(seeds: Range<UInt64>, progress: (_ done: Int) -> Void = { _ in })
    throws -> Failure?
  {
    for seed in seeds {
      let run = try ReplicationRun(seed: seed)
      do throws(ReplicationViolation) { try run.run() } catch {
        return try Self.retell(seed, error)
      }
      statistics.add(run.statistics)
      runs += 1
      progress(runs)
    }
    return nil
  }

  private static func retell(_ seed: UInt64, _ violation: ReplicationViolation) throws -> Failure {
    let run = try ReplicationRun(seed: seed, isTraced: true)
    do throws(ReplicationViolation) { try run.run() } catch {
      return Failure(seed: seed, violation: error, story: run.story)
    }
    let message = "It did not happen a second time, so something other than the seed decides."
    return Failure(seed: seed, violation: violation, story: run.story + [message])
  }
}
