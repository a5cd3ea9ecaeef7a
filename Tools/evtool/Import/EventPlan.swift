import Daybook

/// A file of events, one a line: each becomes one event again, and says itself what that is.
struct EventPlan: ImportPlan {
  let source: ImportSource
  let unit = "line"
  let stepsPerEvent: Int? = 1

  func feed(from firstLine: Int) -> any ImportFeed {
    LineFeed(source, from: firstLine) { bytes in
      let event = try InterchangeEvent(parsing: bytes)
      return event.operations.isEmpty ? nil : (.event(event), event.byteCount)
    }
  }

  func show() {}
  func write(to writer: inout JSONWriter) {}
}
