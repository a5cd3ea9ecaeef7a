import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookLogEngine
import Foundation

/// Health, and what keeps it.
extension APIRoute {
  static let ofHealth: [APIRoute] = [status, verify, backup]

  private static let status = APIRoute(
    .get, "status", "The health of the store, and cures", .reads, [],
    results: [
      .init("healthy", SchemaType.boolean, "Whether there is no problem."),
      .init("problems", SchemaType.array, "Each problem, with its cure."),
      .init("events", SchemaType.integer, "The number of events in the log."),
      .init("segments", SchemaType.integer, "The number of files of the log."),
      .init("logBytes", SchemaType.integer, "The bytes of the log."),
      .init("readModelBytes", SchemaType.integer, "The bytes of the read model."),
      .init("lag", SchemaType.integer, "Events that the read model does not have yet."),
      .init("waiting", SchemaType.integer, "Events behind a gap."),
      .init("zone", SchemaType.optional(SchemaType.text), "The zone that the store belongs to."),
      .init("conflicts", SchemaType.integer, "The number of open conflicts."),
      .init("misfits", SchemaType.integer, "Values that are not of the declared type."),
      .init("parked", SchemaType.integer, "Values of unique fields that another entity has."),
      .init("cycles", SchemaType.integer, "References that would close a circle in a tree."),
      .init("opaque", SchemaType.integer, "Events or operations of a later version."),
      .init("damage", SchemaType.array, "What is damaged in the log."),
      .init("incidents", SchemaType.array, "What the store had to put right, newest first."),
      .init("backup", SchemaType.optional(SchemaType.object), "The last backup."),
      .init("vector", SchemaType.object, "The number of the last event of each origin."),
    ]
  ) { inspection, _ in
    HealthAnswer(try await inspection.store.status()).members
  }

  private static let steps: [Result] = [
    .init("progress", SchemaType.object, "`done` and `total`, in bytes."),
    .init("result", SchemaType.object, "What came of it; the last event."),
    .init("failure", SchemaType.object, "What went wrong, as other answers have it."),
  ]

  private static let verify = APIRoute(
    .post, "verify", "Checks every byte of the log and the read model", .reads, [], steps,
    .events { inspection, _, events in
      let progress = JobProgress(events)
      let found = try await inspection.store.verify { progress.say($0, of: $1) }
      events.send(
        "result",
        [
          ("sound", .boolean(found.isSound)),
          ("compared", .boolean(found.isCompared)),
          ("findings", .array(HealthAnswer.findings(found))),
          ("notes", .array(found.notes.map { .text($0) })),
          ("digest", found.digest.map { .text("\($0)") } ?? .null),
        ])
    })

  private static let backup = APIRoute(
    .post, "backup", "Makes a backup in a folder of this machine, or updates it", .acts,
    [CallParameter("folder", .text, required: true, "An absolute path.")], steps,
    .events { inspection, arguments, events in
      guard inspection.options.allowsBackups else {
        throw APIFailure(
          403, "forbidden", "this inspector makes no backups",
          cure: "Make one with `evtool backup` on the hub's machine")
      }
      let folder = try arguments.required("folder")
      guard folder.begins(with: "/"), !folder.utf8.contains(0) else {
        throw CallFailure("“\(folder.prefix(80))” is no absolute path", cure: "Begin with “/”")
      }
      let progress = JobProgress(events)
      let report = try await Store.backup(
        at: inspection.store.url, to: URL(fileURLWithPath: folder, isDirectory: true)
      ) { progress.say($0, of: $1) }
      events.send(
        "result",
        [
          ("events", AnswerJSON.count(report.events)), ("bytes", AnswerJSON.count(report.bytes)),
          ("copied", AnswerJSON.count(report.bytesCopied)),
        ])
    })
}

/// The health of a store as JSON.
private struct HealthAnswer {
  private let status: Store.Status

  init(_ status: Store.Status) { self.status = status }

  var members: Members { health + sizes + hidden + past }

  private var health: Members {
    let problems = status.problems.map { problem -> JSONValue in
      .object([
        ("kind", .text(problem.kind.rawValue)), ("message", .text(problem.message)),
        ("cure", .text(problem.cure)),
      ])
    }
    let damage = status.damage.map { JSONValue.text($0.description) }
    return [
      ("healthy", .boolean(status.isHealthy)), ("problems", .array(problems)),
      ("damage", .array(damage)),
    ]
  }

  private var sizes: Members {
    let origins = status.logVector.entries.sorted { $0.origin < $1.origin }
    let vector = origins.map { (key: "\($0.origin)", value: AnswerJSON.count($0.sequence)) }
    return [
      ("events", .integer(Int64(status.events))),
      ("segments", .integer(Int64(status.segments.count))),
      ("logBytes", AnswerJSON.count(status.logBytes)),
      ("readModelBytes", AnswerJSON.count(status.readModelBytes)),
      ("lag", AnswerJSON.count(status.lag)), ("waiting", AnswerJSON.count(status.waiting)),
      ("zone", InspectorValue.text(status.zone)), ("vector", .object(vector)),
    ]
  }

  private var hidden: Members {
    [
      ("conflicts", .integer(Int64(status.conflicts))),
      ("misfits", .integer(Int64(status.misfits))), ("parked", .integer(Int64(status.parked))),
      ("cycles", .integer(Int64(status.cycles))), ("opaque", .integer(Int64(status.opaque))),
    ]
  }

  private var past: Members {
    let incidents = status.incidents.suffix(100).reversed().map { incident -> JSONValue in
      .object([
        ("time", AnswerJSON.time(incident.time)), ("level", .text(incident.level.rawValue)),
        ("message", .text(incident.message)), ("count", .integer(Int64(incident.count))),
      ])
    }
    var backup = JSONValue.null
    if let note = status.backup {
      backup = .object([("time", AnswerJSON.time(note.time)), ("folder", .text(note.folder))])
    }
    return [("incidents", .array(incidents)), ("backup", backup)]
  }

  static func findings(_ found: Store.Verification) -> [JSONValue] {
    var lines = found.log.findings.map(\.description)
    lines += found.fileFindings
    lines += found.readModelFindings
    if let difference = found.difference { lines.append("\(difference)") }
    return lines.map { .text($0) }
  }
}
