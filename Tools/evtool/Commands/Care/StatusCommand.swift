import ArgumentParser
import Daybook
import DaybookEventCore
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
    try output.show(
      Report {
        health(status, &$0)
        log(status, &$0)
        readModel(status, &$0)
        notShown(status, &$0)
        damageAndPeers(status, &$0)
        notes(status, &$0)
        collections(status, &$0)
      })
    if !status.damage.isEmpty { throw Failure.silent(.damaged) }
  }

  private func health(_ status: Store.Status, _ report: inout Report) {
    report.fact(
      "healthy", status.isHealthy, row: "health", if: status.isHealthy,
      "healthy")
    report.fact(
      "problems",
      status.problems.map { problem in
        Report {
          $0.fact("kind", problem.kind.rawValue)
          $0.fact("message", problem.message, row: "health", Terminal.colored(problem.message))
          $0.fact("cure", problem.cure, row: "", problem.cure)
        }
      })
    report.fact("replica", status.replica, row: "replica", status.replica.description)
    report.fact("hub", status.isHub)
  }

  private func log(_ status: Store.Status, _ report: inout Report) {
    let sealed =
      status.sealedSegments == 0 ? "" : " (\(Text.grouped(status.sealedSegments)) sealed)"
    report.fact(
      "events", status.events, row: "log",
      "\(Text.count(status.events, "event")) of "
        + "\(Text.count(status.logVector.count, "origin")), \(Text.bytes(status.logBytes)) in "
        + "\(Text.count(status.segments.count, "segment"))\(sealed), durable up to "
        + status.durableEnd.description)
    leftOut(status, &report)
    clocks(status, &report)
    report.fact("vector", status.logVector)
    report.fact(
      "durableEnd",
      Report {
        $0.fact("segment", status.durableEnd.segment)
        $0.fact("offset", status.durableEnd.offset)
      })
    report.fact("segments", status.segments.count)
    report.fact("sealedSegments", status.sealedSegments)
    report.fact("logBytes", status.logBytes)
  }

  /// What does not take part: events behind a gap, local ones, collections without a table.
  private func leftOut(_ status: Store.Status, _ report: inout Report) {
    report.fact(
      "waiting", status.waiting, row: "waiting", if: status.waiting > 0,
      "\(Text.count(status.waiting, "event")) behind a gap; `evtool repair --from` may fill it")
    report.fact(
      "localEvents", status.localEvents, row: "local", if: status.localEvents > 0,
      "\(Text.count(status.localEvents, "event")) that never leave this replica")
    report.fact(
      "hiddenCollections", status.hidden, row: "hidden", if: !status.hidden.isEmpty,
      "\(Text.count(status.hidden.count, "declared collection")) without a table: "
        + status.hidden.prefix(10).joined(separator: ", ")
        + (status.hidden.count > 10 ? ", …" : "") + " (evtool hidden says why)")
  }

  private func clocks(_ status: Store.Status, _ report: inout Report) {
    report.fact(
      "farFuture", status.farFuture, row: "clocks", if: !status.farFuture.isEmpty,
      "\(Text.count(status.farFuture.count, "replica")) whose events claim to be of the year "
        + "2200 or later: " + status.farFuture.map(\.description).joined(separator: ", "))
    report.fact(
      "clocksAhead",
      status.clocksAhead.map { clock in
        Report {
          $0.fact("replica", clock.replica)
          $0.fact("authored", ISO8601.text(clock.time.milliseconds) ?? "")
        }
      }, row: "clocks", if: !status.clocksAhead.isEmpty,
      "\(Text.count(status.clocksAhead.count, "replica")) whose events claim to be more than a "
        + "day later than this machine's clock: "
        + status.clocksAhead.map {
          "\($0.replica) (\(Text.moment($0.time.milliseconds)))"
        }.joined(separator: ", "))
    report.fact(
      "farStamps", status.farStamps, row: "stamps", if: !status.farStamps.isEmpty,
      "\(Text.count(status.farStamps.count, "hub")) whose stamps claim to be of the year 2200 "
        + "or later, and do not count (docs/trouble.md): "
        + status.farStamps.map(\.description).joined(separator: ", "))
  }

  private func readModel(_ status: Store.Status, _ report: inout Report) {
    report.fact("checkpoint", status.readModelVector)
    report.fact("lag", status.lag)
    report.fact("readModelBytes", status.readModelBytes)
    report.fact("walBytes", status.walBytes)
    if status.isHub, status.readModelBytes == 0 {
      return report.row("read model", "none; a hub needs none")
    }
    let wal =
      status.walBytes == 0 ? "" : ", \(Text.bytes(status.walBytes)) of that write-ahead log"
    let state =
      status.readModelFault != nil
      ? "not readable"
      : status.lag == 0 ? "up to date" : "\(Text.count(status.lag, "event")) behind the log"
    report.row("read model", "\(Text.bytes(status.readModelBytes))\(wal), \(state)")
  }

  /// What the tables do not show, and why.
  private func notShown(_ status: Store.Status, _ report: inout Report) {
    report.fact(
      "conflicts", status.conflicts, row: "conflicts", if: status.readModelFault == nil,
      status.conflicts == 0 ? "none" : Text.grouped(status.conflicts))
    report.fact(
      "misfits", status.misfits, row: "misfits", if: status.misfits > 0,
      "\(Text.count(status.misfits, "value")) not of the declared type, shown as NULL")
    report.fact(
      "parked", status.parked, row: "parked", if: status.parked > 0,
      "\(Text.count(status.parked, "value")) of unique fields that an earlier entity has; "
        + "`evtool hidden` names them")
    report.fact(
      "cycles", status.cycles, row: "cycles", if: status.cycles > 0,
      "\(Text.count(status.cycles, "reference")) that would close a circle in a tree, "
        + "shown as NULL")
    report.fact(
      "opaque", status.opaque, row: "unknown", if: status.opaque > 0,
      "\(Text.count(status.opaque, "event or operation", "events or operations")) "
        + "of a later version")
  }

  private func damageAndPeers(_ status: Store.Status, _ report: inout Report) {
    for finding in status.damage { report.row("DAMAGED", finding.description) }
    report.fact("zone", status.zone, row: "zone", if: status.zone != nil, status.zone ?? "")
    report.fact(
      "authority", status.authority, row: "authority", if: status.authority != nil,
      status.authority ?? "")
    let unstamped = status.unstamped ?? 0
    report.fact(
      "unstamped", status.unstamped, row: "unstamped", if: unstamped > 0,
      "\(Text.count(unstamped, "event")) of this store that no hub has stamped yet")
    if let cause = status.unstampedCause {
      let held = status.logVector.contains(cause) ? "" : ", and which is not here"
      report.fact(
        "unstampedCause", cause, row: "", if: unstamped > 0,
        "the first follows event \(cause), which no hub has stamped either\(held)")
    }
    report.fact(
      "peers", status.peers.enumerated().map { self.report($1, label: $0 == 0 ? "peers" : "") })
    report.fact("damage", status.damage.map(\.description))
  }

  private func report(_ peer: PeerState, label: String) -> Report {
    Report {
      let lag =
        peer.unacknowledged == 0
        ? "has all of this store's events"
        : "lacks \(Text.count(peer.unacknowledged, "event")) of this store"
      let time = peer.lastSuccess.map { ", last synced \(Text.moment($0))" } ?? ", never synced"
      $0.fact(
        "address", peer.address, row: label, "\(Text.oneLine(peer.address)): \(lag)\(time)")
      $0.fact("state", peer.phase.rawValue)
      $0.fact("unacknowledged", peer.unacknowledged)
      $0.fact("lastSuccess", peer.lastSuccess.map(Value.timestamp))
      if let problem = peer.problem {
        $0.fact("problem", problem, row: "", Terminal.colored(Text.oneLine(problem)))
      }
      if let cure = peer.cure { $0.fact("cure", cure, row: "", Text.oneLine(cure)) }
    }
  }

  /// What the store's folder has beside the log: copies of what was damaged, recent problems, and
  /// where the last backup is.
  private func notes(_ status: Store.Status, _ report: inout Report) {
    let backup = status.backup
    if let backup {
      report.row("backup", "\(Text.moment(backup.time)) to \(Text.oneLine(backup.folder))")
    }
    let bytes = status.quarantine.reduce(0) { $0 + $1.bytes }
    report.fact(
      "quarantine",
      status.quarantine.map { file in
        Report {
          $0.fact("name", file.name)
          $0.fact("bytes", file.bytes)
        }
      }, row: "quarantine", if: !status.quarantine.isEmpty,
      "\(Text.count(status.quarantine.count, "file")), \(Text.bytes(bytes)), in "
        + "\(store.url.appending(path: "quarantine").relativePath)")
    incidents(status.incidents, &report)
    report.fact(
      "backup",
      backup.map { backup in
        Report {
          $0.fact("time", Value.timestamp(backup.time))
          $0.fact("folder", backup.folder)
        }
      })
  }

  private static let incidentsShown = 5

  private func incidents(_ incidents: [Store.Incident], _ report: inout Report) {
    report.fact(
      "incidents",
      incidents.map { incident in
        Report {
          $0.fact("time", Value.timestamp(incident.time))
          $0.fact("count", incident.count)
          $0.fact("level", incident.level.rawValue)
          $0.fact("message", incident.message)
          $0.fact("facts", incident.facts)
        }
      })
    for (index, incident) in incidents.suffix(Self.incidentsShown).reversed().enumerated() {
      let times = incident.count == 1 ? "" : " (\(Text.grouped(incident.count)) times)"
      let facts = incident.facts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      report.row(
        index == 0 ? "incidents" : "",
        "\(Text.moment(incident.time)) \(incident.level.rawValue): "
          + Text.oneLine(incident.message) + times
          + (facts.isEmpty ? "" : "  " + Terminal.dim(Text.oneLine(facts.joined(separator: " ")))))
    }
    let more = incidents.count - Self.incidentsShown
    if more > 0 {
      report.row("", "… and \(Text.grouped(more)) earlier ones; --json has them")
    }
  }

  private func collections(_ status: Store.Status, _ report: inout Report) {
    let collections = status.collections.map { collection in
      Report {
        $0.fact("name", collection.name, column: "collection")
        $0.fact("relationship", collection.isRelationship)
        $0.fact(
          "local", collection.isLocal, column: "kind",
          [collection.isLocal ? "local" : "", collection.isRelationship ? "relationship" : ""]
            .filter { !$0.isEmpty }.joined(separator: " "))
        $0.fact(
          "entities", collection.entities, column: "entities", Text.grouped(collection.entities))
      }
    }
    guard status.readModelFault == nil, !collections.isEmpty else {
      return report.fact(
        "collections", collections, row: "collections", if: status.readModelFault == nil,
        "none")
    }
    report.line("")
    report.fact("collections", collections, columns: ["collection", "entities", "kind"])
  }
}

extension Report {
  /// Adds a line for people: a name, and what it says. An empty name continues the line above it.
  fileprivate mutating func row(_ name: String, _ text: @autoclosure @escaping () -> String) {
    line("\(Terminal.bold(Text.padded(name, 11))) \(text())")
  }

  /// Adds a fact, and a row about it if it is of interest.
  fileprivate mutating func fact(
    _ key: String, _ value: some ReportValue, row name: String, if isOfInterest: Bool = true,
    _ text: @autoclosure @escaping () -> String
  ) {
    fact(key, value)
    if isOfInterest { row(name, text()) }
  }
}
