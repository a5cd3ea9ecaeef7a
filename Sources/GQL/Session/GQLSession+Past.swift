import Daybook
import DaybookProjections
import GRDB

/// Statements on the past.
extension GQLSession {
  /// Reads the store as it is, or as it was at a position.
  func read<T: Sendable>(
    at position: Position?, searches: Bool,
    _ body: @escaping @Sendable (Database, ReadModelView) throws -> T
  ) async throws -> T {
    guard let position else { return try await store.read(searches: searches, body) }
    let past = try await store.at(position).open()
    do {
      let result = try await past.read(searches: searches, body)
      try await past.close()
      return result
    } catch {
      try? await past.close()
      throw error
    }
  }

  /// Returns the position that `AT TIME` means.
  func position(_ value: GQLValue, _ place: GQLPosition) async throws -> Position {
    if case .string(let text) = value { return try await store.position(text) }
    guard let milliseconds = Self.milliseconds(value) else {
      throw GQLError(
        .type, "InvalidArgumentType", "AT TIME does not take \(value.typeName)", at: place,
        hint: "Give a date, a datetime, milliseconds since 1970, or a position as a text")
    }
    return .time(milliseconds)
  }

  /// Returns the milliseconds since 1970 that a value means as a moment; nil if it is none.
  static func milliseconds(_ value: GQLValue) -> Int64? {
    switch value {
    case .dateTime(let moment): return milliseconds(moment.seconds, moment.nanosecond)
    case .localDateTime(let moment): return milliseconds(moment.seconds, moment.time.nanosecond)
    case .date(let date):
      // A day alone is its last moment, as everywhere else.
      let (end, overflows) = date.days.multipliedReportingOverflow(by: 86_400)
      return overflows ? .max : milliseconds(end, 86_400_000_000_000 - 1)
    case .integer(let milliseconds): return milliseconds
    default: return nil
    }
  }

  private static func milliseconds(_ seconds: Int64, _ nanosecond: Int64) -> Int64 {
    let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1000)
    guard !overflows else { return seconds < 0 ? .min : .max }
    let (sum, isOver) = whole.addingReportingOverflow(nanosecond / 1_000_000)
    return isOver ? .max : sum
  }
}
