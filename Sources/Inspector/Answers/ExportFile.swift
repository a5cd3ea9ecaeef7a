import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookInterchange
import DaybookJSON
import DaybookLocks
import DaybookProjections
import GRDB

/// Collections and values as files.
enum ExportFile {
  /// The rows that are read at once.
  private static let rowsMax = 500

  /// A collection, in pieces of some rows, each of one snapshot.
  static func rows(of collection: StoreSchema.Collection, _ store: Store, isCSV: Bool)
    -> StreamedFile
  {
    let head =
      isCSV
      ? csv((["id"] + collection.fields.map(\.name)).map { .text($0) })
      : InterchangeWriter.define(collection) + [0x0A]
    /// The id behind which to go on; nil at the end.
    let place = Mutex<String?>("")
    let isBegun = Mutex(false)
    return StreamedFile(
      name: collection.name + (isCSV ? ".csv" : ".ndjson"),
      type: isCSV ? "text/csv; charset=utf-8" : "application/x-ndjson"
    ) {
      let isFirst = isBegun.withLock { value in
        defer { value = true }
        return !value
      }
      if isFirst { return head }
      guard let last = place.withLock({ $0 }) else { return nil }
      let (bytes, next) = try await store.read { db in
        try piece(of: collection, after: last, isCSV: isCSV, db)
      }
      place.withLock { $0 = next }
      return bytes.isEmpty ? nil : bytes
    }
  }

  private static func piece(
    of collection: StoreSchema.Collection, after id: String, isCSV: Bool, _ db: Database
  ) throws -> (bytes: [UInt8], next: String?) {
    let columns = (["id"] + collection.fields.map(\.name)).map(SQLName.quoted)
    let statement = try db.makeStatement(
      sql: """
        SELECT \(columns.joined(separator: ", ")) FROM \(SQLName.quoted(collection.name))
        WHERE id > ? ORDER BY id LIMIT \(rowsMax)
        """)
    var bytes: [UInt8] = []
    var (last, count) = (id, 0)
    _ = try statement.forEachRow(texts: [id]) { row in
      count += 1
      last = row.text(0)
      if isCSV {
        bytes += csv(row.cells)
        return true
      }
      var fields: [String: Value] = [:]
      for (field, column) in zip(collection.fields, 1...) where field.kept == nil {
        if let value = field.type.value(of: row.cell(Int32(clamping: column))), value != .null {
          fields[field.name] = value
        }
      }
      bytes += InterchangeWriter.insert(into: collection, id: last, fields: fields) + [0x0A]
      return true
    }
    return (bytes, count == rowsMax ? last : nil)
  }

  /// A line of CSV (RFC 4180). NULL is an empty cell, and an empty text a pair of quotes.
  private static func csv(_ cells: [Cell]) -> [UInt8] {
    let texts = cells.map { cell -> String in
      switch cell {
      case .null: ""
      case .integer(let number): "\(number)"
      case .real(let number): "\(number)"
      case .text(let text): quoted(text)
      case .blob(let bytes): Base64.encode(bytes)
      }
    }
    return Array((texts.joined(separator: ",") + "\r\n").utf8)
  }

  private static func quoted(_ text: String) -> String {
    let needsQuotes =
      text.isEmpty || text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
    return needsQuotes ? "\"\(text.replacing("\"", by: "\"\""))\"" : text
  }

  /// One value as it is, always as a file to keep and never as a page.
  static func value(_ value: Value, _ field: StoreSchema.Field) -> StreamedFile {
    let bytes: [UInt8]
    switch value {
    case .text(let text): bytes = Array(text.utf8)
    case .blob(let blob): bytes = blob
    case .json(let json): bytes = json
    default:
      var writer = JSONWriter()
      writer.value(value)
      bytes = writer.bytes
    }
    let rest = Mutex<[UInt8]?>(bytes)
    return StreamedFile(
      name: field.name + (field.type == .blob ? ".bin" : ".txt"),
      type: field.type == .blob ? "application/octet-stream" : "text/plain; charset=utf-8"
    ) {
      rest.withLock { rest in
        defer { rest = nil }
        return rest
      }
    }
  }
}
