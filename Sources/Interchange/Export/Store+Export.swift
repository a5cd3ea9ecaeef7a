public import Daybook
import DaybookEngine
import DaybookEventCore
import DaybookProjections
public import Foundation

extension Store {
  /// Writes the state to a file of interchange: a definition for each collection, then an insert
  /// for each live entity, one a line. The same state gives the same bytes.
  ///
  /// ```swift
  /// let report = try await store.exportState(to: file)
  /// print("\(report.count) entities")
  /// ```
  /// What is imported into an empty store gives the same tables; the history stays behind. The file
  /// appears when it is complete, and replaces one that is there.
  /// - Parameters:
  ///   - url: the file.
  ///   - collections: the collections to export; empty for all.
  ///   - includesLocal: whether local collections are among all of them.
  ///   - position: the position whose state is exported; nil for now. For another one, a read model
  ///     is made in a temporary file.
  ///   - progress: called with the progress, often, on any thread.
  /// - Throws: `StoreError` `unknownName`, `invalidPosition`, `ioFailed`, `noSpace`.
  @discardableResult
  public func exportState(
    to url: URL, collections: [String] = [], includesLocal: Bool = false,
    at position: Position? = nil,
    progress: @escaping @Sendable (InterchangeProgress) -> Void = { _ in }
  ) async throws -> ExportReport {
    let file = try LineFile(url)
    let export = StateExport(
      collections: collections, includesLocal: includesLocal,
      progress: {
        progress(.init(phase: .exporting, file: url.lastPathComponent, count: $0, fraction: nil))
      },
      emit: { try file.line($0) })
    do {
      let report: ExportReport
      if let position {
        report = try await at(position).read { db, schema in try export.write(db, schema) }
      } else {
        report = try await read { db, schema in try export.write(db, schema) }
      }
      try file.finish()
      return report
    } catch {
      file.discard()
      throw error
    }
  }

  /// Writes the events of the log to a file, one a line, as JSON. Imported, they become the same
  /// number of events, of another replica.
  ///
  /// The file appears when it is complete, and replaces one that is there.
  /// - Parameters:
  ///   - url: the file.
  ///   - position: the position whose events are exported; nil for all.
  ///   - includesLocal: whether the events on local collections are among them.
  /// - Throws: `StoreError` `invalidPosition`, `ioFailed`, `noSpace`; what reading the log throws.
  @discardableResult
  public func exportEvents(
    to url: URL, until position: Position? = nil, includesLocal: Bool = false
  ) async throws -> ExportReport {
    let file = try LineFile(url)
    do {
      try await forEachEventLine(until: position, includesLocal: includesLocal) {
        try file.line($0)
      }
      try file.finish()
    } catch {
      file.discard()
      throw error
    }
    var report = ExportReport()
    report.count = file.count
    return report
  }

  /// Calls `body` with each event of the log as a line of JSON, without its end.
  package func forEachEventLine(
    until position: Position? = nil, includesLocal: Bool,
    _ body: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws {
    var query = EventQuery()
    if let position { query.until = position }
    let schema = try await schema()
    try await forEachEvent(query) { logged in
      guard includesLocal || !logged.event.id.origin.isPrivate else { return true }
      try body(logged.line(schema))
      return true
    }
  }
}

extension LoggedEvent {
  /// The event as one line of JSON.
  package func line(_ schema: StoreSchema) -> [UInt8] {
    var stamp: (time: HybridTime, hub: ReplicaID)?
    if let time = times.stamped, let hub = times.hub { stamp = (time, hub) }
    return InterchangeWriter.event(
      event.id, authored: times.authored, stamp: stamp, body: event.body, schema: schema)
  }
}
