import Daybook
import DaybookReplication

/// The loop of `evtool sync --live`: syncs until it is interrupted, and reports changes of state.
enum SyncLive {
  static func run(_ store: Store, _ peer: any SyncPeer, _ output: JSONOption) async throws {
    Interrupt.listen()
    let engine = SyncEngine(store)
    engine.add(peer)
    let stopping = Task {
      await Interrupt.wait()
      await engine.stop()
    }
    var shown: [String] = []
    for await states in engine.updates() {
      guard let state = states.first, let lines = lines(state), lines != shown else { continue }
      try output.show(report(state, lines.filter { !shown.contains($0) }))
      StandardOutput.flush()
      shown = lines
    }
    await stopping.value
  }

  /// Returns the lines for a state; nil if there is nothing to report.
  private static func lines(_ state: PeerState) -> [String]? {
    var lines: [String] = []
    switch state.phase {
    case .syncing, .paused: return nil
    case .idle:
      guard state.lastSuccess != nil else { return nil }
      let extent = state.missing > 0 ? "in part" : "in sync"
      lines.append(
        "\(extent): sent \(Text.count(state.sent, "event")), received "
          + Text.count(state.received, "event"))
      if let unsent = SyncCommand.unsent(state.unsent) { lines.append(unsent) }
      if let missing = SyncCommand.missing(state.missing) { lines.append(missing) }
      if let problem = state.listeningProblem {
        lines.append(
          Text.oneLine("the peer does not tell of changes, and is asked instead: \(problem)"))
      }
    case .offline, .error: break
    }
    if let problem = state.problem { lines.append(Text.oneLine(problem)) }
    if let cure = state.cure { lines.append("  " + Text.oneLine(cure)) }
    return lines + SyncCommand.lines(state.findings)
  }

  private static func report(_ state: PeerState, _ lines: [String]) -> Report {
    Report {
      for line in lines { $0.line(line) }
      $0.fact("state", state.phase.rawValue)
      $0.fact("sent", state.sent)
      $0.fact("unsent", state.unsent)
      $0.fact("received", state.received)
      $0.fact("missing", state.missing)
      $0.fact("unacknowledged", state.unacknowledged)
      $0.fact("listening", state.isListening)
      if let problem = state.problem { $0.fact("problem", problem) }
      if let cure = state.cure { $0.fact("cure", cure) }
      $0.fact("findings", state.findings.map(\.report))
    }
  }
}
