import Daybook

/// A file of interchange: NDJSON, one operation a line.
struct LineFeed: ImportFeed {
  private var reader: LineReader
  private let firstLine: Int

  /// - Parameter firstLine: lines before it are passed over.
  init(_ source: ImportSource, from firstLine: Int) {
    reader = LineReader(source)
    self.firstLine = firstLine
  }

  mutating func next() throws -> ImportStep? {
    while true {
      let isSkipped = reader.line + 1 < firstLine
      do {
        let parsed = try reader.next { bytes -> InterchangeLine? in
          if isSkipped || InterchangeLine.isBlank(bytes) { return nil }
          return try InterchangeLine(parsing: bytes)
        }
        guard let parsed else { return nil }
        guard let line = parsed else { continue }
        return ImportStep(
          content: .line(line), line: reader.line, lastLine: reader.line,
          byteCount: line.byteCount, offset: reader.offset)
      } catch let error as InterchangeError {
        throw ImportLineError(line: reader.line, failure: Failure(error))
      }
    }
  }
}
