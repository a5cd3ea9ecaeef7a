import Daybook
import EventCore
import Projections

/// Brings the operations of one file into a store, some batches at a time. While those are written, the
/// next are read and parsed.
struct Importer {
  struct Outcome {
    var operations = 0
    var events = 0
    /// The last line that is in the store, by this import or one before.
    var lastLine: Int
    var isInterrupted = false
  }

  let store: Store
  let source: ImportSource
  let plan: any ImportPlan
  let firstLine: Int
  let batch: Int
  let label: String

  /// - Throws: a ``Failure`` that names file and line, and says what is in the store.
  func run() async throws -> Outcome {
    let progress = ProgressLine("import \(source.name)", unit: "operations")
    var outcome = Outcome(lastLine: firstLine - 1)
    defer { progress.clear() }
    do {
      let reader = ImportReader(
        try plan.feed(from: firstLine), operationsMax: plan.stepsPerEvent ?? batch)
      var scopes = try await store.schema().collections.mapValues(\.isLocal)
      var pending = try await reader.next()
      while let offset = pending.last?.offset {
        if Interrupt.isRequested {
          outcome.isInterrupted = true
          break
        }
        async let following = reader.next()
        for series in ImportBatch.series(pending.flatMap { $0.parts(&scopes) }) {
          try await write(series, &outcome)
        }
        let fraction = Double(offset) / Double(max(source.byteCount, 1))
        progress.update(outcome.operations, fraction: fraction)
        pending = try await following
      }
    } catch let error as ImportLineError {
      throw explain(error, outcome)
    } catch {
      var failure = Failure(error)
      failure.message += "; \(inStore(outcome)) in the store"
      if outcome.lastLine > 0 {
        failure.hint = (failure.hint.map { "\($0). " } ?? "") + "--resume goes on behind them"
      }
      throw failure
    }
    return outcome
  }

  private func write(_ series: [ImportBatch], _ outcome: inout Outcome) async throws {
    let written = await store.write(series: series.map(write))
    for (batch, isWritten) in zip(series, written.values) {
      outcome.operations += batch.steps.reduce(0) { $0 + $1.operationCount }
      outcome.events += isWritten ? 1 : 0
      outcome.lastLine = batch.lastLine
    }
    if let failure = written.failure { throw failure }
  }

  /// Whether it became an event; a batch that changes nothing does not.
  private func write(_ batch: ImportBatch) -> SeriesWrite<Bool> {
    let event = batch.event
    return SeriesWrite(
      actor: event?.actor, label: event?.label ?? label,
      annotations: ImportLog.annotations(source, batch)
    ) { transaction in
      var schema = transaction.schema
      for step in batch.steps {
        do {
          try step.apply(to: transaction, schema: schema)
        } catch let error where error is StoreError || error is InterchangeError {
          throw step.error(error)
        }
        if step.changesSchema { schema = transaction.schema }
      }
      return !transaction.isEmpty
    }
  }

  /// An error at a place of the file, in full: where, what, what is in the store, how to go on.
  func explain(_ error: ImportLineError, _ outcome: Outcome? = nil) -> Failure {
    let outcome = outcome ?? Outcome(lastLine: firstLine - 1)
    var failure = error.failure
    let place =
      error.table.map { "\(source.name): table \($0), row \(error.line)" }
      ?? "\(source.name):\(error.line)"
    var message = "\(place): \(failure.message)"
    if let hint = failure.hint { message += "; \(hint.prefix(1).lowercased() + hint.dropFirst())" }
    failure.message = message
    let remedy =
      outcome.lastLine > 0 && error.table == nil
      ? "Correct the line and go on with --from \(outcome.lastLine + 1)."
      : "Correct the \(plan.unit) and import the file again."
    failure.hint = "Of \(source.name) \(inStore(outcome)) in the store. \(remedy)"
    return failure
  }

  func inStore(_ outcome: Outcome) -> String {
    guard outcome.lastLine > 0 else { return "no \(plan.unit) is" }
    return outcome.lastLine == 1
      ? "\(plan.unit) 1 is" : "\(plan.unit)s 1 to \(Text.grouped(outcome.lastLine)) are"
  }
}
