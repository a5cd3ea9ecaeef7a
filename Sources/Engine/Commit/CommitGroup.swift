import DaybookEventCore
import DaybookLogEngine
import DaybookProjections

/// The transactions that share an fsync, and that run in one transaction of the read model.
///
/// If one of them fails, the others are written all the same.
final class CommitGroup {
  /// Writes the events of the transactions.
  let writer: EventWriter
  /// Whether the group may have several transactions.
  ///
  /// If so, the last write of each is applied before its event is finished. An error of the read
  /// model then fails one transaction and not the whole group.
  private let isShared: Bool
  /// The series of which a transaction has failed in this group.
  ///
  /// Their later transactions are not run.
  private var failedSeries: Set<ObjectIdentifier> = []

  /// The bytes of events from which a group takes no further transaction.
  private static let bytesMax = 1 << 20

  /// - Parameter isShared: whether there may be several transactions.
  init(_ writer: EventWriter, isShared: Bool) {
    self.writer = writer
    self.isShared = isShared
  }

  /// Runs transactions until the group has no room.
  /// - Returns: the outcomes of those that were run, in order.
  /// - Throws: an error after which the group cannot go on.
  func run(_ jobs: [WriteJob]) throws -> [WriteOutcome] {
    var outcomes: [WriteOutcome] = []
    for job in jobs {
      guard let outcome = try run(job) else { break }
      outcomes.append(outcome)
    }
    return outcomes
  }

  /// Runs one transaction.
  /// - Returns: its outcome, also if the transaction throws; nil if the group has no room for it,
  ///   and it must run in another.
  /// - Throws: an error after which the group cannot go on.
  func run(_ job: WriteJob) throws -> WriteOutcome? {
    guard let series = job.series else { return try attempt(job) }
    guard !series.isBroken, !failedSeries.contains(ObjectIdentifier(series)) else {
      return .failure(WriteSeries.Broken())
    }
    let outcome = try attempt(job)
    if case .failure = outcome { failedSeries.insert(ObjectIdentifier(series)) }
    return outcome
  }

  private func attempt(_ job: WriteJob) throws -> WriteOutcome? {
    if writer.rawLength > Self.bytesMax { return nil }
    if job.readsLog, !writer.isEmpty { return nil }
    try writer.prepare()
    let transaction = WriteTransaction(writer)
    do {
      let value = try transaction.run(job.body)
      try writer.finish(job, isOnly: !isShared)
      return .success(value)
    } catch {
      try writer.discard(isSpoiled: transaction.failure != nil)
      return .failure(error)
    }
  }
}
