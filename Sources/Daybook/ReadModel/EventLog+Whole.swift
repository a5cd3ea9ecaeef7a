import LogEngine

extension EventLog {
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
