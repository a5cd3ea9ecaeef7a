/// A series of runs, each with a seed of its own.
package struct DiskCampaign: Sendable {
  /// A run that found a broken promise.
  package struct Failure: Sendable {
    package var seed: UInt64
    package var violation: Violation
    /// The steps of the run, one line each.
    package var story: [String]
  }

  package private(set) var runs = 0
  package private(set) var statistics = DiskStatistics()

  package init() {}

  /// Runs each seed until one fails.
  ///
  /// - Returns: The first run that failed, repeated with a trace; nil if none failed.
  package mutating func run(
    seeds: Range<UInt64>, progress: (_ done: Int) -> Void = { _ in }
  ) -> Failure? {
    for seed in seeds {
      var run = DiskRun(seed: seed)
      do throws(Violation) { try run.run() } catch { return Self.retell(seed, error) }
      statistics.add(run.statistics)
      runs += 1
      progress(runs)
    }
    return nil
  }

  private static func retell(_ seed: UInt64, _ violation: Violation) -> Failure {
    var run = DiskRun(seed: seed, isTraced: true)
    do throws(Violation) { try run.run() } catch {
      return Failure(seed: seed, violation: error, story: run.story)
    }
    let message = "It did not happen a second time, so something other than the seed decides."
    return Failure(seed: seed, violation: violation, story: run.story + [message])
  }
}
