import ArgumentParser

/// Seeded campaigns against simulated hardware: for those who work on Daybook.
@main
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Runs seeded campaigns against simulated hardware.",
    subcommands: [Disk.self])
}
