import Daybook

/// A file of events, one a line: each becomes one event again.
struct EventFeed: ImportFeed {
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
        let parsed = try reader.next { bytes -> InterchangeEvent? in
          if isSkipped || InterchangeLine.isBlank(bytes) { return nil }
          return try InterchangeEvent(parsing: bytes)
        }
        guard let parsed else { return nil }
        guard let event = parsed, !event.operations.isEmpty else { continue }
        return ImportStep(
          content: .event(event), line: reader.line, lastLine: reader.line,
          byteCount: event.byteCount, offset: reader.offset)
      } catch let error as InterchangeError {
        throw ImportLineError(line: reader.line, failure: Failure(error))
      }
    }
  }
}

/// Events say themselves what they become.
struct EventPlan: ImportPlan {
  let source: ImportSource
  let unit = "line"
  let stepsPerEvent: Int? = 1

  func feed(from firstLine: Int) -> any ImportFeed { EventFeed(source, from: firstLine) }
  func show() {}
  func write(to writer: inout JSONWriter) {}
}
