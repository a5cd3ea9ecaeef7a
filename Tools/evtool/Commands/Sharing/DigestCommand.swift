import ArgumentParser
import Daybook
import DaybookEventCore

/// The command `evtool digest`.
struct DigestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "digest",
    abstract: "Prints what two replicas compare to know that they show the same.",
    discussion: """
      The digest of the state, and the version vector: how many events of each origin it covers. \
      The same vector gives the same digest everywhere. "complete" is false if the store holds \
      events of a later version, which this one cannot interpret.

      Example:
        evtool digest notes.daybook --json
      """)

  @OptionGroup var store: StoreArgument
  @OptionGroup var output: JSONOption

  func run() async throws {
    try output.show(try await store.read { try await $0.digest() }.report)
  }
}

extension Store.DigestReport {
  var report: Report {
    Report {
      $0.fact("digest", digest, "digest \(Terminal.bold(digest.description))")
      $0.fact("vector", vector)
      for (origin, sequence) in vector.entries {
        $0.line("  \(origin)  \(Text.count(sequence, "event"))")
      }
      $0.fact("rules", StateDigest.rules)
      $0.fact(
        "complete", isComplete,
        isComplete
          ? nil
          : "  incomplete: it holds events of a later version, which this one cannot interpret")
    }
  }
}
