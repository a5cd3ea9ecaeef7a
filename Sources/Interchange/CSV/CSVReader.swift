import DaybookEventCore

/// A streaming reader for CSV (RFC 4180) and similar formats. It returns one record at a time.
///
/// ```swift
/// var reader = CSVReader()
/// reader.feed(bytes)                       // as often as there are more
/// reader.finish()
/// while let record = try reader.next() { … }
/// ```
/// Lines end with LF, CRLF or CR; the last line may lack its ending. A byte order mark is skipped,
/// and so is a first line such as `sep=;`, which tells Excel the delimiter.
/// A quoted cell may hold delimiters, line endings and doubled quotes. In a cell that does not
/// begin with a quote, quotes are ordinary characters. Blank lines are skipped. Invalid UTF-8, NUL,
/// text after a closing quote, and an unclosed quote are errors.
///
/// The sizes of the chunks do not affect the result. Memory is proportional to the longest record
/// (at most ``recordBytesMax``) and the largest chunk.
package struct CSVReader: Sendable {
  /// The largest record, in bytes. It is slightly less than the 16 MiB of an event, which holds
  /// more than the record.
  package static let recordBytesMax = Body.eventBytesMax - (1 << 16)
  /// The largest number of cells in a record. An SQLite table has at most 2,000 columns, and one is
  /// the id.
  package static let cellsMax = 1999

  private enum State: Sendable { case cellStart, unquoted, quoted, closed }

  private let delimiter: UInt8
  private let hasQuotes: Bool
  private var bytes: [UInt8] = []
  private var offset = 0
  private var isFinished = false
  private var isBegun = false
  private var failure: CSVError?

  private var state = State.cellStart
  private var cells: [CSVCell] = []
  /// The bytes of the current cell.
  private var cell: [UInt8] = []
  private var cellLine = 1
  private var recordLine = 1
  private var recordBytes = 0
  /// The line of the next byte, counted from 1.
  private var line = 1
  /// Whether the last byte was a CR. A LF after it belongs to the same line ending.
  private var isAfterReturn = false

  /// Creates a reader.
  /// - Parameters:
  ///   - delimiter: a printable ASCII character or a tab, but not a double quote. For any other
  ///     delimiter, ``next()`` throws.
  ///   - hasQuotes: whether double quotes enclose cells; if false, they are ordinary characters.
  package init(delimiter: Unicode.Scalar = ",", hasQuotes: Bool = true) {
    self.delimiter = UInt8(truncatingIfNeeded: delimiter.value)
    self.hasQuotes = hasQuotes
    guard !Self.isDelimiter(delimiter) else { return }
    let name = "U+\(String(delimiter.value, radix: 16, uppercase: true))"
    failure = CSVError(
      .malformed, line: 1,
      "\(name) cannot delimit cells; use a comma, a tab, or another printable ASCII character")
  }

  package static func isDelimiter(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\t" || (0x20...0x7E).contains(scalar.value) && scalar != "\""
  }

  /// Appends bytes to the input.
  package mutating func feed(_ chunk: some Collection<UInt8>) {
    bytes.removeFirst(offset)
    offset = 0
    bytes.append(contentsOf: chunk)
  }

  /// Marks the end of the input.
  package mutating func finish() { isFinished = true }

  /// Returns the next record. Returns nil if more bytes are needed, or if the input is finished and
  /// no record is left.
  /// - Throws: ``CSVError``. After an error, every call throws the same error.
  package mutating func next() throws(CSVError) -> CSVRecord? {
    if let failure { throw failure }
    do throws(CSVError) {
      return try read()
    } catch {
      failure = error
      throw error
    }
  }

  private mutating func read() throws(CSVError) -> CSVRecord? {
    guard try begin() else { return nil }
    while offset < bytes.count {
      if let record = try step() { return record }
      guard recordBytes <= Self.recordBytesMax else { throw tooLong() }
    }
    return isFinished ? try last() : nil
  }

  /// Skips a byte order mark and a line that names the delimiter. Returns false if more bytes are
  /// needed to detect them.
  private mutating func begin() throws(CSVError) -> Bool {
    if isBegun { return true }
    guard isFinished || Self.isBeginning(bytes) else { return false }
    isBegun = true
    guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else {
      throw CSVError(
        .invalidText, line: 1,
        "the file is UTF-16; convert it to UTF-8, for example with `iconv -f UTF-16 -t UTF-8`")
    }
    offset = Self.byteOrderMark(bytes)
    if let separator = Self.separatorLine(bytes) {
      offset = separator.end
      line = 2
    }
    return true
  }

  /// Returns whether the bytes suffice to detect a byte order mark and a line that names the
  /// delimiter.
  private static func isBeginning(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 3 else { return false }
    let line = bytes.dropFirst(byteOrderMark(bytes))
    return line.count >= separatorBytes || !zip(line, separatorKey).allSatisfy { $0 | 0x20 == $1 }
  }

  /// `sep=`, and the bytes of a line of it and a delimiter, with its end.
  private static let separatorKey = Array("sep=".utf8)
  private static let separatorBytes = 7

  /// Returns the length of the byte order mark with which the bytes begin; 0 if there is none.
  private static func byteOrderMark(_ bytes: [UInt8]) -> Int {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// Returns the delimiter that a first line such as `sep=;` names, and the index behind that line;
  /// nil if the bytes do not begin with such a line.
  static func separatorLine(_ bytes: [UInt8]) -> (delimiter: Unicode.Scalar, end: Int)? {
    let line = bytes.dropFirst(byteOrderMark(bytes)).prefix(separatorBytes)
    let place = line.startIndex + separatorKey.count
    guard place < line.endIndex, zip(line, separatorKey).allSatisfy({ $0 | 0x20 == $1 }) else {
      return nil
    }
    let delimiter = Unicode.Scalar(bytes[place])
    guard isDelimiter(delimiter) else { return nil }
    let rest = line[(place + 1)...]
    if rest.isEmpty { return (delimiter, line.endIndex) }
    if rest.starts(with: [0x0D, 0x0A]) { return (delimiter, place + 3) }
    return rest.first == 0x0A || rest.first == 0x0D ? (delimiter, place + 2) : nil
  }

  // MARK: - Steps through the bytes

  private mutating func step() throws(CSVError) -> CSVRecord? {
    let byte = bytes[offset]
    if isAfterReturn, byte == 0x0A {
      isAfterReturn = false
      take()
      if state == .quoted { cell.append(byte) }
      return nil
    }
    isAfterReturn = false
    switch state {
    case .cellStart:
      if cells.isEmpty { recordLine = line }
      cellLine = line
      if hasQuotes, byte == UInt8(ascii: "\"") {
        state = .quoted
        take()
        return nil
      }
      state = .unquoted
      return try unquoted(byte)
    case .unquoted: return try unquoted(byte)
    case .quoted:
      quoted(byte)
      return nil
    case .closed:
      if byte == UInt8(ascii: "\"") {
        cell.append(byte)
        take()
        state = .quoted
        return nil
      }
      return try end(byte, isQuoted: true)
    }
  }

  private mutating func unquoted(_ byte: UInt8) throws(CSVError) -> CSVRecord? {
    guard byte == delimiter || byte == 0x0A || byte == 0x0D else {
      takeRun { [delimiter] in $0 == delimiter || $0 == 0x0A || $0 == 0x0D }
      return nil
    }
    return try end(byte, isQuoted: false)
  }

  private mutating func quoted(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""):
      take()
      state = .closed
    case 0x0A, 0x0D:
      cell.append(byte)
      endLine(byte)
    default:
      takeRun { $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D }
    }
  }

  /// Handles the byte after a cell, which must be a delimiter or the end of a line.
  private mutating func end(_ byte: UInt8, isQuoted: Bool) throws(CSVError) -> CSVRecord? {
    if byte == delimiter {
      try endCell(isQuoted: isQuoted)
      take()
      return nil
    }
    guard byte == 0x0A || byte == 0x0D else {
      throw CSVError(
        .malformed, line: line,
        "there is text behind the closing quote of cell \(cells.count + 1); double the quotes that "
          + "belong to the text, or read the file with quotes as ordinary characters")
    }
    try endCell(isQuoted: isQuoted)
    let lastLine = line
    endLine(byte)
    return endRecord(lastLine)
  }

  private mutating func last() throws(CSVError) -> CSVRecord? {
    switch state {
    case .cellStart where cells.isEmpty: return nil
    case .quoted:
      throw CSVError(
        .malformed, line: cellLine,
        "a quote that opens on this line is never closed; close it, or read the file with quotes "
          + "as ordinary characters")
    case .cellStart:
      cellLine = line
      try endCell(isQuoted: false)
    case .unquoted: try endCell(isQuoted: false)
    case .closed: try endCell(isQuoted: true)
    }
    return endRecord(line)
  }

  private mutating func take() {
    offset += 1
    recordBytes += 1
  }

  private mutating func takeRun(until isEnd: (UInt8) -> Bool) {
    let end = bytes[offset...].firstIndex(where: isEnd) ?? bytes.count
    cell.append(contentsOf: bytes[offset..<end])
    recordBytes += end - offset
    offset = end
  }

  private mutating func endLine(_ byte: UInt8) {
    take()
    line += 1
    isAfterReturn = byte == 0x0D
  }

  // MARK: - Cells and records

  private mutating func endCell(isQuoted: Bool) throws(CSVError) {
    try validate()
    guard cells.count < Self.cellsMax else {
      throw CSVError(
        .tooLarge, line: cellLine,
        "the row has more than \(Self.cellsMax) cells; check the delimiter, or split the table")
    }
    cells.append(
      CSVCell(
        text: String(decoding: cell, as: UTF8.self), isQuoted: isQuoted, line: cellLine))
    cell.removeAll(keepingCapacity: true)
    state = .cellStart
  }

  /// Completes a record; returns nil for a blank line.
  private mutating func endRecord(_ lastLine: Int) -> CSVRecord? {
    let record = CSVRecord(line: recordLine, lastLine: lastLine, cells: cells)
    cells.removeAll(keepingCapacity: true)
    recordBytes = 0
    return record.isBlank ? nil : record
  }

  private func validate() throws(CSVError) {
    let sound = cell.withUnsafeBytes { cell -> Bool in
      UTF8Validation.isValid(cell) && !cell.contains(0)
    }
    guard !sound else { return }
    var line = cellLine
    var previous: UInt8 = 0
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = cell.makeIterator()
    while case .valid(let scalar) = parser.parseScalar(from: &iterator) {
      let byte = scalar.first ?? 0
      guard byte != 0 else {
        throw CSVError(
          .invalidText, line: line,
          "there is a NUL byte, which no text of CSV has; the file may be UTF-16, which `iconv -t "
            + "UTF-8` converts, or no text at all")
      }
      if byte == 0x0D || byte == 0x0A && previous != 0x0D { line += 1 }
      previous = byte
    }
    throw CSVError(
      .invalidText, line: line,
      "the bytes of cell \(cells.count + 1) are not valid UTF-8; convert the file, for example "
        + "with `iconv -f WINDOWS-1252 -t UTF-8`")
  }

  private func tooLong() -> CSVError {
    CSVError(
      .tooLarge, line: recordLine,
      "the row that begins here is longer than an event may be (16 MiB)"
        + (state == .quoted ? "; a quote that opens on line \(cellLine) may be left open" : ""))
  }
}

/// One record of a CSV file.
package struct CSVRecord: Hashable, Sendable {
  /// The first and the last line of the record, counted from 1.
  package var line: Int
  package var lastLine: Int
  package var cells: [CSVCell]

  package init(line: Int, lastLine: Int, cells: [CSVCell]) {
    self.line = line
    self.lastLine = lastLine
    self.cells = cells
  }

  var isBlank: Bool { cells.count == 1 && cells[0].text.isEmpty && !cells[0].isQuoted }
}

/// One cell of a CSV file.
package struct CSVCell: Hashable, Sendable {
  /// The text without enclosing quotes, and with doubled quotes reduced to one.
  package var text: String
  /// Whether the cell was quoted. This distinguishes an empty text from a missing value.
  package var isQuoted: Bool
  /// The line on which the cell begins, counted from 1.
  package var line: Int

  package init(text: String, isQuoted: Bool, line: Int) {
    self.text = text
    self.isQuoted = isQuoted
    self.line = line
  }
}
