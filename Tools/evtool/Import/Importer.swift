import Daybook
import EventCore
import Projections

/// Brings the lines of one file into a store, batch by batch. While one batch is written, the next
/// is read and parsed.
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
  let firstLine: Int
  let batch: Int
  let label: String

  /// - Throws: a ``Failure`` that names file and line, and says what is in the store.
  func run() async throws -> Outcome {
    let reader = ImportReader(source, from: firstLine, operationsMax: batch)
    let progress = ProgressLine("import \(source.name)", unit: "lines")
    var outcome = Outcome(lastLine: firstLine - 1)
    defer { progress.clear() }
    do {
      var pending = try await reader.next()
      while let batch = pending {
        if Interrupt.isRequested {
          outcome.isInterrupted = true
          break
        }
        async let following = reader.next()
        let isWritten = try await write(batch)
        outcome.operations += batch.lines.count
        outcome.events += isWritten ? 1 : 0
        outcome.lastLine = batch.lastLine
        let fraction = Double(batch.offset) / Double(max(source.byteCount, 1))
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

  /// - Returns: whether it became an event; a batch that changes nothing does not.
  private func write(_ batch: ImportBatch) async throws -> Bool {
    try await store.write(label: label, annotations: ImportLog.annotations(source, batch)) {
      transaction in
      var schema = transaction.schema
      for line in batch.lines {
        do {
          try line.operation.apply(to: transaction, schema: schema)
        } catch let error where error is StoreError || error is InterchangeError {
          throw ImportLineError(line: line.number, failure: Failure(error))
        }
        if line.operation.kind == .define || line.operation.kind == .drop {
          schema = transaction.schema
        }
      }
      return !transaction.isEmpty
    }
  }

  private func explain(_ error: ImportLineError, _ outcome: Outcome) -> Failure {
    var failure = error.failure
    var message = "\(source.name):\(error.line): \(failure.message)"
    if let hint = failure.hint { message += "; \(hint.prefix(1).lowercased() + hint.dropFirst())" }
    failure.message = message
    let remedy =
      outcome.lastLine > 0
      ? " Correct the line and go on with --from \(outcome.lastLine + 1)."
      : " Correct the line and import the file again."
    failure.hint = "Of \(source.name) \(inStore(outcome)) in the store.\(remedy)"
    return failure
  }

  func inStore(_ outcome: Outcome) -> String {
    guard outcome.lastLine > 0 else { return "no line is" }
    return outcome.lastLine == 1
      ? "line 1 is" : "lines 1 to \(Text.grouped(outcome.lastLine)) are"
  }
}

extension InterchangeLine {
  fileprivate func apply(to transaction: Transaction, schema: Schema) throws {
    switch try operation(schema: schema) {
    case .put(let collection, let id, let fields):
      try transaction.put(collection, id, fields)
    case .operation(let operation):
      switch operation {
      case .define(let definition): try transaction.define(definition)
      case .drop(let collection, let field):
        if let field {
          try transaction.drop(field: field, of: collection)
        } else {
          try transaction.drop(collection: collection)
        }
      case .insert(let collection, let id, let fields):
        try transaction.insert(collection, id, fields)
      case .update(let collection, let id, let fields):
        try transaction.update(collection, id, fields)
      case .delete(let collection, let id): try transaction.delete(collection, id)
      case .restore(let collection, let id): try transaction.restore(collection, id)
      case .erase(let collection, let id): try transaction.erase(collection, id)
      case .stamp, .identity, .unknown: break
      }
    }
  }
}
