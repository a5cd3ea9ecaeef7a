import DaybookEventCore
import DaybookInterchange
import DaybookProjections
import Testing

@testable import Daybook
@testable import DaybookEngine

@Suite struct CSVTableTests {
  private func record(_ cells: String..., line: Int = 2, quoted: Bool = false) -> CSVRecord {
    CSVRecord(
      line: line, lastLine: line,
      cells: cells.map { CSVCell(text: $0, isQuoted: quoted, line: line) })
  }

  private func error(_ body: () throws(CSVError) -> Void) -> CSVError? {
    do throws(CSVError) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  @Test("rows become fields with types that fit all rows")
  func rows() throws {
    var table = try CSVTable(
      header: record("ID", "price", "note"), collection: "books")
    let rows = [record("b1", "3", ""), record("b2", "3.5", "x")]
    for row in rows { try table.observe(row) }
    #expect(table.definition.fields.map(\.name) == ["price", "note"])
    #expect(
      table.definition.fields.map { $0.attributes["type"] } == [.text("real"), .text("text")])
    #expect(try table.id(of: rows[0]) == "b1")
    #expect(try table.fields(of: rows[0]) == ["price": .real(3)])
    #expect(try table.fields(of: rows[1]) == ["price": .real(3.5), "note": .text("x")])
  }

  @Test("an empty cell has no value, and an empty cell in quotes is the empty text")
  func empty() throws {
    var table = try CSVTable(header: record("a", "b"), collection: "t", types: ["b": .integer])
    let row = record("", "", quoted: true)
    try table.observe(row)
    #expect(try table.fields(of: row) == ["a": .text("")])
  }

  @Test("requested types, and types and names of the store, are kept")
  func declared() throws {
    let store = try schema(
      """
      {"op":"define","collection":"books","fields":[{"name":"Price","type":"text"},\
      {"name":"stock","type":"integer"}]}
      """)
    var table = try CSVTable(
      header: record("PRICE", "stock", "on sale", "data", "extra"), collection: "books",
      types: ["on_sale": .boolean, "data": .json, "extra": .timestamp],
      declared: store["books"])
    let row = record("3", "007", "Yes", "{\"b\":1, \"a\":[]}", "0")
    try table.observe(row)
    #expect(
      try table.fields(of: row) == [
        "Price": .text("3"), "stock": .integer(7), "on_sale": .boolean(true),
        "data": .json(Array("{\"a\":[],\"b\":1}".utf8)), "extra": .timestamp(0),
      ])
    let misfit = error { () throws(CSVError) in
      try table.observe(record("3", "many", "no", "1", "0", line: 9))
    }
    #expect(misfit?.code == .wrongType)
    #expect(misfit?.line == 9)
    #expect(misfit?.message.contains("“stock” is declared as integer, and “many”") == true)
    let contradiction = error { () throws(CSVError) in
      _ = try CSVTable(
        header: record("stock"), collection: "books", types: ["stock": .real],
        declared: store["books"])
    }
    #expect(contradiction?.message.contains("a type never changes") == true)
  }

  @Test("rows of another width or without an id, and unknown columns, are errors")
  func wrong() throws {
    var table = try CSVTable(header: record("isbn", "title"), collection: "books", id: "isbn")
    let ragged = error { () throws(CSVError) in try table.observe(record("1", line: 7)) }
    #expect(ragged?.code == .ragged)
    #expect(ragged?.line == 7)
    let missing = error { () throws(CSVError) in try table.observe(record("", "x", line: 8)) }
    #expect(missing?.code == .invalidID)
    #expect(missing?.line == 8)
    let long = String(repeating: "x", count: 1025)
    #expect(error { () throws(CSVError) in _ = try table.id(of: record(long, "x")) } != nil)
    for (id, types) in [("nope", [:]), (nil, ["nope": .text])] as [(String?, [String: FieldType])] {
      let unknown = error { () throws(CSVError) in
        _ = try CSVTable(header: record("a"), collection: "t", id: id, types: types)
      }
      #expect(unknown?.code == .unknownColumn)
    }
  }
}
