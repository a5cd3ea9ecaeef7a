import Daybook
import DaybookEventCore

extension Store.ForkReport {
  /// What `evtool` says about a fork that was settled.
  var report: Report {
    Report {
      $0.fact(
        "origin", origin, "origin \(origin) has two histories from event \(common + 1) on")
      $0.fact("common", common)
      $0.fact("events", events)
      $0.fact("kept", outcome == .kept || outcome == .agreed)
      $0.fact("agreed", outcome == .agreed)
      switch outcome {
      case .kept:
        $0.line(
          "  this store's stands: sync from the store that wrote the other, "
            + "which then gives its own up")
      case .agreed:
        $0.line("  this store's stands: the hub has given the other up")
      case .removed(let folder):
        $0.fact(
          "quarantine", folder,
          "  the peer's stands: \(Text.count(events, "event")) taken out of the log, which is "
            + "kept as it was in \(folder)")
        if let renewed {
          $0.line("  \(Text.count(reissued, "event")) written again as replica \(renewed)")
        }
      }
      if let renewed { $0.fact("replica", renewed) }
      $0.fact("reissued", reissued)
    }
  }
}
