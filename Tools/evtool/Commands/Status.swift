import ArgumentParser
import Daybook
import LogEngine

/// `evtool status`.
struct Status: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows a store's health at a glance.",
    discussion: """
      Ends with 3 where opening found damage to the log; `evtool verify` looks closer.

      Example:
        evtool status notes.daybook
      """)

  @OptionGroup var store: StoreArgument
  @OptionGroup var output: JSONOption

  func run() async throws {
    let status = try await store.read { try await $0.status() }
    if output.json {
      StandardOutput.line(Self.json(status))
    } else {
      Self.print(status)
    }
    if !status.damage.isEmpty { throw Failure.silent(.damaged) }
  }

  private static func print(_ status: StoreStatus) {
    func line(_ name: String, _ text: String) {
      StandardOutput.line("\(Terminal.bold(Text.padded(name, 11))) \(text)")
    }
    line("replica", status.replica.description)
    line(
      "log",
      "\(Text.count(status.events, "event")) of "
        + "\(Text.count(status.logVector.count, "origin")), \(Text.bytes(status.logBytes)) in "
        + Text.count(status.segments.count, "segment"))
    let lag = status.lag == 0 ? "up to date" : "\(Text.count(status.lag, "event")) behind the log"
    line("read model", "\(Text.bytes(status.readModelBytes)), \(lag)")
    line(
      "conflicts", status.conflicts == 0 ? "none" : Text.grouped(status.conflicts))
    if status.misfits > 0 {
      line(
        "misfits", "\(Text.count(status.misfits, "value")) not of the declared type, shown as NULL")
    }
    if status.parked > 0 {
      line(
        "parked",
        "\(Text.count(status.parked, "value")) of unique fields that an earlier entity has; "
          + "`evtool hidden` names them")
    }
    if status.cycles > 0 {
      line(
        "cycles",
        "\(Text.count(status.cycles, "reference")) that would close a circle in a tree, shown as NULL"
      )
    }
    if status.opaque > 0 {
      line(
        "unknown",
        "\(Text.count(status.opaque, "event or operation", "events or operations")) of a later version"
      )
    }
    for finding in status.damage { line("DAMAGED", finding.description) }
    if !status.recovery.isClean { line("recovered", status.recovery.description) }
    guard !status.collections.isEmpty else { return line("collections", "none") }
    StandardOutput.line()
    var table = Table(["collection", "entities", "kind"])
    for collection in status.collections {
      table.add([
        collection.name, Text.grouped(collection.entities),
        collection.isRelationship ? "relationship" : "",
      ])
    }
    table.print()
  }

  private static func json(_ status: StoreStatus) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("replica", status.replica.description)
      writer.member("events", status.events)
      writer.key("vector")
      status.logVector.json(to: &writer)
      writer.member("lag", status.lag)
      writer.member("segments", status.segments.count)
      writer.member("logBytes", status.logBytes)
      writer.member("readModelBytes", status.readModelBytes)
      writer.member("conflicts", status.conflicts)
      writer.member("misfits", status.misfits)
      writer.member("parked", status.parked)
      writer.member("cycles", status.cycles)
      writer.member("opaque", status.opaque)
      writer.member("healthy", status.isHealthy)
      writer.texts("damage", status.damage.map(\.description))
      writer.key("collections")
      writer.array { writer in
        for collection in status.collections {
          writer.object {
            $0.member("name", collection.name)
            $0.member("relationship", collection.isRelationship)
            $0.member("entities", collection.entities)
          }
        }
      }
    }
    return writer.bytes
  }
}
