import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookJSON

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
    let report = try await store.read { try await $0.digest() }
    if output.json { return StandardOutput.line(report.json) }
    report.print()
  }
}

extension Store.DigestReport {
  func print() {
    StandardOutput.line("digest \(Terminal.bold(digest.description))")
    for (origin, sequence) in vector.entries {
      StandardOutput.line("  \(origin)  \(Text.count(sequence, "event"))")
    }
    if !isComplete {
      StandardOutput.line(
        "  incomplete: it holds events of a later version, which this one cannot interpret")
    }
  }

  var json: [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.member("digest", digest.description)
      $0.key("vector")
      vector.json(to: &$0)
      $0.member("rules", StateDigest.rules)
      $0.member("complete", isComplete)
    }
    return writer.bytes
  }
}

extension VersionVector {
  func json(to writer: inout JSONWriter) {
    writer.object {
      for (origin, sequence) in entries { $0.member(origin.description, sequence) }
    }
  }
}
