import Daybook

/// What becomes one event: whole lines, in order.
struct ImportBatch: Sendable {
  struct Line: Sendable {
    var number: Int
    var operation: InterchangeLine
  }

  var lines: [Line] = []
  /// Of the lines as they stand in the file. Canonical bytes are fewer, or a little more where a
  /// line holds little but numbers.
  var byteCount = 0
  /// Bytes of the file up to the end of the last line.
  var offset: UInt64 = 0

  /// Where a batch ends although more operations would be allowed: 8 MiB, half of what an event may
  /// have.
  static let bytesMax = 8 << 20

  var lastLine: Int { lines.last?.number ?? 0 }
}

/// An error at a line of a file.
struct ImportLineError: Error {
  var line: Int
  var failure: Failure
}

/// Reads and parses the next batch while the last one is being written.
actor ImportReader {
  private var reader: LineReader
  private let firstLine: Int
  private let operationsMax: Int
  /// Read, and too large for the batch before it.
  private var held: (line: ImportBatch.Line, offset: UInt64)?

  init(_ source: ImportSource, from firstLine: Int, operationsMax: Int) {
    reader = LineReader(source)
    self.firstLine = firstLine
    self.operationsMax = operationsMax
  }

  /// The last line of the file, once all has been read.
  var line: Int { reader.line }

  /// Nil at the end of the file.
  func next() throws -> ImportBatch? {
    var batch = ImportBatch()
    while batch.lines.count < operationsMax {
      guard let (line, offset) = try held ?? nextLine() else { break }
      held = nil
      let bytes = line.operation.byteCount
      guard batch.lines.isEmpty || batch.byteCount + bytes <= ImportBatch.bytesMax else {
        held = (line, offset)
        break
      }
      batch.lines.append(line)
      batch.byteCount += bytes
      batch.offset = offset
    }
    return batch.lines.isEmpty ? nil : batch
  }

  private func nextLine() throws -> (line: ImportBatch.Line, offset: UInt64)? {
    while true {
      let isSkipped = reader.line + 1 < firstLine
      do {
        let parsed = try reader.next { bytes -> InterchangeLine? in
          if isSkipped || InterchangeLine.isBlank(bytes) { return nil }
          return try InterchangeLine(parsing: bytes)
        }
        guard let parsed else { return nil }
        guard let operation = parsed else { continue }
        return (ImportBatch.Line(number: reader.line, operation: operation), reader.offset)
      } catch let error as InterchangeError {
        throw ImportLineError(line: reader.line, failure: Failure(error))
      }
    }
  }
}
