import Daybook
import DaybookJSON

/// The plan of a file of events, one a line. Each becomes one event again, described by its own
/// line.
struct EventPlan: ImportPlan {
  let source: ImportSource
  let unit = "line"
  let stepsPerEvent: Int? = 1

  func feed(from firstLine: Int) -> any ImportFeed {
    LineFeed(source, from: firstLine) { bytes in
      let event = try InterchangeEvent(parsing: bytes)
      let isEmpty = event.operations.isEmpty && event.undos.isEmpty
      return isEmpty ? nil : (.event(event), event.byteCount)
    }
  }

}
