import ArgumentParser
import DaybookSimulation

/// The campaign of the log on a failing disk, for developers of Daybook.
///
/// It is a program of its own because it needs neither SQLite nor what is built on it. A planted
/// bug therefore builds in seconds.
@main
struct SimulateLog: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate log",
    abstract: "Runs a log on a disk that loses, tears, corrupts and fails.",
    discussion: """
      Each run has a seed, which decides everything that happens in it. The first run that sees a \
      promise broken ends the campaign, tells its story, and exits with 1.
      """)

  @Option(help: "Seed of the first run.") var seed: UInt64 = 1
  @Option(help: "Number of runs.") var runs: UInt64 = 1000
  @Flag(help: "Tell the story of a run that succeeds, too.") var trace = false

  func run() throws {
    var campaign = DiskCampaign()
    let clock = ContinuousClock()
    let start = clock.now
    if trace, runs == 1 {
      var run = DiskRun(seed: seed, isTraced: true)
      let result = Result { try run.run() }
      for line in run.story { print(line) }
      try result.get()
    } else if let failure = campaign.run(seeds: seed..<seed + runs) {
      for line in failure.story { print(line) }
      print("seed \(failure.seed), run \(failure.seed - seed + 1): \(failure.violation)")
      print("again: Tools/simulate log --seed \(failure.seed) --runs 1")
      throw ExitCode(1)
    }
    let seconds = ((clock.now - start) / .milliseconds(100)).rounded() / 10
    print("\(campaign.runs) runs in \(seconds) s: \(campaign.statistics.description)")
  }
}
