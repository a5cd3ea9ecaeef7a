import Daybook
import DaybookEventCore
package import DaybookProjections

/// The plan of a CSV import. It reads the whole file before anything is written, and so also finds
/// errors of form early.
package struct CSVPlan: ImportPlan {
  package let source: ImportSource
  package let reading: TableReading?
  package let dialect: CSVDialect
  package let table: CSVTable
  let puts: Bool

  init(
    _ source: ImportSource, _ reading: TableReading, _ options: ImportOptions.Tables,
    _ schema: StoreSchema, _ hooks: ImportHooks
  ) throws {
    self.source = source
    self.reading = reading
    dialect = reading.dialect
    puts = options.replaces
    var records = CSVRecords(source, dialect)
    guard let header = try records.next() else {
      throw ImportError(
        .unusable, "\(source.name) is empty, and a table begins with the names of its columns",
        hint: "Put a line with the names first")
    }
    let collection = reading.collection
    do {
      var table = try CSVTable(
        header: header, collection: collection, isRelationship: options.isRelationship,
        isLocal: options.isLocal,
        id: options.id, types: options.types, search: options.search,
        hasDecimalComma: dialect.hasDecimalComma, declared: schema[collection])
      while let record = try records.next() {
        try table.observe(record)
        guard table.rowCount.isMultiple(of: 1024) else { continue }
        try hooks.read(
          table.rowCount, of: source,
          fraction: Double(records.offset) / Double(max(source.byteCount, 1)))
      }
      self.table = table
    } catch let error as CSVError {
      var refusal = ImportLineError(error)
      if error.code == .ragged {
        refusal.failure.hint = "or cells are not separated by \(reading.delimiterInWords)"
        refusal.failure.remedy = .delimiter(reading.otherDelimiter)
      }
      throw refusal
    }
  }

  package let unit = "line"
  package var finerTimestamps: Int { table.finerTimestamps }

  package func feed(from firstLine: Int) throws -> any ImportFeed {
    try CSVFeed(source, dialect, table, from: firstLine, puts: puts)
  }
}
