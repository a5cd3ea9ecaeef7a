package import DaybookEventCore
package import DaybookFrames
package import DaybookLogEngine

extension EventLog {
  /// Returns whether a rebuild is quicker than applying the events that a read model with `vector`
  /// lacks.
  ///
  /// Applying takes about ten times as long for each event and byte. Cost: looks at every frame's
  /// index entry, in memory.
  package func isWorthRebuilding(from vector: VersionVector) -> Bool {
    var total = 0
    var missing = 0
    for entry in snapshot().whole.entries {
      let weight = entry.rawLength + 64 * entry.count
      total += weight
      if entry.lastSequence > vector[entry.origin] { missing += weight }
    }
    return missing > 256 << 10 && missing > total / 8
  }

  /// Checks that the log is not damaged, before a rebuild replaces the read model.
  /// - Throws: `LogError` `damaged` if events are missing: a read model without them must not
  ///   replace one that may have them.
  package func requireWhole() throws(LogError) {
    guard let first = damage.first else { return }
    throw LogError(
      .damaged,
      "the log is damaged, so the read model, which may hold what the log has lost, stays as it is",
      segment: first.segment, offset: first.offset,
      hint: "Fetch the events from a backup or another store with `evtool repair --from`")
  }
}
