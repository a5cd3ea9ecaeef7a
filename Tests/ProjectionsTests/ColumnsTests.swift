import DaybookProjections
import DaybookSimulation
import Foundation
import GRDB
import Testing

/// Reading SQLite's values by their length.
@Suite struct ColumnsTests {
  private func database() throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE t (number INTEGER PRIMARY KEY, value)")
      // GRDB's arguments would end at NUL as well.
      let insert = try DaybookProjections.Statement(
        try #require(db.sqliteConnection), "INSERT INTO t VALUES (?, ?)")
      for (number, text) in NaughtyTexts.all.enumerated() {
        try insert.bind(1, number)
        try insert.bind(2, text)
        try insert.run()
      }
    }
    return queue
  }

  @Test("there are over 500 different texts, with and without NUL")
  func texts() {
    #expect(NaughtyTexts.all.count > 507)
    #expect(Set(NaughtyTexts.all.map { Array($0.utf8) }).count == NaughtyTexts.all.count)
    #expect(NaughtyTexts.arguments.count < NaughtyTexts.all.count)
  }

  @Test("every text is read whole, by rows, by cells and by texts")
  func whole() throws {
    try database().read { db in
      var read: [String] = []
      try db.forEachRow("SELECT number, value FROM t ORDER BY number") { row in
        #expect(row.count == 2 && row.integer(0) == read.count && !row.isNull(1))
        #expect(row.cells == [.integer(row.integer(0)), .text(row.text(1))])
        read.append(row.text(1))
      }
      #expect(read.map { Array($0.utf8) } == NaughtyTexts.all.map { Array($0.utf8) })
      let texts = try db.texts("SELECT value FROM t ORDER BY number")
      #expect(texts.map { Array($0.utf8) } == read.map { Array($0.utf8) })
    }
  }

  @Test("values of each kind are read as SQLite stores them")
  func kinds() throws {
    try DatabaseQueue().read { db in
      var cells: [Cell] = []
      try db.forEachRow("SELECT NULL, -7, 1.5, '', x'', x'00ff', 'a' || char(0)") { row in
        cells = row.cells
        #expect(row.isNull(0) && row.real(2) == 1.5 && row.blob(5) == [0, 255])
      }
      #expect(
        cells == [
          .null, .integer(-7), .real(1.5), .text(""), .blob([]), .blob([0, 255]), .text("a\0"),
        ])
    }
  }

  /// GRDB's own decoding ends a text at NUL, and so does `String(cString:)`.
  @Test("no other code in the package reads texts from SQLite")
  func oneHome() throws {
    let banned = [
      "String.fetch", "Row.fetch", "String.fromDatabaseValue", "sqlite3_column_text",
      "databaseValues",
      "fromRow(", "sqlite3_value_text",
    ]
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    var found: [String] = []
    for folder in ["Sources", "Tools/evtool"] {
      let files = try FileManager.default.subpathsOfDirectory(
        atPath: root.appending(path: folder).path
      ).filter { $0.hasSuffix(".swift") }
      #expect(!files.isEmpty, "there is no source in \(folder)")
      for path in files {
        let file = root.appending(path: folder).appending(path: path)
        guard file.lastPathComponent != "Columns.swift" else { continue }
        for (number, line) in try String(contentsOf: file, encoding: .utf8).split(
          separator: "\n", omittingEmptySubsequences: false
        ).enumerated() {
          let code = line.trimmingCharacters(in: .whitespaces)
          guard !code.hasPrefix("///"), banned.contains(where: { code.contains($0) }) else {
            continue
          }
          found.append("\(path):\(number + 1): \(code)")
        }
      }
    }
    #expect(found.isEmpty, "read them through `Columns`:\n\(found.joined(separator: "\n"))")
  }
}
