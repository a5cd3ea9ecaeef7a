import Daybook
import DaybookEventCore
import DaybookInterchange

extension FuzzTarget {
  /// A position as the command line accepts it.
  static let position = FuzzTarget("position", bytesMax: 256) {
    [
      "2026-11-21", "2026-11-21T09:30:00Z", "2026-11-21 09:30:00.125+01:30", "1969-12-31T23:59",
      "3f2a:17", "0123456789abcdef0123456789abcdef:18446744073709551615", "{}",
      #"{"3f2a":17}"#, #"{"3f2a":17, "0123456789abcdef0123456789abcdef":0}"#, "", ":", "{,}",
    ].map { Array($0.utf8) }
  } check: { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    let position: Position.Parsed
    do throws(StoreError) { position = try Position.Parsed(text) } catch {
      return try require(
        error.code == .invalidPosition && error.description.utf8.count < 1000,
        "an error of another kind, or as long as the input")
    }
    switch position {
    case .event(let origin, let sequence):
      try require(sequence > 0, "an event before the first")
      let again = try? Position.Parsed("\(origin):\(sequence)")
      try require(again == position, "an event is written as another position")
    case .vector(let entries):
      let pairs = entries.map { "\"\($0)\":\($1)" }.sorted().joined(separator: ",")
      let again = try? Position.Parsed("{\(pairs)}")
      try require(again == position, "a version vector is written as another position")
    case .time(let milliseconds):
      guard let iso = ISO8601.text(milliseconds) else { return }
      let again = try? Position.Parsed(iso)
      try require(again == position, "a time is written as another position: \(iso)")
    }
  }
}
