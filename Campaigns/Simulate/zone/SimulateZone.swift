import ArgumentParser
import DaybookZoneSimulation

/// The campaign of replicas and hubs on failing machines and networks, for developers of Daybook.
///
/// It is a program of its own, so that the log's campaign need not build SQLite.
@main
struct SimulateZone: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate zone",
    abstract: "Runs stores and hubs that sync while disks, clocks, machines and the network fail.",
    discussion: """
      Each run has a seed, which decides everything that happens in it. The first run that sees a \
      promise broken ends the campaign, tells its story, and exits with 1.
      """)

  @Option(help: "Seed of the first run.") var seed: UInt64 = 1
  @Option(help: "Number of runs.") var runs: UInt64 = 1000
  @Flag(help: "With --runs 1: print the story even if the run succeeds.") var trace = false
  @Flag(help: "With --runs 1: also print the calls of the disks.") var calls = false

  func run() throws {
    var campaign = ReplicationCampaign()
    let clock = ContinuousClock()
    let start = clock.now
    if runs == 1, trace || calls {
      let run = try ReplicationRun(seed: seed, isTraced: true, showsCalls: calls)
      let result = Result { try run.run() }
      for line in run.story { print(line) }
      do { try result.get() } catch {
        print("seed \(seed), run 1: \(error)")
        throw ExitCode(1)
      }
    } else if let failure = try campaign.run(seeds: seed..<seed + runs) {
      for line in failure.story { print(line) }
      print("seed \(failure.seed), run \(failure.seed - seed + 1): \(failure.violation)")
      print("again: Tools/simulate zone --seed \(failure.seed) --runs 1")
      throw ExitCode(1)
    }
    let seconds = ((clock.now - start) / .milliseconds(100)).rounded() / 10
    print("\(campaign.runs) runs in \(seconds) s: \(campaign.statistics.description)")
  }
}
