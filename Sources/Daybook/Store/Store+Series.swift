import DaybookEventCore
import DaybookLocks

/// One write of a series: several events that are written in order.
package struct SeriesWrite<T: Sendable>: Sendable {
  /// The actor of the event; ``Store/Options/actor`` if nil.
  package var actor: String?
  /// The purpose of the write, in words.
  package var label: String
  /// Facts about the event itself.
  package var annotations: [String: String]
  /// Whether the transaction reads events of the log, so that all before it must be there.
  package var readsLog: Bool
  /// The transaction.
  package var body: @Sendable (WriteTransaction) throws -> T

  package init(
    actor: String? = nil, label: String = "", annotations: [String: String] = [:],
    readsLog: Bool = false, _ body: @escaping @Sendable (WriteTransaction) throws -> T
  ) {
    self.actor = actor
    self.label = label
    self.annotations = annotations
    self.readsLog = readsLog
    self.body = body
  }
}

extension Store {
  /// Writes events in order, each only if all before it were written.
  ///
  /// The events share fsyncs, and the processor's work for one overlaps with the next. After a
  /// crash, the first ones of the events on shared collections are there, and the first ones of
  /// those on local collections.
  /// - Returns: the results of the transactions that were written, all of which are durable; and
  ///   the error of the first one that was not, if there is one.
  package func write<T>(series writes: [SeriesWrite<T>]) async -> (
    values: [T], failure: (any Error)?
  ) {
    let outcomes = await outcomes(of: writes)
    var values: [T] = []
    for outcome in outcomes {
      do { values.append(try Self.value(try outcome.get())) } catch { return (values, error) }
    }
    return (values, nil)
  }

  private func outcomes<T>(of writes: [SeriesWrite<T>]) async -> [WriteOutcome] {
    guard !writes.isEmpty else { return [] }
    for (index, write) in writes.enumerated() {
      do { try Self.checkKeys(write.annotations) } catch {
        return await outcomes(of: Array(writes[..<index])) + [.failure(error)]
      }
    }
    return await withCheckedContinuation { continuation in
      let series = WriteSeries()
      let collected = Collected(writes.count) { continuation.resume(returning: $0) }
      let jobs = writes.enumerated().map { index, write in
        var job = WriteJob(
          actor: write.actor ?? options.actor, label: write.label,
          annotations: write.annotations, body: write.body, series: series,
          finish: { collected.set($0, at: index) })
        job.readsLog = write.readsLog
        return Job.write(job)
      }
      if !enqueue(jobs) { continuation.resume(returning: [.failure(refusal)]) }
    }
  }

  /// Collects the outcomes of a series, and hands them over when all are there.
  private final class Collected: Sendable {
    private let state: Mutex<(outcomes: [WriteOutcome?], left: Int)>
    private let finish: @Sendable ([WriteOutcome]) -> Void

    init(_ count: Int, finish: @escaping @Sendable ([WriteOutcome]) -> Void) {
      state = Mutex((Array(repeating: nil, count: count), count))
      self.finish = finish
    }

    func set(_ outcome: WriteOutcome, at index: Int) {
      let all = state.withLock { state -> [WriteOutcome]? in
        state.outcomes[index] = outcome
        state.left -= 1
        return state.left == 0 ? state.outcomes.compactMap(\.self) : nil
      }
      if let all { finish(all) }
    }
  }
}
