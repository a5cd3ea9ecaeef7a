import Daybook
import DaybookEventCore
import DaybookInterchange
import DaybookProjections

extension FuzzTarget {
  /// A CSV file.
  ///
  /// Its first byte selects the delimiter, whether quotes count, and the size of the pieces in
  /// which it is read.
  static let csv = FuzzTarget("csv") {
    [
      "\0id,name,count\r\n1,Oat milk,3\r\n2,\"a \"\"quoted\"\", one\",\r\n",
      "\u{1}id;name\n1;\"two\nlines\"\n\n2;x", "\u{2}a\tb\tc\r1\t2\t3\r",
      "\u{4}\u{FEFF}ID,Größe,,a b,a b\n007,1.5,true,2026-11-21,x\n8,2,false,,\"\"\n",
      "\u{9}a,b\n1,\"never closed\n", "\u{6}source\ttarget\nx\ty\n", "\0a,b\n1,2,3\n",
      "\0sep=;\r\na;b\r\n1,5;1.10\r\n", "\0v,w\n1.1,1\n1.10,1.0\n0.5,12345678901234567.89\n",
      "\u{3}a|b\n\"x\"y|2\n", "\u{10}a,a,A\n9223372036854775808,1e999,-0\n",
    ].map { Array($0.utf8) }
  } check: { bytes in
    let settings = bytes.first ?? 0
    let content = Array(bytes.dropFirst())
    let delimiter = Array(",;\t|".unicodeScalars)[Int(settings & 3)]
    let hasQuotes = settings & 8 == 0
    let whole = Reading(content, delimiter, hasQuotes, piece: max(content.count, 1))
    let pieces = Reading(content, delimiter, hasQuotes, piece: 1 + Int(settings >> 4))
    try require(whole == pieces, "another cut of the bytes reads as something else")
    if whole.failure == nil, hasQuotes {
      let written = quoted(whole.records, delimiter)
      let again = Reading(written, delimiter, true, piece: written.count + 1)
      try require(again.texts == whole.texts, "cells in quotes read as something else")
    }
    try checkTable(whole.records)
    let found = CSVDialect.delimiter(in: content, isWhole: true, hasQuotes: hasQuotes)
    try require(CSVReader.isDelimiter(found), "what was found is no delimiter")
  }

  /// The records and the failure that a reader finds in a file.
  private struct Reading: Equatable {
    var records: [CSVRecord] = []
    var failure: CSVError?
    var texts: [[String]] { records.map { $0.cells.map(\.text) } }

    init(_ content: [UInt8], _ delimiter: Unicode.Scalar, _ hasQuotes: Bool, piece: Int) {
      var reader = CSVReader(delimiter: delimiter, hasQuotes: hasQuotes)
      do throws(CSVError) {
        for start in stride(from: 0, to: content.count, by: piece) {
          reader.feed(content[start..<min(start + piece, content.count)])
          while let record = try reader.next() { records.append(record) }
        }
        reader.finish()
        while let record = try reader.next() { records.append(record) }
      } catch { failure = error }
    }
  }

  /// Whether a value is printed as its cell. Exponents have several spellings, and pass.
  private static func isKept(_ text: String, by value: Value) -> Bool {
    switch value {
    case .text(let own): own == text
    case .integer(let number): "\(number)" == text
    case .real(let number):
      "\(number)" == text || "\(number)" == text + ".0" || "\(text)\(number)".contains("e")
        || text.contains("E")
    default: true
    }
  }

  private static func quoted(_ records: [CSVRecord], _ delimiter: Unicode.Scalar) -> [UInt8] {
    var bytes: [UInt8] = []
    for record in records {
      for (index, cell) in record.cells.enumerated() {
        if index > 0 { bytes.append(UInt8(truncatingIfNeeded: delimiter.value)) }
        bytes.append(0x22)
        for byte in cell.text.utf8 { bytes += byte == 0x22 ? [0x22, 0x22] : [byte] }
        bytes.append(0x22)
      }
      bytes.append(0x0A)
    }
    return bytes
  }

  /// Checks that the types inferred from all rows fit every row, and that numbers keep the digits
  /// of their cells.
  private static func checkTable(_ records: [CSVRecord]) throws {
    guard let header = records.first else { return }
    do {
      var table = try CSVTable(
        header: header, collection: "things", isRelationship: false, id: nil, types: [:],
        declared: nil)
      for record in records.dropFirst() { try table.observe(record) }
      let types = Dictionary(
        table.columns.compactMap { column in column.field.map { ($0, column.type) } },
        uniquingKeysWith: { first, _ in first })
      for record in records.dropFirst() {
        let fields = try table.fields(of: record)
        for (field, value) in fields {
          try require(
            types[field]?.cell(for: value) != nil, "\(field) is inferred as what it is not")
        }
        for (column, cell) in zip(table.columns, record.cells) {
          guard let field = column.field, let value = fields[field] else { continue }
          try require(isKept(cell.text, by: value), "\(field) shows other digits than its cell")
        }
      }
    } catch is CSVError {}
  }
}
