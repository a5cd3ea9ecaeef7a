import DaybookInterchange
import DaybookLocks

/// The progress of an import as a line on the error stream: a new one for each file and phase.
final class ImportProgressLine: Sendable {
  private struct State {
    var key = ""
    var line: ProgressLine?
  }

  private let state = Mutex(State())

  /// Progress to this line, until a signal asks for the end.
  var hooks: ImportHooks {
    ImportHooks(progress: { self.update($0) }, isStopped: { Interrupt.isRequested })
  }

  func update(_ progress: InterchangeProgress) {
    let (label, unit) =
      switch progress.phase {
      case .reading: ("reading \(progress.file)", "rows")
      case .trying: ("trying \(progress.file)", "operations")
      case .importing: ("import \(progress.file)", "operations")
      case .exporting: ("export", "entities")
      }
    let line = state.withLock { state in
      if state.key != label {
        state.line?.clear()
        state = State(key: label, line: ProgressLine(label, unit: unit))
      }
      return state.line
    }
    line?.update(progress.count, fraction: progress.fraction)
  }

  func clear() { state.withLock { $0.line?.clear() } }
}
