import Daybook
import DaybookEventCore
import DaybookJSON

/// Reports of settled forks, as text or as JSON.
enum ForkLines {
  static func print(_ report: Store.ForkReport) {
    StandardOutput.line(
      "origin \(report.origin) has two histories from event \(report.common + 1) on")
    switch report.outcome {
    case .kept:
      StandardOutput.line(
        "  this store's stands: sync from the store that wrote the other, "
          + "which then gives its own up")
    case .agreed:
      StandardOutput.line("  this store's stands: the hub has given the other up")
    case .removed(let folder):
      StandardOutput.line(
        "  the peer's stands: \(Text.count(report.events, "event")) taken out of the log, which is "
          + "kept as it was in \(folder)")
      if let renewed = report.renewed {
        StandardOutput.line(
          "  \(Text.count(report.reissued, "event")) written again as replica \(renewed)")
      }
    }
  }

  static func json(_ reports: [Store.ForkReport], to writer: inout JSONWriter) {
    writer.array { writer in
      for report in reports {
        writer.object {
          $0.member("origin", report.origin.description)
          $0.member("common", report.common)
          $0.member("events", report.events)
          $0.member("kept", report.outcome == .kept || report.outcome == .agreed)
          $0.member("agreed", report.outcome == .agreed)
          if case .removed(let folder) = report.outcome { $0.member("quarantine", folder) }
          if let renewed = report.renewed { $0.member("replica", renewed.description) }
          $0.member("reissued", report.reissued)
        }
      }
    }
  }
}
