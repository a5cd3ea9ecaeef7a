import Daybook

/// The steps of a file, one for each line that is not blank.
struct LineFeed: ImportFeed {
  /// The content of a step, and its approximate bytes in an event; nil if the line has none.
  typealias Parsed = (content: FileStep.Content, byteCount: Int)

  private var reader: LineReader
  private let firstLine: Int
  private let parse: @Sendable (UnsafeRawBufferPointer) throws -> Parsed?

  /// Creates a feed with a parser of lines.
  /// - Parameters:
  ///   - firstLine: The first line to import; earlier lines are skipped.
  ///   - parse: Parses a line. Not called for blank lines.
  init(
    _ source: ImportSource, from firstLine: Int,
    parse: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Parsed?
  ) {
    reader = LineReader(source)
    self.firstLine = firstLine
    self.parse = parse
  }

  /// Creates a feed of interchange: NDJSON, one operation a line.
  init(_ source: ImportSource, from firstLine: Int) {
    self.init(source, from: firstLine) { bytes in
      let line = try InterchangeLine(parsing: bytes)
      return (.line(line), line.byteCount)
    }
  }

  mutating func next() throws -> FileStep? {
    while true {
      let isSkipped = reader.line + 1 < firstLine
      do {
        let parsed = try reader.next { bytes -> Parsed? in
          isSkipped || InterchangeLine.isBlank(bytes) ? nil : try parse(bytes)
        }
        guard let parsed else { return nil }
        guard let (content, byteCount) = parsed else { continue }
        return FileStep(
          content: content, line: reader.line, lastLine: reader.line, byteCount: byteCount,
          offset: reader.offset)
      } catch let error as InterchangeError {
        throw ImportLineError(line: reader.line, failure: ImportError(error))
      }
    }
  }
}
