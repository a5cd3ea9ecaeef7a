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
    switch value {
    case .dateTime(let moment): return .time(Self.milliseconds(moment.seconds, moment.nanosecond))
    case .localDateTime(let moment):
      return .time(Self.milliseconds(moment.seconds, moment.time.nanosecond))
    case .date(let date):
      // A day alone is its last moment, as everywhere else.
      let (end, overflows) = date.days.multipliedReportingOverflow(by: 86_400)
      return .time(overflows ? .max : Self.milliseconds(end, 86_400_000_000_000 - 1))
    case .integer(let milliseconds): return .time(milliseconds)
    case .string(let text): return try await store.position(text)
    default:
      throw GQLError(
        .type, "InvalidArgumentType", "AT TIME does not take \(value.typeName)", at: place,
        hint: "Give a date, a datetime, milliseconds since 1970, or a position as a text")
    }
  }

  private static func milliseconds(_ seconds: Int64, _ nanosecond: Int64) -> Int64 {
    let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1000)
    guard !overflows else { return seconds < 0 ? .min : .max }
    let (sum, isOver) = whole.addingReportingOverflow(nanosecond / 1_000_000)
    return isOver ? .max : sum
  }
}
