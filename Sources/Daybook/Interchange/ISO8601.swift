import Projections

/// `YYYY-MM-DDTHH:MM:SS.SSSZ`: timestamps as interchange spells them.
package enum ISO8601 {
  /// Nil outside the years 1 to 9999.
  package static func text(_ milliseconds: Int64) -> String? {
    guard let text = Timestamp.text(milliseconds) else { return nil }
    return text.replacing(" ", by: "T") + "Z"
  }
}
