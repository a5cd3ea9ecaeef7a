import Daybook
import DaybookEngine
import DaybookEventCore
import DaybookInterchange
import DaybookProjections

/// The import of one file into a store. While some batches are written, the next ones are read and
/// parsed.
struct Importer: Sendable {
  struct Outcome: Sendable {
    var operations = 0
    var events = 0
    /// The last line in the store, from this import or an earlier one.
    var lastLine: Int
    var isInterrupted = false
    /// The number of timestamps kept only to the millisecond.
    var finerTimestamps = 0

    fileprivate mutating func add(_ batch: ImportBatch, _ written: Written) {
      operations += batch.steps.reduce(0) { $0 + $1.operationCount }
      events += written.isEvent ? 1 : 0
      finerTimestamps += written.finerTimestamps
      lastLine = batch.lastLine
    }
  }

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
  private let imported = ImportedEvents()

  /// Imports the file.
  /// - Throws: ``Failure``, with file and line if a line is at fault, and with what is in the
  ///   store.
  func run() async throws -> Outcome {
    var outcome = Outcome(lastLine: firstLine - 1)
    let progress = ProgressLine("import \(source.name)", unit: "operations")
    defer { progress.clear() }
    do {
      let reader = ImportReader(try batches())
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
        progress.update(outcome.operations, fraction: fraction(offset))
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

  /// Rehearses the import: finds what it would bring, and the errors for which it would be refused.
  /// Writes nothing.
  /// - Parameter scopes: Whether each known collection is local. Definitions in the file are added.
  /// - Throws: ``Failure`` with file and line.
  func run(in rehearsal: Rehearsal, _ scopes: inout [String: Bool]) throws -> Outcome {
    var outcome = Outcome(lastLine: firstLine - 1)
    let progress = ProgressLine("trying \(source.name)", unit: "operations")
    defer { progress.clear() }
    do {
      var batches = try batches()
      while let batch = try batches.next() {
        if Interrupt.isRequested {
          throw Failure(.interrupted, "interrupted; nothing has been imported, as --dry-run asks")
        }
        for part in batch.parts(&scopes) {
          outcome.add(part, try rehearsal.run(write(part, nil)))
        }
        progress.update(outcome.operations, fraction: fraction(batch.offset))
      }
    } catch let error as ImportLineError {
      throw explain(error)
    }
    return outcome
  }

  private func batches() throws -> ImportBatches {
    ImportBatches(try plan.feed(from: firstLine), operationsMax: plan.stepsPerEvent ?? batch)
  }

  private func fraction(_ offset: UInt64) -> Double {
    Double(offset) / Double(max(source.byteCount, 1))
  }

  private func write(_ series: [ImportBatch], _ outcome: inout Outcome) async throws {
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

  /// Returns the failure for an error at a place of the file: the place, the error, what is in the
  /// store, and how to continue.
  func explain(_ error: ImportLineError, _ outcome: Outcome? = nil) -> Failure {
    let outcome = outcome ?? Outcome(lastLine: firstLine - 1)
    var failure = error.failure
    let place: String
    if let table = error.table {
      place = "\(source.name): table \(table), row \(error.line)"
    } else if let line = error.beginsOn {
      place = "\(source.name):\(line): \(plan.unit) \(error.line)"
    } else {
      place = "\(source.name):\(error.line)"
    }
    var message = "\(place): \(failure.message)"
    if let hint = failure.hint { message += "; \(hint.prefix(1).lowercased() + hint.dropFirst())" }
    failure.message = message
    let remedy =
      outcome.lastLine > 0 && error.table == nil
      ? "Correct the \(plan.unit) and go on with --from \(outcome.lastLine + 1)."
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
