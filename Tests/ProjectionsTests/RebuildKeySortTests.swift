import DaybookSimulation
import Foundation
import GRDBSQLite
import Testing

@testable import DaybookProjections

@Suite struct RebuildKeySortTests {
  private struct Record: Equatable {
    var first: [UInt8]
    var second: [UInt8]
    var number: Int64
  }

  private static func isBefore(_ a: Record, _ b: Record) -> Bool {
    if a.first != b.first { return a.first.lexicographicallyPrecedes(b.first) }
    if a.second != b.second { return a.second.lexicographicallyPrecedes(b.second) }
    return a.number < b.number
  }

  private func sorted(_ records: [Record], memoryBytes: Int) throws -> [Record] {
    let path = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID())").path
    let sort = RebuildKeySort(memoryBytes: memoryBytes, path: path)
    for record in records {
      try record.first.withUnsafeBytes { first in
        try record.second.withUnsafeBytes { second in
          try sort.add(first, second, number: record.number)
        }
      }
    }
    try sort.finish()
    #expect(!FileManager.default.fileExists(atPath: path))
    return try Self.fed(sort.rows())
  }

  /// Returns the rows that SQLite gets from the source.
  private static func fed(_ rows: RowSource) throws -> [Record] {
    var pointer: OpaquePointer?
    #expect(sqlite3_open(":memory:", &pointer) == SQLITE_OK)
    let connection = try #require(pointer)
    defer { sqlite3_close_v2(connection) }
    let sql = StatementCache(connection)
    defer { sql.removeAll() }
    let feed = try RowFeed(connection, columns: 3)
    try sql.execute("CREATE TABLE t(a TEXT, b TEXT, n INTEGER)")
    try feed.run(try sql("INSERT INTO t SELECT c0, c1, c2 FROM \(RowFeed.name)"), rows)
    let query = try sql("SELECT CAST(a AS BLOB), CAST(b AS BLOB), n FROM t ORDER BY rowid")
    var found: [Record] = []
    while try query.step() {
      found.append(
        Record(first: query.blob(0), second: query.blob(1), number: query.integer(2)))
    }
    return found
  }

  @Test("texts are sorted by their bytes, in memory and through any number of runs")
  func order() throws {
    var random = SplitMix64(seed: 7)
    // Few letters and common beginnings, so that many are equal or the beginning of another.
    let starts: [[UInt8]] = [[], Array("libcommon-".utf8), [0, 0], [0xFF]]
    let letters: [UInt8] = [0, 97, 98, 255]
    func text() -> [UInt8] {
      var text = starts[Int(random.next() % 4)]
      for _ in 0..<random.next() % 5 { text.append(letters[Int(random.next() % 4)]) }
      return text
    }
    for count in [0, 1, 2, 100, 2000] {
      let records = (0..<count).map {
        Record(first: text(), second: text(), number: Int64($0 % 1500) - 700)
      }
      let expected = records.sorted(by: Self.isBefore)
      for memoryBytes in [1, 100, 5000, 1 << 20] {
        let found = try sorted(records, memoryBytes: memoryBytes)
        #expect(found == expected, "\(count) records, \(memoryBytes) bytes")
      }
    }
  }

  @Test("texts that are longer than a read buffer are merged in order too")
  func longTexts() throws {
    let records = (0..<6).map {
      Record(
        first: Array(repeating: UInt8(120 - $0), count: 400_000),
        second: Array(repeating: 1, count: $0 * 300_000), number: Int64($0))
    }
    #expect(try sorted(records, memoryBytes: 1) == records.sorted(by: Self.isBefore))
  }

  @Test("a merge that is abandoned leaves no thread and no file behind")
  func abandoned() throws {
    let name = "keys-\(UUID())"
    let path = FileManager.default.temporaryDirectory.appending(path: name).path
    let text = [UInt8](repeating: 7, count: 1000)
    for taken in [0, 1, 400] {
      var sort: RebuildKeySort? = RebuildKeySort(memoryBytes: 100_000, path: path)
      for number in 0..<4000 {
        try text.withUnsafeBytes { try sort?.add($0, $0, number: Int64(number)) }
      }
      try sort?.finish()
      var rows = sort?.rows()
      for _ in 0..<taken { #expect(try rows?.next() == true) }
      #if os(Linux)
        #expect(Self.isOpen(name))
        (sort, rows) = (nil, nil)
        let deadline = ContinuousClock.now + .seconds(30)
        while Self.isOpen(name), ContinuousClock.now < deadline { sched_yield() }
        #expect(!Self.isOpen(name), "\(taken) rows")
      #endif
    }
  }

  #if os(Linux)
    /// Returns whether this process has a file of such a name open, which may be gone from its
    /// folder.
    private static func isOpen(_ name: String) -> Bool {
      let links = "/proc/self/fd"
      let numbers = (try? FileManager.default.contentsOfDirectory(atPath: links)) ?? []
      return numbers.contains { number in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: links + "/" + number))?
          .contains(name) == true
      }
    }
  #endif

  @Test("an error of a row source is thrown by the statement, which inserts nothing")
  func failingSource() throws {
    final class Failing: RowSource {
      struct Failure: Error {}
      var row = 0
      override func next() throws -> Bool {
        row += 1
        if row == 3 { throw Failure() }
        return true
      }
      override func column(_ index: Int, _ result: RowResult) { result.set(Int64(row)) }
    }
    var pointer: OpaquePointer?
    #expect(sqlite3_open(":memory:", &pointer) == SQLITE_OK)
    let connection = try #require(pointer)
    defer { sqlite3_close_v2(connection) }
    let sql = StatementCache(connection)
    defer { sql.removeAll() }
    let feed = try RowFeed(connection, columns: 1)
    try sql.execute("CREATE TABLE t(n INTEGER)")
    let insert = try sql("INSERT INTO t SELECT c0 FROM \(RowFeed.name)")
    #expect(throws: Failing.Failure.self) { try feed.run(insert, Failing()) }
    let count = try sql("SELECT count(*) FROM t")
    #expect(try count.step() && count.int(0) == 0)
  }

  @Test("a scratch file that cannot be created is an error that names it")
  func noPlace() throws {
    let sort = RebuildKeySort(memoryBytes: 1, path: "/nowhere/at/all")
    #expect {
      for number in 0..<3 {
        try [UInt8](repeating: 1, count: 9).withUnsafeBytes {
          try sort.add($0, $0, number: Int64(number))
        }
      }
      try sort.finish()
    } throws: {
      ($0 as? ProjectionError)?.message.contains("scratch file") == true
    }
  }
}
