import LogEngine

extension EventLog {
  /// - Throws: `damaged` where events are missing: what is made from the others must not take the
  ///   place of what was made from all.
  func requireWhole() throws(LogError) {
    guard let first = damage.first else { return }
    throw LogError(
      .damaged,
      "the log is damaged, so the read model, which may hold what the log has lost, stays as it is",
      segment: first.segment, offset: first.offset,
      hint: "Fetch the events from a backup or another copy with `evtool repair --from`")
  }
}
