import Daybook
package import DaybookEngine
import DaybookEventCore
import DaybookProjections

/// The import of one file into a store. While some batches are written, the next ones are read and
/// parsed.
package struct Importer: Sendable {
  /// The result of writing a batch.
  fileprivate struct Written: Sendable {
    /// Whether the batch became an event. A batch that changes nothing does not.
    var isEvent = false
    var finerTimestamps = 0
  }

  let store: Store
  let source: ImportSource
  let plan: any ImportPlan
  let firstLine: Int
  let batch: Int
  let label: String
  let hooks: ImportHooks
  private let imported = ImportedEvents()

  /// Imports the file.
  /// - Throws: ``ImportError``, with file and line if a line is at fault, and with what is in the
  ///   store.
  package func run() async throws -> ImportReport {
    var outcome = ImportReport(lastLine: firstLine - 1)
    do {
      let reader = ImportReader(try batches())
      var scopes = try await store.schema().collections.mapValues(\.isLocal)
      var lines = try await reader.next()
      while let offset = lines.last?.offset {
        if hooks.isStopped() {
          outcome.isInterrupted = true
          break
        }
        async let following = reader.next()
        for series in ImportBatch.series(lines.flatMap { $0.parts(&scopes) }) {
          try await write(series, &outcome)
        }
        report(.importing, outcome, offset)
        lines = try await following
      }
    } catch let error as ImportLineError {
      throw explained(error, outcome)
    } catch {
      var error = ImportError(error)
      (error.lastLine, error.unit) = (outcome.lastLine, plan.unit)
      throw error
    }
    return outcome
  }

  /// Rehearses the import: finds what it would bring, and the errors for which it would be refused.
  /// Writes nothing.
  /// - Parameter scopes: Whether each known collection is local. Definitions in the file are added.
  /// - Throws: ``ImportError`` with file and line.
  package func run(in rehearsal: Rehearsal, _ scopes: inout [String: Bool]) throws -> ImportReport {
    var outcome = ImportReport(lastLine: firstLine - 1)
    do {
      var batches = try batches()
      while let batch = try batches.next() {
        if hooks.isStopped() {
          throw ImportError(.stopped, "interrupted; nothing has been imported")
        }
        for part in batch.parts(&scopes) {
          outcome.add(part, try rehearsal.run(write(part, nil)))
        }
        report(.trying, outcome, batch.offset)
      }
    } catch let error as ImportLineError {
      throw explained(error, outcome)
    }
    return outcome
  }

  private func batches() throws -> ImportBatches {
    ImportBatches(try plan.feed(from: firstLine), operationsMax: plan.stepsPerEvent ?? batch)
  }

  private func report(
    _ phase: InterchangeProgress.Phase, _ outcome: ImportReport, _ offset: UInt64
  ) {
    hooks.progress(
      InterchangeProgress(
        phase: phase, file: source.name, count: outcome.operations,
        fraction: Double(offset) / Double(max(source.byteCount, 1))))
  }

  private func write(_ series: [ImportBatch], _ outcome: inout ImportReport) async throws {
    if series.contains(where: { !($0.event?.undos.isEmpty ?? true) }) {
      try await imported.load(from: store)
    }
    let written = await store.write(series: series.map { write($0, imported) })
    for (batch, what) in zip(series, written.values) { outcome.add(batch, what) }
    if let failure = written.failure { throw failure }
  }

  /// - Parameter imported: The events that undos name; nil to leave undos out, which need the log.
  private func write(_ batch: ImportBatch, _ imported: ImportedEvents?) -> SeriesWrite<Written> {
    let event = batch.event
    return SeriesWrite(
      actor: event?.actor, label: event?.label ?? label,
      annotations: ImportLog.annotations(source, plan.reading, batch),
      readsLog: !(event?.undos.isEmpty ?? true)
    ) { transaction in
      var schema = transaction.schema
      var written = Written()
      for step in batch.steps {
        do {
          try step.apply(to: transaction, schema: schema, imported)
        } catch let error where error is StoreError || error is InterchangeError {
          throw step.error(error)
        }
        written.finerTimestamps += step.finerTimestamps(schema)
        if step.changesSchema { schema = transaction.schema }
      }
      written.isEvent = !transaction.isEmpty
      return written
    }
  }

  private func explained(_ error: ImportLineError, _ outcome: ImportReport) -> ImportError {
    error.explained(source, unit: plan.unit, lastLine: outcome.lastLine)
  }
}

extension ImportReport {
  fileprivate mutating func add(_ batch: ImportBatch, _ written: Importer.Written) {
    operations += batch.steps.reduce(0) { $0 + $1.operationCount }
    events += written.isEvent ? 1 : 0
    finerTimestamps += written.finerTimestamps
    lastLine = batch.lastLine
  }
}
