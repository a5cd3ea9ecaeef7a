import Daybook
import DaybookJSON
import DaybookReplication

/// The loop of `evtool sync --live`: syncs until it is interrupted, and reports changes of state.
enum SyncLive {
  static func run(_ store: Store, _ peer: any SyncPeer, json: Bool) async {
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
      if json {
        StandardOutput.line(Self.json(state))
      } else {
        for line in lines where !shown.contains(line) { StandardOutput.line(line) }
      }
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
      if state.unsent > 0 {
        lines.append(
          "\(Text.count(state.unsent, "event")) not sent: the peer lets this store read only")
      }
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

  private static func json(_ state: PeerState) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("state", state.phase.rawValue)
      writer.member("sent", state.sent)
      writer.member("unsent", state.unsent)
      writer.member("received", state.received)
      writer.member("missing", state.missing)
      writer.member("pending", state.pending)
      writer.member("listening", state.isListening)
      if let problem = state.problem { writer.member("problem", problem) }
      if let cure = state.cure { writer.member("cure", cure) }
      SyncCommand.json(state.findings, to: &writer)
    }
    return writer.bytes
  }
}
