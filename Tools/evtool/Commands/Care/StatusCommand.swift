import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookJSON
import DaybookLogEngine
import Foundation

/// The command `evtool status`.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows a store's health at a glance.",
    discussion: """
      The first line says “healthy”, or names the problem; the line below it says what to do. The \
      command reads the store without a lock, a recovery or a wait. So it also works on a store \
      that is damaged, read-only, or in use. The store's file “incidents” keeps recent problems.

      The exit code is 3 if the log is damaged. `evtool verify` looks closer.

      Example:
        evtool status notes.daybook
      """)

  @OptionGroup var store: StoreArgument
  @OptionGroup var output: JSONOption

  func run() async throws {
    let status = try await Store.status(at: store.url)
    if output.json {
      StandardOutput.line(Self.json(status))
    } else {
      print(status)
    }
    if !status.damage.isEmpty { throw Failure.silent(.damaged) }
  }

  // MARK: - For people

  private func line(_ name: String, _ text: String) {
    StandardOutput.line("\(Terminal.bold(Text.padded(name, 11))) \(text)")
  }

  private func print(_ status: Store.Status) {
    if status.isHealthy { line("health", "healthy") }
    for problem in status.problems {
      line("health", Terminal.colored(problem.message))
      line("", problem.cure)
    }
    line("replica", status.replica.description)
    let sealed =
      status.sealedSegments == 0 ? "" : " (\(Text.grouped(status.sealedSegments)) sealed)"
    line(
      "log",
      "\(Text.count(status.events, "event")) of "
        + "\(Text.count(status.logVector.count, "origin")), \(Text.bytes(status.logBytes)) in "
        + "\(Text.count(status.segments.count, "segment"))\(sealed), durable up to "
        + status.durableEnd.description)
    printLeftOut(status)
    printClocks(status)
    printReadModel(status)
    printNotShown(status)
    for finding in status.damage { line("DAMAGED", finding.description) }
    printPeers(status)
    if let backup = status.backup {
      line("backup", "\(Text.moment(backup.time)) to \(Text.oneLine(backup.folder))")
    }
    printQuarantine(status)
    printIncidents(status)
    printCollections(status)
  }

  /// What does not take part: events behind a gap, local ones, collections without a table.
  private func printLeftOut(_ status: Store.Status) {
    if status.waiting > 0 {
      line(
        "waiting",
        "\(Text.count(status.waiting, "event")) behind a gap; `evtool repair --from` may fill it")
    }
    if status.localEvents > 0 {
      line("local", "\(Text.count(status.localEvents, "event")) that never leave this replica")
    }
    if !status.hidden.isEmpty {
      line(
        "hidden",
        "\(Text.count(status.hidden.count, "declared collection")) without a table: "
          + status.hidden.prefix(10).joined(separator: ", ")
          + (status.hidden.count > 10 ? ", …" : "") + " (evtool hidden says why)")
    }
  }

  private func printClocks(_ status: Store.Status) {
    if !status.farFuture.isEmpty {
      line(
        "clocks",
        "\(Text.count(status.farFuture.count, "replica")) whose events claim to be of the year "
          + "2200 or later: " + status.farFuture.map(\.description).joined(separator: ", "))
    }
    if !status.clocksAhead.isEmpty {
      line(
        "clocks",
        "\(Text.count(status.clocksAhead.count, "replica")) whose events claim to be more than a "
          + "day later than this machine's clock: "
          + status.clocksAhead.map {
            "\($0.replica) (\(Text.moment($0.time.milliseconds)))"
          }.joined(separator: ", "))
    }
    if !status.farStamps.isEmpty {
      line(
        "stamps",
        "\(Text.count(status.farStamps.count, "hub")) whose stamps claim to be of the year 2200 or "
          + "later, and do not count (docs/trouble.md): "
          + status.farStamps.map(\.description).joined(separator: ", "))
    }
  }

  /// What the tables do not show, and why.
  private func printNotShown(_ status: Store.Status) {
    if status.readModelFault == nil {
      line("conflicts", status.conflicts == 0 ? "none" : Text.grouped(status.conflicts))
    }
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
        "\(Text.count(status.cycles, "reference")) that would close a circle in a tree, "
          + "shown as NULL")
    }
    if status.opaque > 0 {
      line(
        "unknown",
        "\(Text.count(status.opaque, "event or operation", "events or operations")) "
          + "of a later version")
    }
  }

  private func printPeers(_ status: Store.Status) {
    if let zone = status.zone { line("zone", zone) }
    if let authority = status.authority { line("authority", authority) }
    if let unstamped = status.unstamped, unstamped > 0 {
      line(
        "unstamped", "\(Text.count(unstamped, "event")) of this store that no hub has stamped yet")
      if let cause = status.unstampedCause {
        let held = status.logVector.contains(cause) ? "" : ", and which is not here"
        line("", "the first follows event \(cause), which no hub has stamped either\(held)")
      }
    }
    for (index, peer) in status.peers.enumerated() {
      let lag =
        peer.pending == 0
        ? "has all of this store's events"
        : "lacks \(Text.count(peer.pending, "event")) of this store"
      let time = peer.lastSuccess.map { ", last synced \(Text.moment($0))" } ?? ", never synced"
      line(index == 0 ? "peers" : "", "\(Text.oneLine(peer.address)): \(lag)\(time)")
      if let problem = peer.problem { line("", Terminal.colored(Text.oneLine(problem))) }
      if let cure = peer.cure { line("", Text.oneLine(cure)) }
    }
  }

  private func printReadModel(_ status: Store.Status) {
    if status.isHub, status.readModelBytes == 0 {
      return line("read model", "none; a hub needs none")
    }
    let wal =
      status.walBytes == 0 ? "" : ", \(Text.bytes(status.walBytes)) of that write-ahead log"
    let state =
      status.readModelFault != nil
      ? "not readable"
      : status.lag == 0 ? "up to date" : "\(Text.count(status.lag, "event")) behind the log"
    line("read model", "\(Text.bytes(status.readModelBytes))\(wal), \(state)")
  }

  private func printQuarantine(_ status: Store.Status) {
    guard !status.quarantine.isEmpty else { return }
    let bytes = status.quarantine.reduce(0) { $0 + $1.bytes }
    line(
      "quarantine",
      "\(Text.count(status.quarantine.count, "file")), \(Text.bytes(bytes)), in "
        + "\(store.url.appending(path: "quarantine").relativePath)")
  }

  private static let incidentsShown = 5

  private func printIncidents(_ status: Store.Status) {
    for (index, incident) in status.incidents.suffix(Self.incidentsShown).reversed().enumerated() {
      let times = incident.count == 1 ? "" : " (\(Text.grouped(incident.count)) times)"
      let facts = incident.facts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      line(
        index == 0 ? "incidents" : "",
        "\(Text.moment(incident.time)) \(incident.level.rawValue): "
          + Text.oneLine(incident.message) + times
          + (facts.isEmpty ? "" : "  " + Terminal.dim(Text.oneLine(facts.joined(separator: " ")))))
    }
    let more = status.incidents.count - Self.incidentsShown
    if more > 0 { line("", "… and \(Text.grouped(more)) earlier ones; --json has them") }
  }

  private func printCollections(_ status: Store.Status) {
    guard status.readModelFault == nil else { return }
    guard !status.collections.isEmpty else { return line("collections", "none") }
    StandardOutput.line()
    var table = Table(["collection", "entities", "kind"])
    for collection in status.collections {
      table.add([
        collection.name, Text.grouped(collection.entities),
        [collection.isLocal ? "local" : "", collection.isRelationship ? "relationship" : ""]
          .filter { !$0.isEmpty }.joined(separator: " "),
      ])
    }
    table.end()
  }

  // MARK: - For programs

  private static func json(_ status: Store.Status) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("healthy", status.isHealthy)
      writer.key("problems")
      writer.array { writer in
        for problem in status.problems {
          writer.object {
            $0.member("kind", problem.kind.rawValue)
            $0.member("message", problem.message)
            $0.member("cure", problem.cure)
          }
        }
      }
      writer.member("replica", status.replica.description)
      writer.member("hub", status.isHub)
      writer.member("events", status.events)
      writer.member("waiting", status.waiting)
      writer.member("localEvents", status.localEvents)
      writer.texts("hiddenCollections", status.hidden)
      writer.texts("farFuture", status.farFuture.map(\.description))
      writer.key("clocksAhead")
      writer.array { writer in
        for clock in status.clocksAhead {
          writer.object {
            $0.member("replica", clock.replica.description)
            $0.member("authored", ISO8601.text(clock.time.milliseconds) ?? "")
          }
        }
      }
      writer.texts("farStamps", status.farStamps.map(\.description))
      writer.key("vector")
      status.logVector.json(to: &writer)
      writer.key("durableEnd")
      writer.object {
        $0.member("segment", status.durableEnd.segment)
        $0.member("offset", status.durableEnd.offset)
      }
      writer.member("segments", status.segments.count)
      writer.member("sealedSegments", status.sealedSegments)
      writer.member("logBytes", status.logBytes)
      writer.key("checkpoint")
      status.readModelVector.json(to: &writer)
      writer.member("lag", status.lag)
      writer.member("readModelBytes", status.readModelBytes)
      writer.member("walBytes", status.walBytes)
      writer.member("conflicts", status.conflicts)
      writer.member("misfits", status.misfits)
      writer.member("parked", status.parked)
      writer.member("cycles", status.cycles)
      writer.member("opaque", status.opaque)
      peers(status, &writer)
      writer.texts("damage", status.damage.map(\.description))
      notes(status, &writer)
      writer.key("collections")
      writer.array { writer in
        for collection in status.collections {
          writer.object {
            $0.member("name", collection.name)
            $0.member("relationship", collection.isRelationship)
            $0.member("local", collection.isLocal)
            $0.member("entities", collection.entities)
          }
        }
      }
    }
    return writer.bytes
  }

  private static func peers(_ status: Store.Status, _ writer: inout JSONWriter) {
    writer.key("zone")
    if let zone = status.zone { writer.text(zone) } else { writer.null() }
    writer.key("authority")
    if let authority = status.authority { writer.text(authority) } else { writer.null() }
    writer.key("unstamped")
    if let unstamped = status.unstamped { writer.integer(unstamped) } else { writer.null() }
    if let cause = status.unstampedCause { writer.member("unstampedCause", cause.description) }
    writer.key("peers")
    writer.array { writer in
      for peer in status.peers {
        writer.object { writer in
          writer.member("address", peer.address)
          writer.member("state", peer.phase.rawValue)
          writer.member("pending", peer.pending)
          writer.key("lastSuccess")
          if let time = peer.lastSuccess { writer.timestamp(time) } else { writer.null() }
          if let problem = peer.problem { writer.member("problem", problem) }
          if let cure = peer.cure { writer.member("cure", cure) }
        }
      }
    }
  }

  private static func notes(_ status: Store.Status, _ writer: inout JSONWriter) {
    writer.key("quarantine")
    writer.array { writer in
      for file in status.quarantine {
        writer.object {
          $0.member("name", file.name)
          $0.member("bytes", file.bytes)
        }
      }
    }
    writer.key("incidents")
    writer.array { writer in
      for incident in status.incidents {
        writer.object { writer in
          writer.key("time")
          writer.timestamp(incident.time)
          writer.member("count", incident.count)
          writer.member("level", incident.level.rawValue)
          writer.member("message", incident.message)
          writer.key("facts")
          writer.object {
            for (key, value) in incident.facts.sorted(by: { $0.key < $1.key }) {
              $0.member(key, value)
            }
          }
        }
      }
    }
    writer.key("backup")
    guard let backup = status.backup else { return writer.null() }
    writer.object {
      $0.key("time")
      $0.timestamp(backup.time)
      $0.member("folder", backup.folder)
    }
  }
}
