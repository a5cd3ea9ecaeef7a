package import DaybookEngine
import DaybookLocks

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
      do { values.append(try WriteJob.value(try outcome.get())) } catch { return (values, error) }
    }
    return (values, nil)
  }

  private func outcomes<T>(of writes: [SeriesWrite<T>]) async -> [WriteOutcome] {
    guard !writes.isEmpty else { return [] }
    return await withCheckedContinuation { continuation in
      let series = WriteSeries()
      let collected = Collected(writes.count) { continuation.resume(returning: $0) }
      var jobs: [WriteJob] = []
      do {
        for (index, write) in writes.enumerated() {
          var job = try WriteJob(
            actor: write.actor ?? options.actor, label: write.label,
            annotations: write.annotations, body: write.body, series: series,
            finish: { collected.set($0, at: index) })
          job.readsLog = write.readsLog
          jobs.append(job)
        }
      } catch {
        // Those before it are written, and none after it.
        for index in jobs.count..<writes.count { collected.set(.failure(error), at: index) }
      }
      do { try core.write(jobs) } catch {
        for index in jobs.indices { collected.set(.failure(error), at: index) }
      }
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

extension Store {
  /// Finds out with which error a series of events would be refused, and writes nothing.
  ///
  /// Each write that `body` runs sees those before it, and all of them are rolled back at the end.
  /// The error of a write is the one that a commit would be refused with, and ends the series.
  /// Other writers wait meanwhile.
  ///
  /// Cost: that of writing, without the log. The read model's write-ahead log grows with what is
  /// written.
  package func rehearse(_ body: @escaping @Sendable (Rehearsal) throws -> Void) async throws {
    let url = url
    try await core.onCommitThread { engine in
      do {
        try engine.rehearse(body)
      } catch {
        throw StoreError.orNoSpace(error, "it could not be tried", in: url)
      }
    }
  }
}
