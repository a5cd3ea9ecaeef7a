import DaybookLocks

/// The editing sessions of a store that have not ended.
final class EditingSessions: Sendable {
  private let engines = Mutex<[ObjectIdentifier: EditingEngine]>([:])

  func add(_ engine: EditingEngine) {
    engines.withLock { $0[ObjectIdentifier(engine)] = engine }
  }

  func forget(_ engine: EditingEngine) {
    engines.withLock { $0[ObjectIdentifier(engine)] = nil }
  }

  /// Writes what was typed in all sessions, and ends those of which all could be written.
  func close() async {
    for engine in engines.withLock({ Array($0.values) }) { try? await engine.close() }
  }
}
