import DaybookInterchange
import DaybookSimulation
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// The cells of CSV files, in any spelling and cut into any chunks.
@Suite struct CSVReaderTests {
  private func read(
    _ bytes: [UInt8], _ delimiter: Unicode.Scalar = ",", quotes: Bool = true,
    chunks: Int = .max
  ) throws(CSVError) -> [CSVRecord] {
    var reader = CSVReader(delimiter: delimiter, hasQuotes: quotes)
    var records: [CSVRecord] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      reader.feed(rest.prefix(chunks))
      rest = rest.dropFirst(chunks)
      while let record = try reader.next() { records.append(record) }
    }
    reader.finish()
    while let record = try reader.next() { records.append(record) }
    return records
  }

  private func cells(_ text: String, _ delimiter: Unicode.Scalar = ",", quotes: Bool = true)
    throws -> [[String]]
  {
    try read(Array(text.utf8), delimiter, quotes: quotes).map { $0.cells.map(\.text) }
  }

  private func error(_ bytes: [UInt8]) -> CSVError? {
    do throws(CSVError) {
      _ = try read(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "rows end with LF, CRLF or CR, and the last row may have no end",
    arguments: ["a,b\n1,2\n", "a,b\r\n1,2\r\n", "a,b\r1,2\r", "a,b\n1,2", "\u{FEFF}a,b\r\n1,2"])
  func lineEnds(text: String) throws {
    #expect(try cells(text) == [["a", "b"], ["1", "2"]])
  }

  @Test("quoted cells may have delimiters, line ends and doubled quotes, and others single ones")
  func quotes() throws {
    #expect(
      try cells("\"a,b\",\"x\r\ny\nz\",\"he said \"\"no\"\"\",5\" pipe, \"\n\"\"\"\",\"\",\n")
        == [["a,b", "x\r\ny\nz", "he said \"no\"", "5\" pipe", " \""], ["\"", "", ""]])
    #expect(try cells("\"a\tb\"\tc", "\t") == [["a\tb", "c"]])
    #expect(try cells("\"a;b\n", ";", quotes: false) == [["\"a", "b"]])
  }

  @Test("an empty text in quotes is told from a missing value")
  func empty() throws {
    let record = try #require(try read(Array("\"\",,\"\"".utf8)).first)
    #expect(record.cells.map(\.isQuoted) == [true, false, true])
    #expect(try read(Array("\"\"\n".utf8)).count == 1)
  }

  @Test("blank lines are no rows, and every row has its line numbers")
  func lines() throws {
    let records = try read(Array("\n\r\na,b\r\"1\r\n2\",x\n\n\"3\n\n4\",\"y\"".utf8))
    #expect(records.map(\.line) == [3, 4, 7])
    #expect(records.map(\.lastLine) == [3, 5, 9])
    #expect(records[1].cells.map(\.line) == [4, 5])
  }

  @Test("an empty file, and one of only a byte order mark, has no rows")
  func nothing() throws {
    for bytes in [[], [0xEF, 0xBB, 0xBF], [0x0A], [0x0D, 0x0A]] as [[UInt8]] {
      #expect(try read(bytes).isEmpty)
      #expect(try read(bytes, chunks: 1).isEmpty)
    }
  }

  @Test(
    "malformed CSV is an error with its line",
    arguments: [
      ("a\n\"b\nc", 2, CSVError.Code.malformed), ("a\n\n\"b\" c\n", 3, .malformed),
      ("a\n\"b\nc\"d\n", 3, .malformed), ("a\r\nb\0\r\n", 2, .invalidText),
      ("\"a\n\r\n\0\"", 3, .invalidText), ("\0", 1, .invalidText),
    ])
  func malformed(text: String, line: Int, code: CSVError.Code) {
    let error = error(Array(text.utf8))
    #expect(error?.code == code)
    #expect(error?.line == line)
  }

  @Test("UTF-16, and bytes that are not UTF-8, are errors with a cure")
  func invalidText() {
    let latin = error(Array("a,b\nc,\"x\ny".utf8) + [0xE4, 0x22, 0x0A])
    #expect(latin?.line == 3)
    #expect(latin?.message.contains("cell 2") == true)
    #expect(latin?.message.contains("iconv") == true)
    for mark in [[0xFF, 0xFE, 0x61, 0x00], [0xFE, 0xFF, 0x00, 0x61]] as [[UInt8]] {
      #expect(error(mark)?.message.contains("UTF-16") == true)
    }
  }

  @Test("a first line that names the delimiter for Excel is no row, and lines are counted with it")
  func separatorLine() throws {
    for text in [
      "sep=;\r\nid;b\r\n1;2\r\n", "\u{FEFF}SEP=;\nid;b\n1;2", "sep=;\rid;b\r1;2\r",
    ] {
      for chunks in [1, 2, 5, .max] {
        let records = try read(Array(text.utf8), ";", chunks: chunks)
        #expect(records.map { $0.cells.map(\.text) } == [["id", "b"], ["1", "2"]])
        #expect(records.map(\.line) == [2, 3])
      }
    }
    #expect(try cells("sep=;") == [])
    #expect(try cells("\"sep=;\"\n1", ";") == [["sep=;"], ["1"]])
    #expect(try cells("sep=;x\n", ";") == [["sep=", "x"]])
    #expect(try cells("sep=\n", ";") == [["sep="]])
    #expect(try cells("separate\n") == [["separate"]])
  }

  @Test("a row that is longer than an event, or wider than a table, is an error")
  func tooLarge() {
    let open = Array("a\n\"".utf8) + [UInt8](repeating: 0x78, count: CSVReader.recordBytesMax + 9)
    #expect(error(open)?.code == .tooLarge)
    #expect(error(open)?.line == 2)
    #expect(error(open)?.message.contains("left open") == true)
    #expect(error([UInt8](repeating: 0x2C, count: 5000))?.code == .tooLarge)
  }

  @Test("a reader that has failed keeps failing")
  func repeated() {
    var reader = CSVReader()
    reader.feed(Array("\"a\"b\nc\n".utf8))
    #expect(throws: CSVError.self) { try reader.next() }
    #expect(throws: CSVError.self) { try reader.next() }
  }

  @Test("any table, quoted in any way, reads back as the same cells")
  func roundTrip() throws {
    for seed in 0..<200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let delimiter = [",", ";", "\t", "|"][random.pick(0...3)]
      let table = Self.randomTable(&random, delimiter)
      let bytes = Array(Self.write(table, delimiter, &random).utf8)
      let scalar = try #require(delimiter.unicodeScalars.first)
      let whole = try read(bytes, scalar)
      #expect(whole.map { $0.cells.map(\.text) } == table, "seed \(seed)")
      for chunks in [1, 2, 3, random.pick(4...40)] {
        #expect(try read(bytes, scalar, chunks: chunks) == whole, "seed \(seed), by \(chunks)")
      }
    }
  }

  @Test("any bytes give rows or an error")
  func total() {
    let alphabet: [UInt8] = [
      0x22, 0x22, 0x2C, 0x0A, 0x0D, 0x61, 0xC3, 0xA4, 0x00, 0xEF, 0xBB, 0xBF,
    ]
    var sound = 0
    for seed in 0..<2000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let bytes = (0..<random.pick(0...30)).map { _ in
        alphabet[random.pick(0...alphabet.count - 1)]
      }
      let whole = Result { () throws(CSVError) in try read(bytes) }
      #expect(Result { () throws(CSVError) in try read(bytes, chunks: 1) } == whole, "\(bytes)")
      if case .success = whole { sound += 1 }
    }
    #expect(sound > 100 && sound < 1900)
  }

  // MARK: - The reference writer

  private static func randomTable(_ random: inout SplitMix64, _ delimiter: String) -> [[String]] {
    let pieces = ["", "a", "ä", "😀", "\"", "\"\"", "\n", "\r", "\r\n", delimiter, " ", "0", "x y"]
    let width = random.pick(1...5)
    return (0..<random.pick(1...8)).map { _ in
      (0..<width).map { _ in
        (0..<random.pick(0...4)).map { _ in pieces[random.pick(0...pieces.count - 1)] }.joined()
      }
    }
  }

  /// Quotes what must be quoted, and at random what need not be.
  private static func write(
    _ table: [[String]], _ delimiter: String, _ random: inout SplitMix64
  ) -> String {
    let ends = ["\n", "\r\n", "\r"]
    let end = ends[random.pick(0...2)]
    var text = random.pick(0...1) == 0 ? "\u{FEFF}" : ""
    for (number, row) in table.enumerated() {
      let cells = row.map { cell -> String in
        let special = ["\n", "\r", delimiter]
        let mustBeQuoted =
          special.contains { mark in cell.unicodeScalars.contains(mark.unicodeScalars.first!) }
          || cell.unicodeScalars.first == "\"" || row.count == 1 && cell.isEmpty
        guard mustBeQuoted || random.pick(0...2) == 0 else { return cell }
        return "\"" + cell.replacing("\"", with: "\"\"") + "\""
      }
      text += cells.joined(separator: delimiter)
      if number + 1 < table.count || random.pick(0...1) == 0 { text += end }
    }
    return text
  }
}
