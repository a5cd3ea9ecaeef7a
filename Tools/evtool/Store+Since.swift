import Daybook
import DaybookEventCore

extension Store {
  /// Returns the position before what `--since` names: for a time, the moment before it, and a date
  /// alone means its beginning; otherwise the position itself.
  func position(since text: String) async throws -> Position {
    if let milliseconds = Timestamp.milliseconds(text) { return .time(milliseconds - 1) }
    return try await position(text)
  }
}

/// The description of `--since`, for the help of commands that take it.
let sinceHelp = """
  With --since, a date alone means its beginning, and the time itself is included.
  """
