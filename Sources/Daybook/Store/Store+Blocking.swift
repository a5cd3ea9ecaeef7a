import DaybookEngine

extension Store {
  /// Writes one event, and waits for it on the calling thread, which may block.
  /// - Parameter readsLog: whether `body` reads events of the log, so that all before it must be
  ///   there.
  /// - Throws: ``StoreError`` `reentrant` within a transaction of this store.
  func writeNow<T: Sendable>(
    _ actor: String?, _ label: String, _ annotations: [String: String], readsLog: Bool,
    _ body: @escaping @Sendable (WriteTransaction) throws -> T
  ) throws -> T {
    let outcome = Awaited<any Sendable>()
    var job = try WriteJob(
      actor: actor ?? options.actor, label: label, annotations: annotations, body: body,
      finish: { outcome.set($0) })
    job.readsLog = readsLog
    try core.writeNow(job)
    return try WriteJob.value(try outcome.wait())
  }
}
