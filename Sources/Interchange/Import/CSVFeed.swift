import Daybook
import DaybookEventCore
import Foundation

/// The records of a CSV file.
struct CSVRecords: Sendable {
  private let source: ImportSource
  private var reader: CSVReader
  private var chunk = [UInt8](repeating: 0, count: 1 << 18)
  private var isAtEnd = false
  /// The number of bytes read so far.
  private(set) var offset: UInt64 = 0

  /// Begins at the start of the file.
  init(_ source: ImportSource, _ dialect: CSVDialect) {
    self.source = source
    reader = CSVReader(delimiter: dialect.delimiter, hasQuotes: dialect.hasQuotes)
    lseek(source.descriptor, 0, SEEK_SET)
  }

  /// Returns the next record; nil at the end of the file.
  mutating func next() throws -> CSVRecord? {
    do {
      while true {
        if let record = try reader.next() { return record }
        if isAtEnd { return nil }
        let count = try ImportSource.read(source.descriptor, &chunk, source.name)
        offset += UInt64(count)
        reader.feed(chunk[..<count])
        guard count == 0 else { continue }
        isAtEnd = true
        reader.finish()
      }
    } catch let error as CSVError {
      throw ImportLineError(error)
    }
  }
}

/// The steps of a CSV file: first its collection's definition, then an insert or a put for each
/// row.
struct CSVFeed: ImportFeed {
  private var records: CSVRecords
  private let table: CSVTable
  private let firstLine: Int
  private let puts: Bool
  /// The prefix of the ids of rows without one.
  private let idPrefix: String
  private var isDefined = false
  /// A row that waits until its definition was returned.
  private var held: FileStep?

  /// Begins at the first row.
  /// - Parameters:
  ///   - firstLine: The first line to import; rows that begin before it are skipped.
  ///   - puts: Whether rows may change existing entities. Otherwise such rows are errors.
  init(
    _ source: ImportSource, _ dialect: CSVDialect, _ table: CSVTable, from firstLine: Int,
    puts: Bool
  ) throws {
    records = CSVRecords(source, dialect)
    self.table = table
    self.firstLine = firstLine
    self.puts = puts
    idPrefix = source.hash.description.prefix(16) + "-"
    // Skip the header.
    _ = try records.next()
  }

  mutating func next() throws -> FileStep? {
    if let step = held {
      held = nil
      return step
    }
    guard let record = try nextRecord() else {
      return firstLine <= table.line ? define() : nil
    }
    let row = try step(record)
    guard let definition = define() else { return row }
    held = row
    return definition
  }

  private mutating func nextRecord() throws -> CSVRecord? {
    while let record = try records.next() {
      if record.line >= firstLine { return record }
    }
    return nil
  }

  private mutating func define() -> FileStep? {
    guard !isDefined else { return nil }
    isDefined = true
    return FileStep(
      content: .operation(.operation(.define(table.definition))), line: table.line,
      lastLine: max(table.line, firstLine - 1), byteCount: 0, offset: 0)
  }

  private func step(_ record: CSVRecord) throws -> FileStep {
    do throws(CSVError) {
      let fields = try table.fields(of: record)
      // In a collection with a key, the id of a row without one is derived from the key.
      let id =
        try table.id(of: record) ?? (table.isKeyed ? "" : "\(idPrefix)\(record.line)")
      let operation: InterchangeOperation =
        puts
        ? .put(collection: table.collection, id: id, fields: fields)
        : .operation(.insert(collection: table.collection, id: id, fields: fields))
      return FileStep(
        content: .operation(operation), line: record.line, lastLine: record.lastLine,
        byteCount: record.cells.reduce(16) { $0 + $1.text.utf8.count + 9 },
        offset: records.offset)
    } catch {
      throw ImportLineError(error)
    }
  }
}

extension ImportLineError {
  init(_ error: CSVError) {
    self.init(line: error.line, failure: ImportError(.malformed, error.message))
  }
}
