import Daybook

/// A file of which each line, blank ones aside, is one step.
struct LineFeed: ImportFeed {
  /// What a line becomes, and about how many bytes of an event that takes; nil where it is nothing.
  typealias Parsed = (content: ImportStep.Content, byteCount: Int)

  private var reader: LineReader
  private let firstLine: Int
  private let parse: @Sendable (UnsafeRawBufferPointer) throws -> Parsed?

  /// - Parameters:
  ///   - firstLine: lines before it are passed over.
  ///   - parse: is not asked about blank lines.
  init(
    _ source: ImportSource, from firstLine: Int,
    parse: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Parsed?
  ) {
    reader = LineReader(source)
    self.firstLine = firstLine
    self.parse = parse
  }

  /// Interchange: NDJSON, one operation a line.
  init(_ source: ImportSource, from firstLine: Int) {
    self.init(source, from: firstLine) { bytes in
      let line = try InterchangeLine(parsing: bytes)
      return (.line(line), line.byteCount)
    }
  }

  mutating func next() throws -> ImportStep? {
    while true {
      let isSkipped = reader.line + 1 < firstLine
      do {
        let parsed = try reader.next { bytes -> Parsed? in
          isSkipped || InterchangeLine.isBlank(bytes) ? nil : try parse(bytes)
        }
        guard let parsed else { return nil }
        guard let (content, byteCount) = parsed else { continue }
        return ImportStep(
          content: content, line: reader.line, lastLine: reader.line, byteCount: byteCount,
          offset: reader.offset)
      } catch let error as InterchangeError {
        throw ImportLineError(line: reader.line, failure: Failure(error))
      }
    }
  }
}
