public import Daybook
import DaybookEngine
import DaybookLocks
public import Foundation

extension Store {
  /// Imports a file: interchange (NDJSON), CSV, TSV, a database of SQLite, or events.
  ///
  /// ```swift
  /// var options = ImportOptions()
  /// options.tables.id = "isbn"
  /// let report = try await store.importFile(at: books, options: options)
  /// print("\(report.operations) rows as \(report.events) events")
  /// ```
  /// Operations become events, many in each, and each event notes the file's hash and line. So a
  /// second import of the same content is an error, unless ``ImportOptions/start`` says otherwise,
  /// and an import that was stopped, or ended by a crash, can be resumed. A line that is wrong ends
  /// the import: nothing of its event is in the store, all events before are.
  ///
  /// Memory does not grow with the file. If the task is cancelled, the events under way are
  /// finished first.
  /// - Parameters:
  ///   - url: the file.
  ///   - options: how it is read.
  ///   - progress: called with the progress, often, on any thread.
  /// - Throws: ``ImportError``, with the line at fault and the last line in the store.
  @discardableResult
  public func importFile(
    at url: URL, options: ImportOptions = ImportOptions(),
    progress: @escaping @Sendable (InterchangeProgress) -> Void = { _ in }
  ) async throws -> ImportReport {
    let stop = Mutex(false)
    let hooks = ImportHooks(progress: progress, isStopped: { stop.withLock(\.self) })
    let report = try await withTaskCancellationHandler {
      do { return try await importFile(at: url, options, hooks) } catch { throw ImportError(error) }
    } onCancel: {
      stop.withLock { $0 = true }
    }
    guard !report.isInterrupted else {
      var error = ImportError(
        .stopped, "the import was stopped before the end of the file", hint: "Resume it")
      error.lastLine = report.lastLine
      throw error
    }
    return report
  }

  private func importFile(
    at url: URL, _ options: ImportOptions, _ hooks: ImportHooks
  ) async throws -> ImportReport {
    let path = url.path(percentEncoded: false)
    let file = try await Blocking.run { try FileImport(path: path, options, hooks) }
    defer { file.close() }
    let firstLine: Int
    switch try await file.firstLine(in: self) {
    case .line(let line): firstLine = line
    case .afterOtherReading: firstLine = 1
    }
    let schema = try await schema()
    let plan = try await Blocking.run { try file.plan(schema, from: firstLine) }
    defer { plan.end() }
    return try await file.importer(plan, from: firstLine, into: self).run()
  }
}
