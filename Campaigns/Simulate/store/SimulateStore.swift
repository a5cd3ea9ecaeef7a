import ArgumentParser
import DaybookStoreSimulation
import Foundation

/// The campaign of a whole store on a machine that loses power, for developers of Daybook.
///
/// It is a program of its own, so that the log's campaign need not build SQLite.
@main
struct SimulateStore: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate store",
    abstract: "Runs a store, and opens what power failures would leave of it.",
    discussion: """
      Each run has a seed, which decides what the store does and what is lost. The first run that \
      sees a promise broken ends the campaign, tells its story, and exits with 1. Needs Linux.
      """,
    subcommands: [
      Lives.self, Apps.self, Processes.self, TypingTrace.self, OneProcess.self, Typist.self,
    ],
    defaultSubcommand: Lives.self)
}

/// `simulate store lives`, the default subcommand.
struct Lives: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Power failures, failing calls and damage, in one process.")

  @Option(help: "Seed of the first run.") var seed: UInt64 = 1
  @Option(help: "Number of runs.") var runs: UInt64 = 200
  @Option(help: "What goes wrong: crashes, company, failures or damage; else the seed decides.")
  var temper: String?
  @Flag(help: "Tell the story of the run, if it is one, that succeeds, too.") var trace = false

  func run() async throws {
    guard StoreCampaign.isPossible else {
      throw ValidationError("The calls of a program to the system can be seen on Linux only.")
    }
    let temper = temper.map { StoreRun.Temper(rawValue: $0) }
    if case .some(.none) = temper {
      let all = StoreRun.Temper.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--temper is one of \(all).")
    }
    var campaign = StoreCampaign()
    let clock = ContinuousClock()
    let start = clock.now
    let failure = await campaign.run(seeds: seed..<seed + runs, temper ?? nil)
    if trace { for line in campaign.story { print(line) } }
    if let failure {
      for line in failure.story { print(line) }
      print("seed \(failure.seed), run \(failure.seed - seed + 1): \(failure.message)")
      let option = self.temper.map { " --temper \($0)" } ?? ""
      print("again: Tools/simulate store --seed \(failure.seed) --runs 1\(option)")
      throw ExitCode(1)
    }
    let seconds = ((clock.now - start) / .milliseconds(100)).rounded() / 10
    print("\(runs) runs in \(seconds) s: \(campaign.statistics.description)")
  }
}

/// `simulate store apps`: several versions of an app on several devices.
struct Apps: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Versions of an app on several devices, launched, synced and killed in any order.")

  @Option(help: "Seed of the first run.") var seed: UInt64 = 1
  @Option(help: "Number of runs.") var runs: UInt64 = 200

  func run() async throws {
    var (powerFailures, exchanges) = (0, 0)
    for seed in seed..<seed + runs {
      let life = AppLife(seed: seed)
      await life.run()
      (powerFailures, exchanges) = (powerFailures + life.powerFailures, exchanges + life.exchanges)
      guard life.wrong.isEmpty else {
        for line in life.story + life.wrong { print(line) }
        print("again: Tools/simulate store apps --seed \(seed) --runs 1")
        throw ExitCode(1)
      }
    }
    print("\(runs) runs: \(powerFailures) power failures, \(exchanges) exchanges with a hub")
  }
}

/// `simulate store processes`: several processes share a store and are killed.
struct Processes: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Several processes share a store, and are killed again and again.")

  @Option(help: "Seed of the first run.") var seed: UInt64 = 1
  @Option(help: "Number of runs.") var runs: UInt64 = 5
  @Option(help: "How many processes are killed in each.") var kills = 40

  func run() async throws {
    guard let program = Bundle.main.executableURL else {
      throw ValidationError("This program cannot be found, and so cannot be started again.")
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID())")
    var (killed, acknowledged) = (0, 0)
    for seed in seed..<seed + runs {
      var campaign = ProcessCampaign(seed: seed, program: program, in: folder)
      do { try await campaign.run(rounds: kills) } catch {
        for line in campaign.story { print(line) }
        print("the files are in \(folder.path(percentEncoded: false))")
        print("seed \(seed): \(error)")
        print("again: Tools/simulate store processes --seed \(seed) --runs 1 --kills \(kills)")
        throw ExitCode(1)
      }
      killed += campaign.kills
      acknowledged += campaign.acknowledged
    }
    try? FileManager.default.removeItem(at: folder)
    print("\(runs) runs: \(killed) processes killed, \(acknowledged) acknowledged writes")
  }
}

/// `simulate store trace`: a recording of authors who type one text.
struct TypingTrace: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Replays a recording of typing, and compares all stores with its end.",
    discussion: """
      A recording is JSON with startContent, endContent and txns; each of these has patches of a \
      place, a number of deleted characters and an inserted text, and may have parents and an \
      agent. A file that ends in .gz is unpacked with gzip.
      """)

  @Argument(help: "The recording.") var file: String
  @Option(help: "Authors among whom a recording of one author is split.") var authors = 1
  @Option(help: "Transactions that each of them writes in turn.") var turn = 500
  @Option(help: "The most transactions that become one event.") var together = 1

  func run() async throws {
    let trace = try TextTrace(file: URL(fileURLWithPath: file))
    let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    var replay = TraceReplay(trace, authors: authors, turn: turn, together: together, in: folder)
    print(try await replay.run().description)
  }
}

/// One of the processes that `simulate store processes` starts.
struct OneProcess: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "process", abstract: "One of several processes.", shouldDisplay: false)

  @Argument var role: String
  @Option var number: Int
  @Option var store: String
  @Option var stop: String

  func run() async throws {
    guard let role = StoreProcess.Role(rawValue: role) else {
      throw ValidationError("No such role.")
    }
    try await StoreProcess(role, number: number, store: URL(fileURLWithPath: store), stop: stop)
      .run()
  }
}

/// A process that types in an editing session, which tests start and kill.
struct Typist: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "A process that types.", shouldDisplay: false)

  @Option var store: String

  func run() async throws { try await TypistProcess(store: URL(fileURLWithPath: store)).run() }
}
