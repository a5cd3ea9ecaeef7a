import Daybook
import DaybookEngine
import DaybookEventCore
package import DaybookProjections
package import GRDB

/// What an export of a state has written, and what it has left out.
public struct ExportReport: Sendable {
  /// The number of entities, or of events.
  public package(set) var count = 0
  /// The local collections that were left out.
  public internal(set) var localCollections: [String] = []
  /// The number of entities that were left out because another has a value that is unique.
  public internal(set) var parked = 0

  package init() {}
}

/// Writes the tables of a read model as interchange: the same state gives the same bytes.
package struct StateExport: Sendable {
  private let collections: [String]
  private let includesLocal: Bool
  private let emit: @Sendable ([UInt8]) throws -> Void
  private let progress: @Sendable (Int) -> Void

  /// - Parameters:
  ///   - collections: the collections to export; empty for all.
  ///   - includesLocal: whether local collections are among all of them.
  ///   - progress: called with the number of entities so far.
  ///   - emit: called with each line, without its end.
  package init(
    collections: [String], includesLocal: Bool,
    progress: @escaping @Sendable (Int) -> Void = { _ in },
    emit: @escaping @Sendable ([UInt8]) throws -> Void
  ) {
    self.collections = collections
    self.includesLocal = includesLocal
    self.emit = emit
    self.progress = progress
  }

  /// Writes the tables.
  /// - Throws: as ``selection(_:_:)``; `StoreError` `damaged` if a table holds what its field
  ///   cannot; what `emit` throws.
  package func write(_ db: Database, _ schema: StoreSchema) throws -> ExportReport {
    var (chosen, report) = try selection(db, schema)
    for collection in chosen { try emit(InterchangeWriter.define(collection)) }
    for collection in chosen { try write(collection, db, &report.count) }
    return report
  }

  /// Returns the collections to export, and a report of what is left out.
  /// - Throws: `StoreError` `unknownName`.
  package func selection(_ db: Database, _ schema: StoreSchema) throws -> (
    collections: [CollectionSchema], report: ExportReport
  ) {
    for name in collections where schema[name] == nil {
      throw StoreError(
        .unknownName, "there is no collection \(name.quotedForMessage)",
        hint: NameSuggestion.hint(
          for: name, among: schema.sorted.map(\.name), none: "Nothing is defined yet"))
    }
    let chosen = schema.sorted.filter {
      collections.isEmpty ? includesLocal || !$0.isLocal : collections.contains($0.name)
    }
    var report = ExportReport()
    if collections.isEmpty, !includesLocal {
      report.localCollections = schema.sorted.filter(\.isLocal).map(\.name)
    }
    report.parked = try parked(chosen, db)
    return (chosen, report)
  }

  private func write(_ collection: CollectionSchema, _ db: Database, _ count: inout Int)
    throws
  {
    let columns = (["id"] + collection.fields.map(\.name)).map { "\"\($0)\"" }
    let sql = "SELECT \(columns.joined(separator: ", ")) FROM \"\(collection.name)\" ORDER BY id"
    try db.forEachRow(sql) { row in
      var fields: [String: Value] = [:]
      // The importing store keeps what a store keeps, and shows the same defaults.
      for (field, column) in zip(collection.fields, 1...) where field.kept == nil {
        let cell = row.cell(Int32(column))
        guard cell != .null else { continue }
        guard let value = field.type.value(of: cell) else {
          throw StoreError(
            .damaged, "a value of \(collection.name).\(field.name) is not of its type",
            hint: "Rebuild the read model")
        }
        if value != field.defaultValue { fields[field.name] = value }
      }
      try emit(InterchangeWriter.insert(into: collection, id: row.text(0), fields: fields))
      count += 1
      progress(count)
    }
  }

  /// Returns the number of parked entities, which are not exported: two entities with one unique
  /// value could not be imported.
  private func parked(_ chosen: [CollectionSchema], _ db: Database) throws -> Int {
    guard
      chosen.contains(where: { $0.fields.contains(where: \.isUnique) || !$0.uniqueSets.isEmpty })
    else { return 0 }
    // In internal tables, a local collection has the name “local NAME”.
    let names = Set(chosen.map { $0.isLocal ? "local \($0.name)" : $0.name })
    return try InternalCounts.parkedEntities(of: names, db)
  }
}
